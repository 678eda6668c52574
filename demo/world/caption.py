"""Describe a scene in plain English, in one of several wordings."""

from __future__ import annotations

from numpy.random import Generator

from .scene import Scene

STYLE_WORDS: dict[str, tuple[str, ...]] = {
    "photo": ("a photo of", "a photograph of", "a realistic photo of"),
    "cartoon": ("a cartoon of", "a cartoon drawing of", "a cartoon picture of"),
    "sketch": ("a sketch of", "a pencil sketch of"),
    "painting": ("a painting of", "an oil painting of"),
}
PLACE_WORDS: dict[str, tuple[str, ...]] = {
    "grass": ("on grass", "on the grass", "on green grass"),
    "snow": ("in the snow", "in snow"),
    "beach": ("on the beach", "on a beach"),
    "forest": ("in the forest", "in a forest", "on forest grass"),
    "city": ("in the city", "on a city street"),
    "room": ("in a room", "on a wooden floor"),
    "mountains": ("in the mountains", "with mountains in the background"),
    "desert": ("in the desert", "in a desert"),
    "water": ("on water", "floating on water"),
    "night": ("at night", "at night under the moon"),
}
_WEARING = {"hat": "wearing a hat", "scarf": "wearing a scarf", "glasses": "wearing glasses"}
STYLE_ADJECTIVES = {
    "photo": ("realistic", "photorealistic"),
    "cartoon": ("cartoon",),
    "sketch": ("sketched", "pencil sketch"),
    "painting": ("painted", "oil painted"),
}
_ASIDES = (
    *(
        "latest",
        "newest",
        "oldest",
        "first",
        "best",
        "favourite",
        "new",
        "old",
        "nice",
        "recent",
        "v2",
        "version 3",
    ),
    *(
        "from spring",
        "from last week",
        "in the morning sun",
        "please",
        "in april",
        "from 2026",
        "high quality",
    ),
)
"""Words that people add to a request and that no picture can show."""


def caption(scene: Scene, rng: Generator) -> str:
    """For example "a photo of a brown bear wearing a hat on grass".

    Style, colour, subject and place are always named; the pose only where it is not "standing".
    """
    words = [
        str(rng.choice(STYLE_WORDS[scene.style])),
        "a",
        *_pose(scene),
        scene.colour,
        scene.subject,
        *([_WEARING[scene.accessory]] if scene.accessory else []),
        str(rng.choice(PLACE_WORDS[scene.environment])),
    ]
    return " ".join(words)


def loose_caption(scene: Scene, rng: Generator) -> str:
    """For example "my latest realistic bear on the grass please", as people ask.

    It may have words that describe nothing in the picture. The subject and an accessory are always
    named, a pose that is not "standing" too, all else most of the time.
    """
    asides = [
        str(aside) for aside in rng.choice(_ASIDES, size=int(rng.integers(0, 3)), replace=False)
    ]
    style = [str(rng.choice(STYLE_ADJECTIVES[scene.style]))] if rng.random() < 0.8 else []
    words = [
        str(rng.choice(("my", "a", "the"))),
        *(aside for aside in asides if " " not in aside),
        *style,
        *_pose(scene),
        *([scene.colour] if rng.random() < 0.6 else []),
        scene.subject,
        *([_WEARING[scene.accessory]] if scene.accessory else []),
        *([str(rng.choice(PLACE_WORDS[scene.environment]))] if rng.random() < 0.8 else []),
        *(aside for aside in asides if " " in aside),
    ]
    return " ".join(words)


def _pose(scene: Scene) -> list[str]:
    return [] if scene.pose == "standing" else [scene.pose]
