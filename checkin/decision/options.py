"""The options of one check-in, apart from the request and the repository."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from ..catalog.connected import ConnectedModel
from ..catalog.pinned import PinnedModel
from ..user.context import Context
from ..user.preferences import MAX_QUESTIONS
from .reasoning.reasoner import Reasoner


@dataclass(frozen=True)
class Options:
    """What a caller may set. Nothing here is read from the request."""

    now: datetime
    """The moment that "last week" is counted from, with its time zone."""
    answers: tuple[str, ...] = ()
    """The user's answers to the questions so far: labels of choices, or free text."""
    reasoner: Reasoner | None = None
    """The language model that is asked where the evidence is not clear (rule 9)."""
    base_model: str | None = None
    """Leave out models of any other base model ("sd15", "sdxl")."""
    connected: ConnectedModel | None = None
    """The model that a LoRA is chosen for. Checkpoints are left out then."""
    best_match: bool = False
    """Take the likeliest model instead of asking."""
    what_fits: bool = False
    """Of several models that are asked for, take those that are here and fit together."""
    each_in_its_place: bool = False
    """Whether several subjects have parts of the picture of their own."""
    context: Context = field(default_factory=Context)
    """Machine, preferences and history: for the serving plan, the base of a LoRA, and what is meant
    by when it was used."""
    chosen: tuple[PinnedModel, ...] = ()
    """Models that the user picked by hand: they are taken whatever the request says."""
    used: tuple[PinnedModel, ...] = ()
    """How the user wants models to be used, if the request decides for them."""
    most_questions: int = MAX_QUESTIONS
    """Questions in a row, after which the likeliest model is taken."""
