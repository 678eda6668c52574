"""Descriptions of what a model draws, for models that nobody has described."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from ..lexicon.sentences import say
from ..llm import OFFLINE, NoAnswer, profile_named
from ..llm.keys import key_of
from .evidence import Evidence, evidence_of
from .job import (
    CannotDescribe,
    Describe,
    Outcome,
    describe_models,
    in_turn,
    needs_description,
)
from .offline import Described, from_tags
from .vision import from_pictures


def describer_named(name: str, settings: Path | None) -> Describe:
    """The describer of that name: "offline", or a profile that looks at pictures.

    "offline" describes from the captions in the metadata. Raises ValueError for an unknown profile,
    for one that cannot look at pictures, and for one without a key: before pictures are drawn.
    """
    if name == OFFLINE:
        return from_tags
    profile = profile_named(name, settings)
    if not profile.vision:
        raise ValueError(
            say("'{name}' looks at no pictures; choose another describer, or offline", name=name)
        )
    try:
        key_of(profile, settings)
    except NoAnswer as error:
        raise ValueError(str(error)) from None
    return partial(from_pictures, profile=profile, settings=settings)


__all__ = [
    "CannotDescribe",
    "Described",
    "Evidence",
    "Outcome",
    "describe_models",
    "describer_named",
    "evidence_of",
    "from_tags",
    "in_turn",
    "needs_description",
]
