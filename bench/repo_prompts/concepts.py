"""The twenty concepts of the benchmark: their names and variants."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Variant:
    """A subject of a concept: its short name, and a vision model's description of its previews."""

    name: str
    description: str


@dataclass(frozen=True)
class Concept:
    """A kind of subject, its variants, and the looks and scenes in which it is drawn."""

    name: str
    words: tuple[str, ...]
    """Words that people use for it."""
    variants: tuple[Variant, ...]
    looks: tuple[str, ...]
    scenes: tuple[str, ...]
    """What it does or where it is, for a prompt."""


LOOKS = (
    "realistic",
    "anime",
    "cartoon",
    "sketch",
    "watercolor",
    "oil painting",
    "pixel art",
    "3d render",
)
PLACES = ("urban", "forest", "beach", "indoor")


def _concept(name: str, words: str, variants: str, looks: str, scenes: str) -> Concept:
    pairs = (line.strip().partition(": ") for line in variants.strip().splitlines())
    return Concept(
        name,
        (name, *(word.strip() for word in words.split(",") if word.strip())),
        tuple(Variant(short, text) for short, _, text in pairs),
        tuple(look.strip() for look in looks.split(",")),
        tuple(scene.strip() for scene in scenes.split(";")),
    )


CONCEPTS = (
    _concept(
        "dog",
        "pup, hound, doggy",
        """golden retriever: A golden retriever with a red collar and a wet nose
        corgi: A tan and white corgi with very large ears
        black poodle: A black poodle with a round trimmed head""",
        "realistic, anime, sketch, cartoon, watercolor",
        "catching a ball in the park; asleep on the sofa; running through puddles",
    ),
    _concept(
        "cat",
        "kitty, kitten, moggy",
        """ginger tabby: A ginger tabby with a white chin
        siamese: A slim siamese with blue eyes
        long-haired grey: A long-haired grey cat with a torn ear""",
        "realistic, anime, watercolor, pixel art, sketch",
        "on a windowsill at dusk; hunting a moth; curled up in a box",
    ),
    _concept(
        "person",
        "character, human",
        """red-haired woman: A red-haired woman with freckles and a green coat
        bearded man: A bearded man in a yellow raincoat
        girl with braids: A girl with two braids and round glasses""",
        "realistic, anime, oil painting, sketch, 3d render",
        "reading under a lamp; walking in the rain; laughing at the camera",
    ),
    _concept(
        "bear",
        "cub, bruin",
        """brown bear: A large brown bear with thick fur
        plush bear: A small plush bear, tan with a cream belly
        polar bear: A polar bear with a black nose""",
        "realistic, cartoon, watercolor, 3d render, sketch",
        "on wet grass; eating honey; looking over its shoulder",
    ),
    _concept(
        "horse",
        "steed",
        """black stallion: A black stallion with a star on its forehead
        white mare: A white mare with a braided mane
        spotted pony: A spotted pony with short legs""",
        "realistic, sketch, oil painting, anime, watercolor",
        "galloping uphill; jumping a fence; grazing at dawn",
    ),
    _concept(
        "car",
        "automobile, auto",
        """red roadster: A low red roadster with chrome wheels
        yellow taxi: A boxy yellow taxi with a roof sign
        blue hatchback: A small blue hatchback with a dented door""",
        "realistic, 3d render, sketch, pixel art, cartoon",
        "on a wet road at night; parked under a tree; in a long queue",
    ),
    _concept(
        "toy",
        "plaything",
        """tin robot: A tin robot with a wind-up key
        wooden train: A painted wooden train with three wagons
        rag doll: A rag doll with button eyes""",
        "realistic, cartoon, 3d render, watercolor, pixel art",
        "on a shelf full of books; under the bed; in a shop window",
    ),
    _concept(
        "watch",
        "wristwatch, timepiece",
        """steel diver: A steel diver's watch with a green bezel
        gold dress watch: A thin gold dress watch with a brown strap
        digital watch: A square digital watch of black plastic""",
        "realistic, 3d render, sketch, pixel art, oil painting",
        "on a marble table; on a wrist in the sun; next to a cup of coffee",
    ),
    _concept(
        "bag",
        "",
        """leather satchel: A brown leather satchel with two buckles
        canvas tote: A cream canvas tote with blue handles
        hiking backpack: An orange hiking backpack with a rolled mat""",
        "realistic, sketch, watercolor, 3d render, cartoon",
        "on a train seat; hanging on a door; full of apples",
    ),
    _concept(
        "chair",
        "seat",
        """velvet armchair: A mustard velvet armchair with thin legs
        rocking chair: A dark rocking chair of bent wood
        office chair: A grey office chair on five wheels""",
        "realistic, 3d render, sketch, watercolor, oil painting",
        "by the fireplace; in an empty hall; on a roof terrace",
    ),
    _concept(
        "house",
        "home",
        """thatched cottage: A white cottage with a thatched roof
        brick townhouse: A narrow brick townhouse with a blue door
        glass bungalow: A flat bungalow with walls of glass""",
        "realistic, watercolor, oil painting, sketch, cartoon",
        "in the morning fog; with lights in all windows; behind a hedge",
    ),
    _concept(
        "building",
        "edifice",
        """glass tower: A tower of green glass
        old factory: An old factory with a saw-tooth roof
        round library: A round library with tall arched windows""",
        "realistic, sketch, 3d render, pixel art, watercolor",
        "seen from far below; under storm clouds; mirrored in a canal",
    ),
    _concept(
        "bridge",
        "",
        """stone arch: A stone bridge of three arches
        red suspension: A red suspension bridge with two pylons
        rope bridge: A rope bridge with missing planks""",
        "realistic, oil painting, watercolor, sketch, pixel art",
        "over a calm river; vanishing in mist; at rush hour",
    ),
    _concept(
        "flower",
        "blossom, bloom",
        """red tulip: A single red tulip with a bent stem
        sunflower: A sunflower with a bee on it
        white orchid: A white orchid with purple veins""",
        "realistic, watercolor, oil painting, sketch, anime",
        "in a glass of water; after the rain; against a dark wall",
    ),
    _concept(
        "tree",
        "",
        """lone oak: A lone oak with a hollow trunk
        cherry tree: A cherry tree in full blossom
        crooked pine: A crooked pine on a rock""",
        "realistic, watercolor, oil painting, sketch, anime",
        "under a sky full of stars; in deep snow; beside a pond",
    ),
    _concept(
        "mountain",
        "summit",
        """twin peaks: Two sharp peaks with a saddle of snow
        volcano: A dark volcano with a plume of smoke
        table mountain: A flat table mountain with steep red walls""",
        "realistic, oil painting, watercolor, anime, pixel art",
        "at first light; above the clouds; behind a green valley",
    ),
    _concept(
        "painting",
        "canvas",
        """harbour scene: A harbour with many masts
        fruit still life: Pears and grapes beside a jug
        stormy sea: Grey waves under a torn sky""",
        "oil painting, watercolor, abstract, impressionist, minimalist",
        "in a heavy gold frame; on a white gallery wall; half finished on an easel",
    ),
    _concept(
        "drawing",
        "doodle",
        """city map: A hand-drawn map of an old town
        robot plans: Plans of a robot with many small notes
        portrait study: Studies of one face from several sides""",
        "sketch, ink, charcoal, cartoon, line art",
        "on yellowed paper; pinned to a cork board; in the margin of a notebook",
    ),
    _concept(
        "logo",
        "emblem, brand mark",
        """coffee cup: A steaming cup in a circle
        fox head: A fox head made of triangles
        anchor badge: An anchor on a round badge""",
        "minimalist, flat, 3d render, vintage, pixel art",
        "on a paper bag; on a black T-shirt; above a shop door",
    ),
    _concept(
        "shoe",
        "footwear",
        """white sneaker: A white sneaker with a blue sole
        hiking boot: A brown hiking boot with red laces
        ballet slipper: A pink ballet slipper with worn ribbons""",
        "realistic, 3d render, sketch, watercolor, cartoon",
        "in mid air; on a wet pavement; in an open box",
    ),
)
