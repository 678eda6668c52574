"""The intent record: what a request asks for; each part has the user's words for it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from ..catalog.cards import Origin
from ..catalog.connected import ConnectedModel
from ..catalog.subject_key import SubjectKey
from ..lexicon import Phrase
from ..lexicon.languages import ENGLISH, Profile
from ..lexicon.sentences import spoken
from ..lexicon.spelling import stems
from .gates import Builds
from .gloss import Gloss
from .helpers import Helper
from .phrases import MYSELF, Mention
from .times.periods import Period
from .used import Used


@dataclass(frozen=True)
class Term:
    """A subject or style: any one of `keys` fits. Without keys, no card has it."""

    words: str
    keys: frozenset[Phrase | SubjectKey]


@dataclass(frozen=True)
class TimeTerm:
    """A time: a date in any of `periods` fits; with `negated`, a date in none of them."""

    words: str
    periods: tuple[Period, ...]
    negated: bool = False


VersionRelation = Literal[
    "is",
    "below",
    "above",
    "at most",
    "at least",
    "between",
    "just before",
    "just after",
    "nth",
    "newest",
]


@dataclass(frozen=True)
class VersionTerm:
    """A version, or a relation to one.

    "nth" is the build with that number, else the n-th oldest build. "newest" has no numbers, and is
    negated: "not the latest", "an older version".
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
class Bound:
    """That the model was made before, after or between other models."""

    words: str
    side: Literal["before", "after", "between"]
    others: tuple[Intent, ...]
    """What the request says of each of these models, read like a request: one, or two."""
    nearest: bool = False
    """Whether the model right beside it is meant: "the one before ..."."""


@dataclass(frozen=True)
class Said:
    """Words that a gate took, or that call a model by its file name: request[start:end]."""

    start: int
    end: int
    what: Literal[
        "name",
        "time",
        "version",
        "build",
        "base model",
        "kind",
        "origin",
        "bound",
        "added",
        "strength",
        "number",
        "helper",
    ]
    cards: tuple[str, ...] = ()
    """Ids of the models that a name calls."""


@dataclass(frozen=True)
class Added:
    """A model that a request adds in words of its own: "with the lightning lora"."""

    words: str
    intent: Intent
    """The words, read like a request."""
    sure: bool
    """Whether they speak of a model for sure: "on ragnarok" may be a place."""


@dataclass(frozen=True)
class Division:
    """A request, divided into what it is about and the models that it adds."""

    rest: Intent
    """The request without the words that add."""
    added: tuple[Added, ...]
    said: tuple[Said, ...]
    """Where the words stand that add."""
    side_by_side: bool = False
    """Whether what is added is drawn beside the rest: "the latest bear and my cat"."""

    def glossed(self, gloss: Gloss) -> Division:
        """The same of a request in another language."""
        added = (replace(one, intent=one.intent.glossed(gloss)) for one in self.added)
        return replace(self, rest=self.rest.glossed(gloss), added=tuple(added))


@dataclass(frozen=True)
class Intent:
    """What a request asks for, as far as it was understood, and the words that were not."""

    request: str
    names: tuple[str, ...] = ()
    """Ids of the cards whose trigger or name is in the request."""
    subject: Term | None = None
    others: tuple[Term, ...] = ()
    """Further subjects; each counts only if some candidate has it."""
    styles: tuple[Term, ...] = ()
    unwanted: tuple[Term, ...] = ()
    """Styles, subjects and words that the model must not have."""
    preferred: tuple[Term, ...] = ()
    """Styles and places that count only if some candidate has them ("photo of", "on the beach")."""
    times: tuple[TimeTerm, ...] = ()
    versions: tuple[VersionTerm, ...] = ()
    order: Order | None = None
    bounds: tuple[Bound, ...] = ()
    base_model: str | None = None
    other_bases: tuple[str, ...] = ()
    """Further base models that are as welcome."""
    connected: ConnectedModel | None = None
    """The model that the chosen LoRA is applied to, if one is connected."""
    unwanted_bases: tuple[str, ...] = ()
    kind: str | None = None
    builds: Builds = field(default_factory=Builds)
    origin: Origin | None = None
    """"trained": the user's own are preferred; "downloaded": only others' models."""
    unwanted_origin: str = ""
    """In which words others' models are not wanted: "downloaded", "from civitai"."""
    used: Used | None = None
    """Set if the model is meant by when it was used."""
    points: bool = False
    """Whether the request speaks of a model as one that is there ("the one with the moth")."""
    first: bool = False
    """Whether it speaks of the first of all models in its `order` ("my newest lora")."""
    strengths: tuple[tuple[float, int], ...] = ()
    """(strength of a LoRA, where the request, in English, says it)."""
    helpers: tuple[Helper, ...] = ()
    """LoRAs that are asked for by what they do."""
    details: tuple[str, ...] = ()
    """Words that describe the subject and are in no table ("red", "fluffy")."""
    scenery: tuple[str, ...] = ()
    """Words for what is around the subject."""
    missing: str | None = None
    """The subject that is asked for, if clearly no card has it."""
    unhandled: tuple[str, ...] = ()
    """Words that matter and were not understood."""
    mentions: tuple[Mention, ...] = field(default=(), compare=False, repr=False)
    """All phrases of the request that no gate took."""
    language: Profile = field(default=ENGLISH, repr=False)
    """The language of the request; `language.known` says whether its words were understood."""
    gloss: Gloss | None = field(default=None, repr=False)
    """The request in English, where it is in another known language."""
    otherwise: Intent | None = field(default=None, compare=False, repr=False)
    """The same request with words for times read as names of models, where they are such names."""
    divisions: tuple[Division, ...] = field(default=(), compare=False, repr=False)
    """The ways to divide the request, if it may add models in words of their own.

    Of a decision: the one that it was decided by.
    """
    said: tuple[Said, ...] = field(default=(), compare=False, repr=False)
    """Where the words stand that gates took."""

    def glossed(self, gloss: Gloss) -> Intent:
        """The same of a request in another language, whose English was read."""
        mentions = (replace(one, typed=stems(gloss.their(one.words))) for one in self.mentions)
        return replace(self, gloss=gloss, mentions=tuple(mentions))

    def their(self, words: str) -> str:
        """Words of the request as the user wrote them, who may write in another language; "me" for
        the "myself" that is read for it.
        """
        if self.gloss:
            return self.gloss.their(words)
        return "me" if words == MYSELF and words not in self.request.casefold() else words

    def said_order(self, order: Order) -> str:
        """A superlative in a sentence: in English where that is spoken, else as it was written."""
        return order.words if spoken() == "en" else self.their(order.words)

    @property
    def english(self) -> str:
        """The text that was read: places of `said` are places in it."""
        return self.gloss.text if self.gloss else self.request

    @property
    def alternatives(self) -> bool:
        """Whether an "or" joins what is named: one of it is meant."""
        return any(one.words == "or" for one in self.mentions)

    @property
    def empty(self) -> bool:
        """Whether nothing in the request says which model is meant."""
        constraints = (
            self.names,
            self.subject,
            self.styles,
            self.unwanted,
            self.times,
            self.versions,
            self.order,
            self.bounds,
        )
        return not any(constraints) and not (self.base_model or self.kind or self.missing)
