"""The choice among the lineages that a request may mean: models, a question, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...catalog.columns import Array
from ...catalog.few_steps import in_full
from ...catalog.selection import CardSelection
from ...language.intent import Intent
from ...lexicon.sentences import say_number
from ..evidence.features import NAMES, Candidates
from ..evidence.grounder import GENERIC
from ..evidence.likelihood import Likelihood, probability
from .builds import Builds, together
from .described import told_apart
from .said_outright import as_names_say, as_styles_say
from .small_words import as_small_words_say

MAX_TOGETHER = 3
"""The most models that are used together."""
_NO_STYLES = frozenset("photo photograph picture drawing painting".split())
"""Words for a picture that need no model of that style."""
_POINTED_AT = 0.6
"""Where the user speaks of a model as one that is there, it needs only this share."""
_WHOLE, _SURE = 0.9, 0.8
"""A model that covers so much of the head needs only this share of the least likelihood."""
_NAME_MASS = NAMES.index("name_mass")
_SCENE_FURTHER = 0.3
_NEIGHBOURS = 3
"""How many models after the picked one a superlative's row has."""


@dataclass(frozen=True)
class Choice:
    """What is chosen: models that are drawn together, or those that a question is about."""

    outcome: Literal["select", "clarify", "no_match"]
    positions: tuple[int, ...] = ()
    row: tuple[int, ...] = ()
    """If a superlative decided: the picked model and its neighbours in that order."""
    why: str = ""


class Chooser:
    """Chooses among the cards that passed the gates."""

    def __init__(
        self, left: CardSelection, intent: Intent, model: Likelihood, meets: Array | None = None
    ):
        self.left, self.intent, self.model = left, intent, model
        self.meets = np.zeros(len(left.columns.created_us), bool) if meets is None else meets
        self.columns, self.builds = left.columns, Builds(left, intent)
        self._words = {word.words for word in intent.mentions}

    def choose(self, found: Candidates | None, odds: Array) -> Choice:
        """Choose by the log-odds of the candidates."""
        if found is None:
            return Choice("no_match")
        chance = probability(odds)
        ranked = np.argsort(-odds, kind="stable")
        top = int(ranked[0])
        whole = found.values[top, NAMES.index("cover_head")] >= _WHOLE
        least = self.model.least * (_SURE if whole else 1.0)
        least *= _POINTED_AT if self.intent.points else 1.0
        if chance[top] < least:
            return Choice("no_match")
        if self.meets[found.cards[top]]:
            return self._of_described(found, odds, chance)
        if self.intent.order:
            near = [i for i in ranked if chance[i] >= self.model.least_ordered * chance[top]]
            return self.ordered(np.concatenate([self.builds.of(int(found.cards[i])) for i in near]))
        parts = self._parts(found, odds, chance, ranked.tolist())
        if len(parts) > 1:
            parts = [_of_one_part(found, part, parts) for part in parts]
        if len(parts) > 1 and self.intent.alternatives:
            cards = [int(found.cards[part[0]]) for part in parts]
            return Choice("clarify", tuple(self.builds.best_of(one) for one in cards))
        if len(parts) > 1 and (joined := self._together(found, parts)):
            return Choice("select", joined)
        rivals = in_full([int(found.cards[i]) for i in parts[0]], self.columns, self._words)
        rivals = as_names_say(rivals, self.columns, self.intent)
        rivals = as_styles_say(rivals, self.columns, self.intent)
        rivals = as_small_words_say(rivals, self.columns, self.intent.mentions)
        if len(rivals) > 1:
            return Choice("clarify", tuple(self.builds.best_of(one) for one in rivals))
        versions = self.builds.versions(rivals[0])
        return Choice("clarify" if len(versions) > 1 else "select", tuple(versions))

    def _of_described(self, found: Candidates, odds: Array, chance: Array) -> Choice:
        """Choose among the described models that are what the request asks for, and those read
        from files that are as likely.
        """
        vague = bool(self.intent.unhandled)
        meeting = self.left.where(self.meets)
        meeting = meeting if vague else told_apart(self.intent, meeting)
        near = (odds >= odds.max() - self.model.margin) & (chance >= self.model.least_rival)
        near &= ~self.meets[found.cards]
        others = [self.builds.of(card) for card in found.cards[near].tolist()]
        left = self.left.at(np.concatenate([meeting.positions, *others]))
        if self.intent.order and not vague:
            return self.ordered(left.positions)
        best = [self.builds.best(one.positions) for one in left.lineages().members()]
        return Choice("select" if len(best) == 1 else "clarify", tuple(best))

    def lacking_styles(self, card: int) -> tuple[str, ...]:
        """The words for styles that the request names and the card, which has others, lacks."""
        if not self.columns.raw_styles[card]:
            return ()
        styles = self.columns.styles
        return tuple(
            term.words
            for term in self.intent.styles
            if not styles.any_of(term.keys)[card] and term.words not in _NO_STYLES
        )

    def ordered(self, positions: Array) -> Choice:
        """Pick by date or version, as the superlative says."""
        order, columns = self.intent.order, self.columns
        assert order
        good = columns.state_code[positions] < 2
        if not order.newest:  # dubu_old is no bad one, but the first
            cards = self.left.catalogue.cards
            for place in np.flatnonzero(~good).tolist():
                good[place] = cards[positions[place]].name.casefold().endswith("old")
        usable = positions[good]
        saves = self.builds.saves(usable) & (columns.state_code[usable] < 2)
        pool = usable[~saves] if len(usable) else positions
        key = columns.order
        if order.by == "version":
            numbered = pool[columns.numbered[pool]]
            pool, key = (numbered, columns.number_rank) if len(numbered) else (pool, key)
        else:
            dated = pool[columns.dated[pool]]
            pool = dated if len(dated) else pool
        pool = pool[np.lexsort((columns.order[pool], key[pool]))]
        pool = pool[::-1] if order.newest else pool
        if order.n > len(pool):
            why = say_number(
                len(pool),
                "There is only {number}, so none is the {order}.",
                "There are only {number}, so none is the {order}.",
                order=self.intent.said_order(order),
            )
            return Choice("no_match", why=why)
        row = pool[max(order.n - 2, 0) : order.n + _NEIGHBOURS]
        return Choice("select", (int(pool[order.n - 1]),), tuple(row.tolist()))

    def _parts(
        self, found: Candidates, odds: Array, chance: Array, ranked: Sequence[int]
    ) -> list[list[int]]:
        """Candidates by the part of the request that they stand for; rivals share a part."""
        parts = [[ranked[0]]]
        for one in ranked[1:]:
            part = next((part for part in parts if _overlap(found, part[0], one)), None)
            if part:
                near = odds[part[0]] - odds[one] <= self.model.margin or self._other_look(
                    int(found.cards[part[0]]), int(found.cards[one])
                )
                if near and chance[one] >= self.model.least_rival:
                    part.append(one)
            elif (
                chance[one] >= self.model.least_further
                and (chance[one] >= _SCENE_FURTHER or found.in_head[one])
                and found.values[one, _NAME_MASS] >= 0.3
                and not found.words[one] <= GENERIC
                and len(parts) < MAX_TOGETHER
                and self._may_join(found, parts, one)
            ):
                parts.append([one])
        return parts

    def _may_join(self, found: Candidates, parts: list[list[int]], one: int) -> bool:
        """Whether a model may stand for a further part of the request.

        Of one noun phrase ("a watercolour bear"), only a style without a subject may.
        """
        card = int(found.cards[one])
        style = bool(self.columns.look[card]) and not self.columns.display_subjects[card]
        return style or all(found.segment[part[0]] != found.segment[one] for part in parts)

    def _other_look(self, one: int, other: int) -> bool:
        """Whether two cards are of one subject and are said to have different styles, and the
        request does not say the style of the one alone.
        """
        columns = self.columns
        subjects, styles = columns.raw_subjects, columns.raw_styles
        said = [columns.styles.any_of(term.keys) for term in self.intent.styles]
        return not any(has[one] and not has[other] for has in said) and bool(
            subjects[one]
            and subjects[other]
            and subjects[one][0].casefold() == subjects[other][0].casefold()
            and styles[one]
            and styles[other]
            and not {*map(str.casefold, styles[one])} & {*map(str.casefold, styles[other])}
            and not (
                self.intent.origin == "trained"
                and columns.downloaded[other]
                and not columns.downloaded[one]
            )
        )

    def _together(self, found: Candidates, parts: list[list[int]]) -> tuple[int, ...]:
        """Builds of the first of each part that fit one base model; empty if none do."""
        if len(parts[0]) > 1:
            return ()
        firsts = [int(found.cards[part[0]]) for part in parts]
        return together(self.columns, [self.builds.by_base(self.builds.of(one)) for one in firsts])


def _of_one_part(found: Candidates, part: list[int], parts: list[list[int]]) -> list[int]:
    """The rivals of a part without those that also stand for another part: a model of both."""
    others = [other[0] for other in parts if other is not part]
    return [
        one
        for one in part
        if one == part[0] or not any(found.words[one] & found.words[other] for other in others)
    ]


def _overlap(found: Candidates, one: int, other: int) -> bool:
    if found.words[one] & found.words[other]:
        return True
    return bool(found.segment[one] == found.segment[other]) and not (
        found.words[one] and found.words[other]
    )
