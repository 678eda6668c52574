"""A reference: how a workflow names one model so that it is found again on another machine.

It holds no path.
"""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass, fields

from ..lexicon.sentences import say, sentence
from .card_facts import version_number
from .cards import Card
from .facts import TRUSTED_HASH_SOURCES

_TELLING = ("name", "trigger", "lineage", "version", "id")
"""The fields that tell models apart. The id follows from the folders of one machine."""
_ENOUGH = 2
"""How many of these fields must agree, if the reference has that many.

One is not enough: many models have the trigger "sks dog" or the version 1.
"""
SHORT_HASH = 10
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
    """Of a model with a file a hash of the id, in older workflows the id itself."""

    @classmethod
    def of(cls, card: Card) -> Reference:
        """The reference to the model of a card."""
        said = {field.name: getattr(card, field.name) for field in fields(cls)}
        if card.path:  # the id is made of the names of folders, which may name a client
            said["id"] = _hidden(card.id)
        return cls(**said)

    def __str__(self) -> str:
        """The model's name, for a sentence."""
        called = self.name or self.trigger or self.id or say("the model")
        return f"{called} (sha256 {self.sha256[:SHORT_HASH]}…)" if self.sha256 else called

    def same_content(self, card: Card) -> bool:
        """Whether the card's file has the hash that the reference names; it was computed."""
        return self.claims_content(card) and _is_computed(card)

    def claims_content(self, card: Card) -> bool:
        """Whether that hash stands on the card; a sidecar may have it from another model."""
        return bool(self.sha256 and card.sha256 and card.sha256.startswith(self.sha256))

    def agreeing(self, card: Card) -> list[str]:
        """The fields that tell models apart and agree with the card: "name", "trigger"."""
        return [name for name in _TELLING if getattr(self, name) and self._agrees(name, card)]

    def differing(self, card: Card) -> str | None:
        """What rules out that the card is the model that is meant; None if nothing does.

        It is named in words: "version 3", "the same content".
        """
        if self.sha256 and card.sha256 and not self.claims_content(card) and _is_computed(card):
            return say("the same content")
        for name, said in (
            ("version", sentence("version {version}")),
            ("trigger", "{trigger}"),
            ("base_model", sentence("base model {base_model}")),
            ("kind", "{kind}"),
        ):
            theirs = card.triggers if name == "trigger" else getattr(card, name)
            if getattr(self, name) and theirs and not self._agrees(name, card):
                return say(said, **{name: getattr(self, name)})
        return None

    def fits(self, card: Card) -> bool:
        """Whether the card is probably the model that is meant.

        It has the same content; or no field differs, and it claims that content or enough agree.
        """
        if self.same_content(card):
            return True
        if self.differing(card):
            return False
        stated = sum(1 for name in _TELLING if getattr(self, name))
        enough = len(self.agreeing(card)) >= min(_ENOUGH, max(stated, 1))
        return enough or self.claims_content(card)

    def _agrees(self, name: str, card: Card) -> bool:
        if name == "trigger":
            return self.trigger in card.triggers
        if name == "id":
            return self.id in (card.id, _hidden(card.id))
        mine, theirs = str(getattr(self, name)), str(getattr(card, name) or "")
        if name == "version" and version_number(mine):
            return version_number(mine) == version_number(theirs)
        return unicodedata.normalize("NFC", mine) == unicodedata.normalize("NFC", theirs)


def _is_computed(card: Card) -> bool:
    return card.sources.get("sha256", "") in TRUSTED_HASH_SOURCES


def _hidden(card_id: str) -> str:
    """What tells an id from others and says nothing of the folders in it."""
    digest = hashlib.sha256(card_id.encode(errors="surrogatepass")).hexdigest()
    return f"#{digest[:SHORT_HASH]}"
