"""What Check-in answers: a model, a question, or that nothing fits."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from ..catalog.cards import Card
from ..catalog.connected import ConnectedModel
from ..catalog.pinned import PinnedModel
from ..language.drawn import Piece
from ..language.intent import Intent
from ..user.context import Context
from .gates.constraints import Constraint

Outcome = Literal["select", "clarify", "no_match"]


@dataclass(frozen=True)
class Choice:
    """One answer that is offered.

    `label` is what is stored as the answer, in English or in words of the model. It names a file or
    an id only if nothing else tells the models apart.
    """

    label: str
    detail: str
    """One line on what is behind this choice: "3 models, the newest from 11 April 2025"."""
    preview: str | None
    """Path of a picture of the model that this choice leads to."""
    card_ids: tuple[str, ...]
    """The cards that are left if this is chosen."""
    shown: str = ""
    """The label in the user's language; that of an answer reads the same in all."""

    def __post_init__(self) -> None:
        if not self.shown:
            object.__setattr__(self, "shown", self.label)


@dataclass(frozen=True)
class Question:
    """One short question, with 2 to 4 choices."""

    text: str
    choices: tuple[Choice, ...]
    attribute: str
    """The attribute that is asked about.

    It is "subject", "style", "month", "version", "base_model", "kind" or "model".
    """


@dataclass(frozen=True)
class NearMiss:
    """A card that would fit if one or a few constraints were dropped."""

    card: Card
    dropped: str
    """What is dropped, in words ("December", "watercolour").

    Empty if the model has all words of what the request is about, but is not sure to be meant.
    """
    unsaid: bool = False
    """Whether those are words that the model does not have, no demands that it fails."""
    met: str = ""
    """Which words of the request it has where: "'beach' in its name"."""

    def misfits(self, model: ConnectedModel | None) -> bool:
        """Whether it cannot be loaded on `model`, which is connected."""
        return model is not None and model.words in self.dropped


@dataclass(frozen=True)
class Addition:
    """A model that can be used together with those that were selected."""

    card: Card
    words: str
    """The words of the request that name it."""


@dataclass(frozen=True)
class UsedModel:
    """One model of a decision, and how it is used."""

    pinned: PinnedModel
    """The model as a workflow names it, and what the user said of its use."""
    card: Card | None
    """As it is in the library; None if it is not here."""
    strength: float = 1.0
    """At which it is applied, if it is a LoRA: what the user said, else what is recommended."""
    words: tuple[str, ...] = ()
    """The words of the request that it stands for, as far as they are known."""
    part: tuple[str, ...] = ()
    """The words of the request that ask for it, also those that only choose it."""
    called: tuple[str, ...] = ()
    """The triggers by which the request calls it: its first, or those of a variant."""
    near: tuple[NearMiss, ...] = ()
    """The nearest models, if it is not here."""
    others: tuple[Card, ...] = ()
    """Models that can take its place, at most 3."""

    @property
    def on(self) -> bool:
        """Whether it is loaded."""
        return self.pinned.on

    @property
    def triggers(self) -> tuple[str, ...]:
        """Those that go into the prompt if it is on: as called, unless the user said which."""
        return self.called if self.pinned.triggers is None else self.pinned.triggers

    @property
    def as_used(self) -> Card | None:
        """The card with the strength and the triggers that are used."""
        pinned = replace(self.pinned, triggers=self.triggers)
        return self.card and replace(pinned.on_card(self.card), strength=self.strength)


@dataclass(frozen=True)
class Region:
    """The part of the picture in which one subject is drawn, with its LoRAs alone.

    Parts are upright stripes of one width, from left to right.
    """

    name: str
    """For people: "left"."""
    card_ids: tuple[str, ...]
    """The subject's LoRA, and those of what it wears or holds."""
    prompt: str
    """What the prompt says of it."""
    start: float
    """Its left side, as a share of the picture's width."""


@dataclass(frozen=True)
class ServingPlan:
    """How to run the chosen model. It never influences which model is chosen."""

    preset: str
    """Name of a TAQ preset ("W8A8", "W4A8"); "none" for full precision."""
    why: str
    steps: int | None = None
    """Sampling steps."""
    stage: Literal["preview", "final"] = "final"
    width: int | None = None
    height: int | None = None
    """Pixels of a picture that the model is good at."""
    cfg: float | None = None
    """Classifier-free guidance."""
    made_for: str = ""
    """Where the settings come from: "cfg: the card of demo_base; the rest: usual for SD 1.5"."""
    sampler: str | None = None
    scheduler: str | None = None
    """The host's names of sampler and scheduler."""
    clip_skip: int | None = None
    """As the host counts: -1 is CLIP's last layer, -2 the one before."""
    negative: str | None = None
    """A negative prompt."""


@dataclass(frozen=True)
class Decision:
    """The outcome of one request."""

    outcome: Outcome
    request: str
    why: str
    """One sentence for the user."""
    intent: Intent
    serving: ServingPlan
    constraints: tuple[Constraint, ...] = field(default=(), compare=False, repr=False)
    """The constraints that the intent sets for models."""
    card: Card | None = None
    """The first selected model, with the strength at which it is used, as `further` are."""
    further: tuple[Card, ...] = ()
    """LoRAs that are used together with `card`: a style for it, a second subject."""
    models: tuple[UsedModel, ...] = ()
    """The models with what the user can change: also those picked by hand that are off or missing.
    """
    base: Card | None = None
    """The checkpoint to load a LoRA on, or the connected model.

    None for a checkpoint, and if the repository has no fitting one.
    """
    prompt: str | None = None
    """What is drawn of the request, with the model's trigger; None unless a model was selected."""
    regions: tuple[Region, ...] = ()
    """Where the subjects are drawn, if there are several and each has its own part."""
    pieces: tuple[Piece, ...] = ()
    """The prompt in pieces, with the words of the request that only chose the model, and are not in
    the prompt, where they stood.
    """
    question: Question | None = None
    unheard: tuple[str, ...] = ()
    """The answers that were not understood; they do not count."""
    heard: tuple[tuple[str, str], ...] = ()
    """The answers that name a choice, or give its number, each with that choice in the user's
    language.
    """
    near: tuple[NearMiss, ...] = ()
    near_words: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Where nothing fits: words of the request that no card has, with the words of the library that
    are nearest."""
    others: tuple[Card, ...] = ()
    """Runners-up of the selected model, at most 3: they meet the request's demands too, but after a
    pick by hand they may only be like the picked one."""
    additions: tuple[Addition, ...] = ()
    """Models, at most 3, that other words of the request name: they are used if the user says so.
    """

    @property
    def cards(self) -> tuple[Card, ...]:
        """All selected models, the first of them `card`."""
        return (self.card, *self.further) if self.card else ()

    context: Context = field(default_factory=Context)
    """What the serving plan was made from."""
    notices: tuple[str, ...] = ()
    """What else the user should know ("no embedder installed: ordering by words alone")."""
    offered_name: str = ""
    """Words of the request that `card`, picked by hand or by an answer, could be called by from now
    on; "" for none."""
    asked: tuple[bool, ...] = ()
    """Of each question to a language model, whether an answer came."""
