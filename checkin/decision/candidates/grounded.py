"""A request, grounded in a library: where its words stand in the cards.

Few things filter (gates); every other word is looked for in the cards, and lineages are compared by
how likely they are meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import chain

import numpy as np

from ...catalog.columns import Array
from ...catalog.duplicates import without_duplicates
from ...catalog.noise_pairs import without_other_halves
from ...catalog.selection import CardSelection
from ...language.intent import Intent
from ...language.phrases import Mention
from ...language.segments import segments_of
from ...lexicon.spelling import as_written
from ...user.history import Use
from ..evidence.adjacent import PICTURES
from ..evidence.features import NAMES, Candidates, candidates
from ..evidence.grounder import Ground, GroundedSegment, Grounder
from ..evidence.likelihood import Likelihood, likelihood, probability
from ..evidence.spelt import A_NAME
from ..gates.constraints import Constraint, gates_of
from .asked_looks import asked_looks
from .builds import Builds
from .choice import Chooser
from .colours import OTHER_COLOUR, of_other_colour
from .described import described, joining, meeting
from .passing import passing_gates, without_unwanted
from .senses import OTHER_SENSE, in_other_sense

_NOT_MEANT = -9.0
"""The log-odds of a downloaded model where the user speaks of their own, one of which is at least
half as likely.
"""
_ANOTHER_SUBJECT = 4.0
"""Log-odds that a model loses that has the style of a noun phrase and another subject: a dog in
watercolour is not meant by "a watercolour bear"."""
_MEETS = 0.0
"""The least log-odds of a model that people described, and that has the subject and the styles that
the request asks for. All of them are as likely."""


@dataclass(frozen=True)
class Grounded:
    """A request, grounded in a library."""

    intent: Intent
    gates: tuple[Constraint, ...]
    library: CardSelection
    left: CardSelection
    """The cards that passed all gates."""
    segments: tuple[GroundedSegment, ...]
    found: Candidates | None
    """Those of `left` for which there is evidence."""
    grounder: Grounder
    uses: tuple[tuple[datetime, int], ...]
    """When models were used: (moment, position of the card), oldest first."""
    model: Likelihood
    """What the candidates are compared by."""
    demanding: bool = True
    """Whether described models that are something else were left out."""
    answered: bool = False
    """Whether only the models are left that an answer of the user means."""
    within: CardSelection | None = None
    """The only models that are candidates; None: all."""

    @classmethod
    def of(
        cls,
        intent: Intent,
        library: CardSelection,
        grounder: Grounder,
        history: Sequence[Use] = (),
        within: CardSelection | None = None,
        model: Likelihood | None = None,
        demanding: bool = True,
    ) -> Grounded:
        """Ground an intent in a library; only cards of `within` (default: all) are candidates.

        `model`: the likelihood to choose by, default: the shipped one. Where not `demanding`,
        described models that are something else than the request asks for are candidates too.
        """
        gates = tuple(gates_of(intent))
        passing = passing_gates(intent, gates, library if within is None else within)
        segments = (
            *_named(intent, library),
            *_telling(grounder.ground(segments_of(intent.mentions)), intent.mentions),
        )
        left = without_duplicates(without_unwanted(intent, passing, grounder))
        connected = intent.connected.card if intent.connected else None
        left = without_other_halves(left, connected)
        if demanding:
            meets = meeting(intent, left)
            meets = meets if meets.any() else joining(intent, left)
            left = left.where(meets | ~described(left))
        found = candidates(segments, left, intent, grounder) if left and segments else None
        uses = positions_of(history, library) if intent.used or intent.bounds else ()
        return cls(
            intent,
            gates,
            library,
            left,
            segments,
            found,
            grounder,
            uses,
            model or likelihood(),
            demanding,
            within=within,
        )

    def read_as(self, intent: Intent) -> Grounded:
        """The same request, read in another way; what bounds it and answers said of it stay."""
        other = Grounded.of(
            intent,
            self.library,
            self.grounder,
            within=self.within,
            model=self.model,
            demanding=self.demanding,
        )
        bounds = [gate for gate in self.gates if gate.kind == "bound"]
        gates = (*other.gates, *bounds)
        return replace(other, gates=gates, uses=self.uses, answered=self.answered)

    @cached_property
    def odds(self) -> Array:
        """Float [candidates]: the log-odds that each is meant."""
        if self.found is None:
            return np.zeros(0)
        values = self.found.values
        of_another = values[:, NAMES.index("subject_misses")] * values[:, NAMES.index("style_fits")]
        about = [any(word.subject for word in one.segment.words) for one in self.segments]
        of_another = of_another * np.array(about)[self.found.segment]
        odds = self.model.of(values) - _ANOTHER_SUBJECT * of_another
        misread = in_other_sense(self.found, self.segments, self.intent, self.left)
        odds = odds - OTHER_SENSE * misread
        odds = odds - OTHER_COLOUR * of_other_colour(self.found, self.segments)
        meets = self.meets[self.found.cards]
        if meets.any():
            odds = np.where(meets, max(_MEETS, float(odds[meets].max())), odds)
        asked = asked_looks(self.found, self.segments, self.left)
        if asked.any() and odds.max() < _MEETS:  # else another model is likely anyway
            odds = np.where(asked, odds + _MEETS - odds[asked].max(), odds)
        if self.intent.origin == "trained":
            downloaded = self.left.columns.downloaded[self.found.cards]
            own = np.zeros(len(self.segments))
            np.maximum.at(own, self.found.segment[~downloaded], probability(odds[~downloaded]))
            least = np.maximum(self.model.least_rival, probability(odds) / 2)
            beaten = downloaded & (own[self.found.segment] >= least)
            odds = np.where(beaten, _NOT_MEANT, odds)
        return odds

    @cached_property
    def meets(self) -> Array:
        """Bool [all cards]: the described models that are what the request asks for."""
        intent = self.intent
        if not (intent.names or intent.subject or intent.styles):
            return np.zeros(len(self.left.columns.created_us), bool)
        return meeting(intent, self.left)

    @property
    def asked(self) -> tuple[Constraint, ...]:
        """The gates that the request sets, not a connected model or the node's base model."""
        said = any(one.what == "base model" for one in self.intent.said)
        unsaid = {"connected"} if said else {"connected", "base model"}
        return tuple(gate for gate in self.gates if gate.kind not in unsaid)

    @property
    def of_people(self) -> bool:
        """Whether people described all models that are left."""
        return bool(described(self.left)[self.left.positions].all())

    @property
    def unclear(self) -> bool:
        """Whether words that matter were not understood, or nothing is said of any model, where
        people described all models that are left (rule 8).
        """
        vague = bool(self.intent.unhandled) or self.intent.empty
        return vague and len(self.left) > 1 and self.of_people

    def used_among(self, cards: CardSelection) -> list[tuple[datetime, int]]:
        """The uses of some cards in the times of the request, oldest first."""
        periods = [period for term in self.intent.times for period in term.periods]
        mine = set(cards.positions.tolist())
        return [
            (when, position)
            for when, position in self.uses
            if position in mine and (not periods or any(when in period for period in periods))
        ]

    @cached_property
    def chooser(self) -> Chooser:
        """Chooses among the cards that are left."""
        return Chooser(self.left, self.intent, self.model, self.meets)

    @property
    def builds(self) -> Builds:
        """The builds of the lineages that are left."""
        return self.chooser.builds

    @property
    def looks(self) -> bool:
        """Whether the request speaks of a style."""
        return any(word.phrase[-1] in ("style", "look") for word in self.intent.mentions)

    @property
    def telling(self) -> bool:
        """Whether some word says which model is meant."""
        return bool(self.meets.any()) or any(
            not ground.generic
            and (one.segment.part == "head" or one.segment.look or ground.best >= A_NAME)
            for one in self.segments
            for ground in one.grounds
        )

    @property
    def head_grounds(self) -> list[Ground]:
        """The words for whom or what the request is about, and for a style."""
        return [
            ground
            for one in self.segments
            if one.segment.part != "scene" or one.segment.look
            for ground in one.grounds
        ]

    @cached_property
    def about(self) -> list[Ground]:
        """The words for whom or what the request is about first: "aunt mair and uncle wil"."""
        heads = [one.grounds for one in self.segments if one.segment.part == "head"]
        both = [ground for one in heads[:2] for ground in one]
        words = [one.mention.words for one in both]
        return both if as_written(words, self.intent.request) else [*chain(*heads[:1])]

    @cached_property
    def what(self) -> str:
        """What the request is about, as it was written."""
        return self.written(self.about)

    def written(self, grounds: Sequence[Ground]) -> str:
        """Some words of the request, as they were written."""
        words = [one.mention.words for one in grounds]
        return as_written(words, self.intent.request) or self.their(" ".join(words))

    def their(self, words: str) -> str:
        """Words of the request as the user wrote them."""
        return self.intent.their(words)


def _telling(
    segments: Sequence[GroundedSegment], mentions: Sequence[Mention]
) -> list[GroundedSegment]:
    """The segments without those that name a kind of model or picture only, where another one says
    more: "orsk, portrait".
    """
    ends = {one.first - 1 for one in mentions if one.after_punctuation}
    ends |= {one.last for one in mentions[-1:]}
    said = [one for one in segments if not _is_a_picture(one, ends)] or [*segments]
    heads = [one for one in said if one.segment.part == "head" or one.segment.look]
    empty = [one for one in heads if all(ground.generic for ground in one.grounds)]
    if len(empty) == len(heads):
        return said
    return [one for one in said if all(one is not other for other in empty)]


def _is_a_picture(segment: GroundedSegment, ends: set[int]) -> bool:
    """Whether a segment, which ends its clause, only says that there is a picture.

    `ends`: the positions of the last words of clauses.
    """
    words = segment.segment.words
    is_picture = {word.words for word in words} <= PICTURES and not segment.segment.look
    return is_picture and words[-1].last in ends


def _named(intent: Intent, library: CardSelection) -> list[GroundedSegment]:
    """A segment for each lineage that the request calls by a trigger or file name."""
    position_of, columns = library.catalogue.position_of, library.columns
    by_lineage: dict[int, list[int]] = {}
    for one in intent.names:
        position = position_of[one]
        by_lineage.setdefault(int(columns.lineage[position]), []).append(position)
    found = []
    for lineage, positions in by_lineage.items():
        strength = np.where(columns.lineage == lineage, np.float32(0.9), np.float32(0))
        strength[positions] = 1.0
        found.append(
            GroundedSegment.named(
                library.catalogue.cards[positions[0]].name,
                strength,
                frozenset(columns.called[positions[0]]),
            )
        )
    return found


def positions_of(
    history: Sequence[Use], library: CardSelection
) -> tuple[tuple[datetime, int], ...]:
    """The uses of models that are still here, a copy's as those of the file that counts."""
    content = library.columns.content
    kept = without_duplicates(library).positions.tolist()
    by_hash = {content[position]: position for position in kept if content[position]}
    by_id = library.catalogue.position_of
    found = ((use.when, by_hash.get(use.model, by_id.get(use.model))) for use in history)
    here = ((when, position) for when, position in found if position is not None)
    return tuple((when, by_hash.get(content[position], position)) for when, position in here)
