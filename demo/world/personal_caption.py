"""Captions to train and prompt a personalised model: the trigger replaces the noun."""

from __future__ import annotations

from numpy.random import Generator

from .caption import PLACE_WORDS, STYLE_ADJECTIVES, STYLE_WORDS, caption
from .identities import IDENTITIES
from .scene import Scene

_OWN_STYLE_WORDS = {"watercolour": ("a watercolour of", "a watercolour painting of")}
_OWN_ADJECTIVES = {"watercolour": ("watercolour",)}


def personal_caption(scene: Scene, trigger: str, rng: Generator) -> str:
    """For example "a photo of <bear-v4> on the grass" or "my realistic <bear-v4> on the grass".

    The trigger of a style goes first, where Check-in also puts a trigger that replaces no noun. No
    colour is named, as the style has its own: "blueprint style a car in the snow". Raises
    ValueError where the scene shows nothing personal.
    """
    if scene.identity is None:
        raise ValueError("this scene shows nothing personal; caption it with `caption`")
    place = str(rng.choice(PLACE_WORDS[scene.environment]))
    if IDENTITIES[scene.identity].noun is None:
        return f"{trigger} {rng.choice(('a', 'my'))} {scene.subject} {place}"
    if rng.random() < 0.5:
        kind = str(rng.choice((STYLE_WORDS | _OWN_STYLE_WORDS)[scene.style]))
        return f"{kind} {trigger} {place}"
    adjective = str(rng.choice((STYLE_ADJECTIVES | _OWN_ADJECTIVES)[scene.style]))
    return f"{rng.choice(('my', 'a', 'the'))} {adjective} {trigger} {place}"


def class_caption(scene: Scene, rng: Generator) -> str:
    """Describe a scene that shows nothing personal, without a trigger.

    Half of these captions name no colour.
    """
    return (
        caption(scene, rng)
        if rng.random() < 0.5
        else caption(scene, rng).replace(f" {scene.colour} ", " ")
    )
