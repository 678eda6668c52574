"""What a picture shows, and how to make random scenes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from numpy.random import Generator

from . import animals, objects
from .accessories import ACCESSORIES, HEADS, accessory
from .animals import Drawing
from .colours import COLOURS, Tones, tones
from .environments import ENVIRONMENTS
from .identities import IDENTITIES

SUBJECTS: dict[str, Callable[[str, Tones], Drawing]] = {
    draw.__name__: draw
    for draw in (
        *(animals.dog, animals.cat, animals.bear, animals.horse),
        *(
            objects.person,
            objects.car,
            objects.toy,
            objects.watch,
            objects.bag,
            objects.chair,
            objects.house,
            objects.flower,
        ),
    )
}
STYLES = ("photo", "cartoon", "sketch", "painting")
POSES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("dog", "cat", "bear", "horse"), ("standing", "sitting")),
    "person": ("standing", "waving", "sitting"),
    "toy": ("standing", "waving"),
}
"""Poses of each subject; a subject that is not listed has only "standing"."""
_SHARE_WITH_ACCESSORY = 0.3


@dataclass(frozen=True)
class Scene:
    """The content of one picture; the seed decides everything that the other fields leave open."""

    subject: str
    colour: str
    environment: str
    style: str
    pose: str = "standing"
    accessory: str | None = None
    seed: int = 0
    identity: str | None = None
    """A name in IDENTITIES; a personal subject has its own colours and ignores `colour`."""


def random_scene(rng: Generator) -> Scene:
    """Choose every field uniformly at random; some subjects that can wear accessories get one."""
    subject = str(rng.choice(list(SUBJECTS)))
    pose = str(rng.choice(POSES.get(subject, ("standing",))))
    wears = (subject, pose) in HEADS and rng.random() < _SHARE_WITH_ACCESSORY
    return Scene(
        subject=subject,
        colour=str(rng.choice(list(COLOURS))),
        environment=str(rng.choice(list(ENVIRONMENTS))),
        style=str(rng.choice(STYLES)),
        pose=pose,
        accessory=str(rng.choice(ACCESSORIES)) if wears else None,
        seed=int(rng.integers(2**31)),
    )


def personal_scene(identity: str, rng: Generator) -> Scene:
    """Return a personal subject in a random place, or a random subject in a personal style."""
    own = IDENTITIES[identity]
    scene = replace(random_scene(rng), style=own.style, accessory=None, identity=identity)
    if own.noun is None:
        return scene
    return replace(scene, subject=own.noun, pose=own.pose)


def class_scene(noun: str | None, rng: Generator) -> Scene:
    """Return a random scene of the subject `noun`, without accessories; any scene for None."""
    scene = random_scene(rng)
    if noun is None:
        return scene
    return replace(
        scene, subject=noun, pose=str(rng.choice(POSES.get(noun, ("standing",)))), accessory=None
    )


def draw_subject(scene: Scene) -> Drawing:
    """Draw the subject and what it wears in its own box (0 to 1, standing on y = 1).

    Raises ValueError where the subject cannot wear the accessory in this pose.
    """
    if scene.identity and (own := IDENTITIES[scene.identity].draw):
        return own(scene.pose)
    drawing = SUBJECTS[scene.subject](scene.pose, tones(COLOURS[scene.colour]))
    if scene.accessory is None:
        return drawing
    head = HEADS.get((scene.subject, scene.pose))
    if head is None:
        raise ValueError(
            f"A {scene.pose} {scene.subject} cannot wear a {scene.accessory}; leave the accessory "
            "out."
        )
    return (*drawing, *accessory(scene.accessory, head))
