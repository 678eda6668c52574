r"""Models that were picked by hand, as text that a person can read and edit: one line per model.

    for: nelson in needle felt style
    nelson_v3; strength: 0.8
    needle_felt; strength: 0.6; triggers: felt, wool
    old_style; off

A line begins with the name of the model. After ";" may stand, in any order: `strength: 0.8` or 0.8;
`on` or `off`; `triggers: felt, wool` (these go into the prompt) or `triggers: off`; and what the
model is known by elsewhere, such as `sha256: ...` and `version: 3`. A ";" in a name is written
"\;". In a text without ";", such a line of its own goes on with the model above it. A further line
`for: <request>` begins the models of another request.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..lexicon.sentences import listed, say, sentence
from ..lexicon.text import one_line
from .cards import Card
from .reference import SHORT_HASH, Reference
from .request_line import request_line, request_of

MAX_MODELS = 20
"""The most models for one request."""
MAX_STRENGTH = 10
"""Strengths are from -10 to 10, as on cards."""
_REFERENCE = {
    "model": "name",
    "sha256": "sha256",
    "id": "id",
    "kind": "kind",
    "base model": "base_model",
    "trigger": "trigger",
    "lineage": "lineage",
    "version": "version",
}
"""Key in the text -> field of the reference."""
_PART = re.compile(r"(?:\\.|[^;\\]|;(?=\S)|\\$)+")
"""A part of a line: all up to a ";" before a space, or at the end."""
_STEP = sentence(
    "Write a line for each model: its name, and what you want of it, as in 'nelson_v3; strength: "
    "0.8; triggers: off' or 'nelson_v3; off'."
)


@dataclass(frozen=True)
class PinnedModel:
    """A model that was picked by hand, and how it is used."""

    reference: Reference
    strength: float | None = None
    """Of a LoRA; None for the recommended one."""
    on: bool = True
    """Whether it is used; else it is only remembered."""
    triggers: tuple[str, ...] | None = None
    """Those that go into the prompt; None for the model's first one."""

    def on_card(self, card: Card) -> Card:
        """Its card with the trigger first that goes into the prompt; without any if none does."""
        if self.triggers is None:
            return card
        others = [one for one in card.triggers if one not in self.triggers]
        return replace(card, triggers=(*self.triggers, *others) if self.triggers else ())

    def to_line(self) -> str:
        """The model's line."""
        said = [(key, getattr(self.reference, name)) for key, name in _REFERENCE.items()]
        known = [f"{key}: {_escaped(value)}" for key, value in said if value]
        parts = known[:1]
        if self.strength is not None:
            parts.append(f"strength: {self.strength:g}")
        if not self.on:
            parts.append("off")
        if self.triggers is not None:
            parts.append(f"triggers: {_escaped(', '.join(self.triggers)) or 'off'}")
        return "; ".join([*parts, *known[1:]])


@dataclass(frozen=True)
class PinnedModels:
    """The models that were picked by hand for a request."""

    models: tuple[PinnedModel, ...]
    request: str | None = None
    """None for any request."""
    answers: tuple[str, ...] = ()
    """The answers to the questions before the choice."""

    def __str__(self) -> str:
        """The names of the models, for a sentence."""
        names = (one.reference.name or str(one.reference) for one in self.models)
        return listed([*names], "and")

    def to_text(self) -> str:
        """Plain text; `from_text` reads it."""
        first = [request_line(self.request)] if self.request else []
        answers = [f"answer: {one_line(answer)}" for answer in self.answers]
        return "\n".join([*first, *answers, *(one.to_line() for one in self.models)])

    @classmethod
    def from_text(cls, text: str) -> PinnedModels | None:
        """The first of `all_from_text`; None for a text that names no model."""
        return next(iter(cls.all_from_text(text)), None)

    @classmethod
    def all_from_text(cls, text: str) -> tuple[PinnedModels, ...]:
        """Read what `to_text` or a person wrote: the models of each request that has some.

        Raises ValueError for a line that cannot be read, and for too many models of a request.
        """
        parts = [_Part()]
        for number, line in enumerate(text.splitlines(), 1):
            key, _, value = (part.strip() for part in line.partition(":"))
            if not line.strip():
                continue
            if (tied := request_of(line)) is not None:
                parts.append(_Part(tied))
            elif key.casefold() == "answer":
                parts[-1].answers.append(value)
            else:
                place = say("Line {number} of `chosen`", number=number)
                _read_line(line.strip(), place, parts[-1].models)
        return tuple(part.pinned() for part in parts if part.models)

    def is_for(self, request: str) -> bool:
        """Whether the models were chosen for this request, or for any request."""
        return self.request is None or self.request == one_line(request)

    @staticmethod
    def of_request(all: Sequence[PinnedModels], request: str) -> PinnedModels | None:
        """Those that were chosen for this request, else those for any."""
        counting = [one for one in all if one.is_for(request)]
        return min(counting, key=lambda one: one.request is None, default=None)


@dataclass
class _Model:
    """A model while its lines are read."""

    reference: dict[str, str] = field(default_factory=dict)
    use: dict[str, Any] = field(default_factory=dict)
    whole: bool = False
    """Whether its line has several parts, so that no other line goes on with it."""

    def goes_on_with(self, other: _Model) -> bool:
        """Whether a line that says only `other` is about this model."""
        again = self.reference.keys() & other.reference or self.use.keys() & other.use
        return not (again or self.whole or other.whole)

    def pinned(self) -> PinnedModel:
        return PinnedModel(Reference(**self.reference), **self.use)


@dataclass
class _Part:
    """The lines of one request while they are read."""

    request: str | None = None
    models: list[_Model] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)

    def pinned(self) -> PinnedModels:
        if len(self.models) > MAX_MODELS:
            raise ValueError(
                say(
                    "`chosen` names {number} models: {most} are the most.",
                    number=len(self.models),
                    most=MAX_MODELS,
                )
            )
        found = tuple(one.pinned() for one in self.models)
        return PinnedModels(found, self.request, tuple(self.answers))


def _read_line(line: str, place: str, models: list[_Model]) -> None:
    """Read one line into the last model, if it goes on with it, else into a new one."""
    parts = [part for part in map(str.strip, _PART.findall(line)) if part]
    said = _Model(whole=len(parts) > 1)
    for number, part in enumerate(parts):
        key, colon, value = (_plain(piece.strip()) for piece in part.partition(":"))
        key = key.casefold()
        if key in _REFERENCE and value:
            said.reference[_REFERENCE[key]] = _hash(value, place) if key == "sha256" else value
        elif (use := _use(key, value, place) if number or colon else None) is not None:
            said.use |= use
        elif number == 0:
            said.reference["name"] = _plain(part)
        else:
            said_of = say("{place}: '{text}' is not understood.", place=place, text=part[:70])
            raise ValueError(f"{said_of} {say(_STEP)}")
    if models and models[-1].goes_on_with(said):
        models[-1].reference |= said.reference
        models[-1].use |= said.use
    elif said.reference:
        models.append(said)
    else:
        unnamed = say("{place}: '{text}' names no model.", place=place, text=line[:70])
        raise ValueError(f"{unnamed} {say(_STEP)}")


def _use(key: str, value: str, place: str) -> dict[str, Any] | None:
    """What a part says of how the model is used; None if it says nothing of it."""
    if key in ("on", "off") and not value:
        return {"on": key == "on"}
    if key == "triggers":
        off = value.casefold() in ("off", "")
        return {"triggers": () if off else tuple(filter(None, map(str.strip, value.split(","))))}
    if key != "strength" and value:
        return None
    try:
        strength = float(value or key)
    except ValueError:
        strength = math.nan
    if abs(strength) <= MAX_STRENGTH:
        return {"strength": strength}
    if key == "strength":
        raise ValueError(
            say(
                "{place}: '{text}' is no strength: write a number from -{most} to {most}, such as "
                "0.8.",
                place=place,
                text=value[:70],
                most=MAX_STRENGTH,
            )
        )
    return None


def _hash(text: str, place: str) -> str:
    digits = text.casefold().removeprefix("0x")
    if not re.fullmatch(rf"[0-9a-f]{{{SHORT_HASH},64}}", digits):
        raise ValueError(
            say(
                "{place}: 'sha256: {text}' is no hash: give the file's SHA-256, or its first "
                "{digits} digits.",
                place=place,
                text=text[:70],
                digits=SHORT_HASH,
            )
        )
    return digits


def _escaped(value: str) -> str:
    """A value as it stands in a line."""
    return re.sub(r"[;\\]", r"\\\g<0>", " ".join(value.splitlines()))


def _plain(value: str) -> str:
    return re.sub(r"\\([;\\])", r"\1", value)
