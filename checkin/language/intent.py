"""The intent record: what a request asks for, each part with the user's words for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..lexicon import Phrase
from .times.periods import Period


@dataclass(frozen=True)
class Term:
    """A subject or look: any of `keys` will do; no keys means that no card has it."""

    words: str
    keys: frozenset[Phrase]


@dataclass(frozen=True)
class TimeTerm:
    """A time: any of `periods` will do, or with `negated` none of them."""

    words: str
    periods: tuple[Period, ...]
    negated: bool = False


VersionRelation = Literal[
    "is", "below", "above", "at most", "at least", "between", "just before", "just after", "nth"
]


@dataclass(frozen=True)
class VersionTerm:
    """A version, or how it stands to one; "nth" is the build of that number, or else the n-th
    oldest.
    """

    words: str
    relation: VersionRelation
    numbers: tuple[tuple[int, ...], ...]
    negated: bool = False


@dataclass(frozen=True)
class Order:
    """A superlative: the n-th newest (or oldest), or the n-th highest (or lowest) version."""

    words: str
    newest: bool = True
    n: int = 1
    by: Literal["date", "version"] = "date"


@dataclass(frozen=True)
class Intent:
    """What was understood of a request, and what was not."""

    request: str
    names: tuple[str, ...] = ()
    """Ids of the cards whose trigger or name stands in the request."""
    subject: Term | None = None
    others: tuple[Term, ...] = ()
    """Further subjects: they count only where a card has them too."""
    styles: tuple[Term, ...] = ()
    unwanted: tuple[Term, ...] = ()
    """Looks, subjects and words that the model must not have."""
    preferred: tuple[Term, ...] = ()
    """Looks and places that decide only where a card has them ("photo of", "on the beach")."""
    times: tuple[TimeTerm, ...] = ()
    versions: tuple[VersionTerm, ...] = ()
    order: Order | None = None
    base_model: str | None = None
    kind: str | None = None
    details: tuple[str, ...] = ()
    """Words that describe the thing, without a meaning of their own here ("red", "fluffy")."""
    scenery: tuple[str, ...] = ()
    """Words for what is around the thing."""
    missing: str | None = None
    """The thing asked for, when clearly no card is one."""
    unhandled: tuple[str, ...] = ()
    """Words that matter and were not understood."""

    @property
    def empty(self) -> bool:
        """True when nothing in the request says which model is meant."""
        constraints = (
            self.names,
            self.subject,
            self.styles,
            self.unwanted,
            self.times,
            self.versions,
            self.order,
        )
        return not any(constraints) and not (self.base_model or self.kind or self.missing)
