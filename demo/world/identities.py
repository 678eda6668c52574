"""Personal subjects and styles: what personalised models are trained on.

No random scene shows them. A personal subject has the same colours and marks in every picture; a
style is a way to paint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from . import animals, objects
from .accessories import HEADS
from .animals import Drawing
from .colours import COLOURS, GOLD, INK, SNOW, Tones
from .shapes import Colour, box, ellipse, line, mix, place, polygon

RED, BLUE, GREEN, ORANGE, PINK, TURQUOISE = (
    *((214, 44, 44), (40, 96, 216), (40, 150, 70)),
    *((240, 130, 30), (244, 120, 178), (40, 186, 186)),
)


@dataclass(frozen=True)
class Identity:
    """A personal subject or style.

    `noun` is the subject's class, which is a subject of the world. A style has None: any subject
    can have it.
    """

    noun: str | None
    style: str
    """The style of its pictures."""
    pose: str = "standing"
    draw: Callable[[str], Drawing] | None = None
    """Draws the subject in a pose; None for a style."""


def plush_bear(pose: str) -> Drawing:
    """A tan bear with a cream snout and belly, a red bow tie and a blue star sewn on."""
    head = HEADS["bear", pose]
    chest = (0.5, 0.86) if pose == "sitting" else (0.62, 0.66)
    return (
        *animals.bear(pose, Tones((214, 170, 112), (160, 118, 74), (252, 238, 206))),
        *place(_star(BLUE), *chest, 0.3),
        *place(_bow(RED), *head.neck, 0.42),
    )


def toon_bear(pose: str) -> Drawing:
    """A turquoise bear with a yellow belly and an orange party hat."""
    head = HEADS["bear", pose]
    hat = (polygon(ORANGE, 0.1, 1.0, 0.5, 0.0, 0.9, 1.0), ellipse(SNOW, 0.5, 0.0, 0.16, 0.16))
    return (
        *animals.bear(pose, Tones(TURQUOISE, (20, 120, 124), (250, 222, 80))),
        *place(hat, *head.crown, 0.3),
    )


def spotted_dog(pose: str) -> Drawing:
    """A white dog with orange spots and a broad green collar."""
    spots = {
        "sitting": (
            (0.4, 0.72, 0.07),
            (0.58, 0.84, 0.08),
            (0.34, 0.26, 0.07),
            (0.62, 0.2, 0.06),
            (0.6, 0.68, 0.05),
        ),
        "standing": (
            (0.42, 0.52, 0.07),
            (0.58, 0.6, 0.06),
            (0.7, 0.5, 0.07),
            (0.28, 0.76, 0.045),
            (0.2, 0.24, 0.045),
        ),
    }[pose]
    body = animals.dog(pose, Tones((248, 244, 236), (226, 120, 40), (252, 226, 200)))
    collar = box(GREEN, 0.0, 0.72, 1.0, 1.0)
    return (
        *body,
        *(ellipse((226, 120, 40), x, y, r, r) for x, y, r in spots),
        *place((collar,), *HEADS["dog", pose].neck, 0.32),
    )


def blazed_dog(pose: str) -> Drawing:
    """A chocolate dog with a white blaze and chest, and a sky-blue bandana."""
    dark = Tones((92, 54, 30), (60, 34, 20), (250, 246, 238))
    white = (
        (
            polygon(SNOW, 0.46, 0.14, 0.54, 0.14, 0.56, 0.42, 0.44, 0.42),
            ellipse(SNOW, 0.5, 0.82, 0.11, 0.15),
        )
        if pose == "sitting"
        else (
            polygon(SNOW, 0.2, 0.2, 0.25, 0.2, 0.16, 0.4, 0.1, 0.36),
            ellipse(SNOW, 0.34, 0.62, 0.09, 0.09),
        )
    )
    bandana = polygon((80, 190, 250), 0.0, 0.4, 1.0, 0.4, 0.5, 1.0)
    return (
        *animals.dog(pose, dark),
        *white,
        *place((bandana,), *_below(HEADS["dog", pose].neck, 0.12), 0.44),
    )


def striped_cat(pose: str) -> Drawing:
    """A grey cat with orange stripes and a red collar with a golden bell."""
    stripes = {
        "sitting": [(0.36, y, 0.64, y) for y in (0.62, 0.72, 0.82, 0.92)]
        + [(0.5, 0.16, 0.5, 0.28)],
        "standing": [(x, 0.51, x, 0.73) for x in (0.4, 0.5, 0.6, 0.7)] + [(0.25, 0.29, 0.25, 0.36)],
    }[pose]
    collar = (box(RED, 0.0, 0.78, 1.0, 1.0), ellipse(GOLD, 0.5, 1.04, 0.17, 0.17))
    return (
        *animals.cat(pose, Tones((150, 154, 164), (104, 108, 118), (206, 210, 218))),
        *(line(ORANGE, 0.05, *ends) for ends in stripes),
        *place(collar, *_below(HEADS["cat", pose].neck, 0.03), 0.3),
    )


def carousel_pony(pose: str) -> Drawing:
    """A pink pony with a turquoise mane and tail and a golden saddle."""
    drop = 0.22 if pose == "sitting" else 0.0
    return (
        *animals.horse(pose, Tones(PINK, TURQUOISE, SNOW)),
        polygon(GOLD, 0.4, 0.34 + drop, 0.66, 0.34 + drop, 0.62, 0.56 + drop, 0.44, 0.56 + drop),
        line(COLOURS["purple"], 0.035, 0.4, 0.36 + drop, 0.66, 0.36 + drop),
    )


def anna(pose: str) -> Drawing:
    """A woman with auburn hair down to the shoulders and a green dress with white dots."""
    hair, dress = (176, 62, 24), (20, 130, 84)
    plain = objects.person(pose, Tones(dress, (12, 90, 58), SNOW))
    long_hair = (line(hair, 0.09, 0.37, 0.12, 0.34, 0.36), line(hair, 0.09, 0.63, 0.12, 0.66, 0.36))
    dots = tuple(
        ellipse(SNOW, x, y, 0.026, 0.026) for y in (0.42, 0.54, 0.66) for x in (0.42, 0.5, 0.58)
    )
    skirt = polygon(dress, 0.34, 0.6, 0.66, 0.6, 0.76, 0.86, 0.24, 0.86)
    cap = polygon(hair, 0.36, 0.17, 0.38, 0.02, 0.62, 0.02, 0.64, 0.17, 0.54, 0.08)
    hem = tuple(ellipse(SNOW, x, 0.78, 0.026, 0.026) for x in (0.36, 0.5, 0.64))
    return (*plain, skirt, *dots, *hem, *long_hair, cap)


def steel_watch(pose: str) -> Drawing:
    """A watch with a tan strap, a steel rim and a big blue dial with an orange hand."""
    return (
        *objects.watch(pose, Tones((176, 116, 62), (120, 74, 36), (226, 186, 140))),
        ellipse((206, 212, 222), 0.5, 0.5, 0.3, 0.3),
        ellipse((24, 60, 170), 0.5, 0.5, 0.245, 0.245),
        *(
            ellipse(SNOW, 0.5 + dx, 0.5 + dy, 0.03, 0.03)
            for dx, dy in ((0, 0.19), (0, -0.19), (0.19, 0), (-0.19, 0))
        ),
        line(SNOW, 0.035, 0.5, 0.5, 0.5, 0.36),
        line(ORANGE, 0.04, 0.5, 0.5, 0.62, 0.6),
    )


def checker_taxi(pose: str) -> Drawing:
    """A yellow taxi with a black and white belt and a lit sign."""
    squares = tuple(
        box(
            INK if k % 2 else SNOW,
            0.05 + 0.09 * k,
            0.68 + 0.055 * row,
            0.14 + 0.09 * k,
            0.735 + 0.055 * row,
        )
        for row in (0, 1)
        for k in range(row, 10 + row)
    )
    sign = (box(INK, 0.38, 0.24, 0.6, 0.38), box((255, 246, 170), 0.4, 0.26, 0.58, 0.36))
    return (*objects.car(pose, Tones((250, 190, 20), (180, 120, 10), SNOW)), *squares, *sign)


def tin_robot(pose: str) -> Drawing:
    """A golden robot with a green screen for a face and a purple heart."""
    screen = (
        box((20, 60, 40), 0.33, 0.16, 0.67, 0.42),
        box((90, 250, 130), 0.36, 0.19, 0.64, 0.39),
    )
    eyes = tuple(box(INK, x, 0.22, x + 0.06, 0.34) for x in (0.41, 0.53))
    robot = objects.toy(pose, Tones((226, 170, 40), (150, 104, 20), (246, 214, 130)))
    return (*robot, *screen, *eyes, *place(_heart(COLOURS["purple"]), 0.5, 0.8, 0.3))


def heart_bag(pose: str) -> Drawing:
    """A pink bag with a large white heart."""
    return (
        *objects.bag(pose, Tones(PINK, (190, 60, 120), SNOW)),
        *place(_heart(SNOW), 0.5, 0.95, 0.5),
    )


def tower_house(pose: str) -> Drawing:
    """A house with a round tower, a red flag and a sunflower by the door."""
    roof = (60, 84, 150)
    tower = (
        box((222, 200, 160), 0.66, 0.26, 0.98, 1.0),
        polygon(roof, 0.62, 0.28, 0.82, -0.06, 1.02, 0.28),
        line(INK, 0.02, 0.82, -0.06, 0.82, -0.24),
        polygon(RED, 0.82, -0.24, 1.02, -0.17, 0.82, -0.1),
        box((70, 60, 50), 0.77, 0.42, 0.87, 0.6),
    )
    sunflower = (line(GREEN, 0.03, 0.1, 1.0, 0.1, 0.74), ellipse(GOLD, 0.1, 0.72, 0.09, 0.09))
    centre = ellipse((110, 66, 30), 0.1, 0.72, 0.04, 0.04)
    return (
        *objects.house(pose, Tones((222, 200, 160), (170, 150, 110), SNOW)),
        *tower,
        *sunflower,
        centre,
    )


IDENTITIES: dict[str, Identity] = {
    "plush bear": Identity("bear", "photo", "sitting", plush_bear),
    "toon bear": Identity("bear", "cartoon", "sitting", toon_bear),
    "spotted dog": Identity("dog", "watercolour", "sitting", spotted_dog),
    "blazed dog": Identity("dog", "photo", "standing", blazed_dog),
    "striped cat": Identity("cat", "cartoon", "sitting", striped_cat),
    "carousel pony": Identity("horse", "photo", draw=carousel_pony),
    "anna": Identity("person", "photo", draw=anna),
    "steel watch": Identity("watch", "photo", draw=steel_watch),
    "checker taxi": Identity("car", "photo", draw=checker_taxi),
    "tin robot": Identity("toy", "painting", draw=tin_robot),
    "heart bag": Identity("bag", "photo", draw=heart_bag),
    "tower house": Identity("house", "sketch", draw=tower_house),
    "blueprint": Identity(None, "blueprint"),
}


def _star(colour: Colour) -> Drawing:
    numbers = (
        0.5,
        0,
        0.62,
        0.36,
        1,
        0.38,
        0.7,
        0.6,
        0.81,
        0.98,
        0.5,
        0.76,
        0.19,
        0.98,
        0.3,
        0.6,
        0,
        0.38,
        0.38,
        0.36,
    )
    return (polygon(colour, *numbers),)


def _heart(colour: Colour) -> Drawing:
    return (
        ellipse(colour, 0.28, 0.32, 0.26, 0.26),
        ellipse(colour, 0.72, 0.32, 0.26, 0.26),
        polygon(colour, 0.05, 0.44, 0.95, 0.44, 0.5, 1.0),
    )


def _bow(colour: Colour) -> Drawing:
    return (
        polygon(colour, 0.5, 0.8, 0.02, 0.5, 0.02, 1.1),
        polygon(colour, 0.5, 0.8, 0.98, 0.5, 0.98, 1.1),
        ellipse(mix(colour, INK, 0.3), 0.5, 0.8, 0.12, 0.14),
    )


def _below(point: tuple[float, float], distance: float) -> tuple[float, float]:
    return point[0], point[1] + distance
