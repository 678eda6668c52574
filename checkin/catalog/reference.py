"""A reference: how a workflow names one model so that it is found again on another machine.

It holds no path.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

from ..lexicon.text import one_line
from .card_facts import version_number
from .cards import Card
from .facts import TRUSTED_HASH_SOURCES
from .request_line import request_line, request_of

_KEYS = {
    "model": "name",
    "sha256": "sha256",
    "id": "id",
    "kind": "kind",
    "base model": "base_model",
    "trigger": "trigger",
    "lineage": "lineage",
    "version": "version",
}
"""Key in the text of a reference -> field of the reference."""
_TELLING = ("name", "trigger", "lineage", "version", "id")
"""The fields that tell models apart. The id follows from the folders of one machine."""
_ENOUGH = 2
"""How many of these fields must agree, if the reference has that many.

One is not enough: many models have the trigger "sks dog" or the version 1.
"""
_SHORT = 10
"""Hexadecimal digits of the short hashes that other tools show."""


@dataclass(frozen=True)
class Reference:
    """What is known about the model that is meant; at least one field is given."""

    name: str | None = None
    sha256: str | None = None
    """The SHA-256 of the file, or at least its first 10 digits."""
    kind: str | None = None
    base_model: str | None = None
    trigger: str | None = None
    lineage: str | None = None
    version: str | None = None
    id: str | None = None

    @classmethod
    def of(cls, card: Card) -> Reference:
        """The reference to the model of a card."""
        return cls(**{field.name: getattr(card, field.name) for field in fields(cls)})

    def __str__(self) -> str:
        """The model's name, for a sentence."""
        called = self.name or self.trigger or self.id or "the model"
        return f"{called} (sha256 {self.sha256[:_SHORT]}…)" if self.sha256 else called

    def same_content(self, card: Card) -> bool:
        """Whether the card's file has the hash that the reference names."""
        return bool(self.sha256 and card.sha256 and card.sha256.startswith(self.sha256))

    def agreeing(self, card: Card) -> list[str]:
        """The fields that tell models apart and agree with the card: "name", "trigger"."""
        return [name for name in _TELLING if getattr(self, name) and self._agrees(name, card)]

    def differing(self, card: Card) -> str | None:
        """What rules out that the card is the model that is meant; None if nothing does.

        It is named in words: "version 3", "the same content".
        """
        if (
            self.sha256
            and card.sha256
            and not self.same_content(card)
            and card.sources.get("sha256", "") in TRUSTED_HASH_SOURCES
        ):
            return "the same content"
        for name, said in (
            ("version", "version "),
            ("trigger", ""),
            ("base_model", "base model "),
            ("kind", ""),
        ):
            theirs = card.triggers if name == "trigger" else getattr(card, name)
            if getattr(self, name) and theirs and not self._agrees(name, card):
                return f"{said}{getattr(self, name)}"
        return None

    def fits(self, card: Card) -> bool:
        """Whether the card is probably the model that is meant.

        It has the same content, or enough fields agree and none differs.
        """
        if self.same_content(card):
            return True
        stated = sum(1 for name in _TELLING if getattr(self, name))
        return not self.differing(card) and len(self.agreeing(card)) >= min(_ENOUGH, max(stated, 1))

    def _agrees(self, name: str, card: Card) -> bool:
        if name == "trigger":
            return self.trigger in card.triggers
        mine, theirs = str(getattr(self, name)), str(getattr(card, name) or "")
        if name == "version" and version_number(mine):
            return version_number(mine) == version_number(theirs)
        return mine == theirs


@dataclass(frozen=True)
class PinnedModel:
    """A model that was chosen for a request."""

    reference: Reference
    request: str | None = None
    """None for any request."""
    answers: tuple[str, ...] = ()
    """The answers to the questions before the choice."""

    def to_text(self) -> str:
        """Plain text that a person can read and edit; `from_text` reads it."""
        first = [request_line(self.request)] if self.request else []
        said = [(key, getattr(self.reference, name)) for key, name in _KEYS.items()]
        known = [f"{key}: {' '.join(value.splitlines())}" for key, value in said if value]
        return "\n".join(
            [*first, *(f"answer: {one_line(answer)}" for answer in self.answers), *known]
        )

    @classmethod
    def from_text(cls, text: str) -> PinnedModel | None:
        """Read what `to_text` wrote; None for a text that names no model.

        A line that does not begin with a known key and a colon is the model's name. Raises
        ValueError for an invalid hash.
        """
        request, answers, known = None, [], dict[str, str]()
        for line in filter(None, map(str.strip, text.splitlines())):
            key, _, value = (part.strip() for part in line.partition(":"))
            if (tied := request_of(line)) is not None:
                request = tied
            elif key.casefold() == "answer":
                answers.append(value)
            elif value and key.casefold() in _KEYS:
                known[_KEYS[key.casefold()]] = value
            else:
                known["name"] = line
        if "sha256" in known:
            known["sha256"] = _digits(known["sha256"])
        return cls(Reference(**known), request, tuple(answers)) if known else None

    def is_for(self, request: str) -> bool:
        """Whether the model was chosen for this request, or for any request."""
        return self.request is None or self.request == one_line(request)


def _digits(text: str) -> str:
    digits = text.casefold().removeprefix("0x")
    if not re.fullmatch(rf"[0-9a-f]{{{_SHORT},64}}", digits):
        raise ValueError(
            f"'sha256: {text[:70]}' is no hash: give the file's SHA-256, or its first "
            f"{_SHORT} digits."
        )
    return digits
