"""Features of a lineage for a request: what its likelihood is computed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...catalog.columns import Array
from ...catalog.selection import CardSelection
from ...language.intent import Intent
from ...lexicon.kin import KIN
from ...lexicon.spelling import is_english
from .grounder import (
    GENERIC,
    IS,
    GroundedSegment,
    Grounder,
)

MAX_LINEAGES = 200
"""The most lineages, those with the most evidence, whose likelihood is computed."""
NAMES = (
    "cover_head cover_second cover_scene cover_look cover_after_in named name_mass rarest unmet "
    "unmet_head says shown_head shown_scene trained downloaded my_trained my_downloaded "
    "checkpoint rejected rel_name rel_cover rel_all exact first look_unasked unasked kin segments "
    "subject_fits subject_misses style_fits style_misses style_conflicts narrowed excluded points"
).split()


@dataclass
class Candidates:
    """The likeliest lineages for a request, each with its features."""

    cards: Array
    """int [lineages]: the build of each lineage that fits best."""
    values: Array
    """float [lineages, features]."""
    segment: Array
    """int [lineages]: the segment that each fits best."""
    in_head: Array
    """bool [lineages]: whether that segment says whom or what the request is about."""
    words: list[frozenset[str]]
    """The words of its segment that each lineage's name has."""


def candidates(
    segments: Sequence[GroundedSegment],
    selection: CardSelection,
    intent: Intent,
    grounder: Grounder,
) -> Candidates | None:
    """The lineages of a selection for which there is any evidence; None if there is none."""
    cards = _likeliest(segments, selection, intent)
    if not len(cards):
        return None
    table = _Table(segments, cards, selection, intent)
    table.cover()
    table.meet_words()
    table.meet_names(grounder)
    table.miss()
    table.describe()
    table.compare()
    table.read()
    values = np.stack([table.values[name] for name in NAMES], axis=1)
    head = np.array([one.segment.part == "head" or one.segment.look for one in segments])
    words = [frozenset(one) for one in table.own_words]
    return Candidates(cards, values, table.segment, head[table.segment], words)


def _likeliest(
    segments: Sequence[GroundedSegment], selection: CardSelection, intent: Intent
) -> Array:
    """Int [lineages]: the best fitting build of each of the MAX_LINEAGES likeliest lineages."""
    columns, positions = selection.columns, selection.positions
    evidence = np.zeros(len(positions))
    for one in segments:
        evidence += one.importance * one.cover(positions) * one.mass
    if intent.subject and intent.subject.keys:
        evidence += 0.3 * columns.subjects.any_of(intent.subject.keys)[positions]
    rejected = columns.state_code[positions] == 2
    evidence = np.where(evidence > 0, evidence - 0.05 * rejected, 0)
    best = selection.lineages().best(evidence).positions
    by_card = np.zeros(len(columns.created_us))
    by_card[positions] = evidence
    best = best[by_card[best] > 0]
    return best[np.lexsort((best, -by_card[best]))][:MAX_LINEAGES].astype(np.int64)


class _Table:
    """The features of some lineages, filled column by column."""

    def __init__(
        self,
        segments: Sequence[GroundedSegment],
        cards: Array,
        selection: CardSelection,
        intent: Intent,
    ) -> None:
        self.segments, self.cards = segments, cards
        self.intent, self.columns = intent, selection.columns
        self.values: dict[str, Array] = {name: np.zeros(len(cards)) for name in NAMES}
        self.values["narrowed"] += np.log10(len(self.columns.created_us) / len(selection))
        self.covers = np.array([one.cover(cards) for one in segments])
        """float [segments, lineages]."""
        parts = np.array([one.importance for one in segments])
        self.segment = (parts[:, None] * self.covers).argmax(axis=0)
        self.words: list[set[str]] = [set() for _ in cards]
        """The words of the request that each name has, in all spellings."""
        self.own_words: list[set[str]] = [set() for _ in cards]
        """Those of them that stand in the segment that the lineage fits best."""

    def cover(self) -> None:
        """How much of each part of the request a lineage covers."""
        values = self.values
        look = self.columns.look.where(bool)[self.cards]
        for one, cover in zip(self.segments, self.covers, strict=True):
            name = f"cover_{one.segment.part}"
            values[name] = np.maximum(values[name], cover)
            if one.segment.look:
                values["cover_look"] = np.maximum(values["cover_look"], cover * look)
            elif one.segment.after_in:
                values["cover_after_in"] = np.maximum(values["cover_after_in"], cover * look)

    def meet_words(self) -> None:
        """Where the words of the request stand in the cards."""
        values = self.values
        for one in self.segments:
            head = one.segment.part == "head" or one.segment.look
            for ground in one.grounds:
                strength = ground.strength[self.cards]
                is_name, is_said = strength >= 0.9, strength >= IS
                mass = is_name * (1.0 if head else 0.6)
                mass = mass + (is_said & ~is_name) * (0.5 if head else 0.25)
                values["name_mass"] += ground.rarity * mass
                plain = 0.6 if is_english(ground.mention.words) else 1.0
                rarest = ground.rarity * is_name * plain
                values["rarest"] = np.maximum(values["rarest"], rarest)
                weak = ground.rarity * strength * ~is_said
                if one.segment.part == "head":
                    values["says"] += weak * (strength > 0.4)
                    values["shown_head"] += weak * (strength <= 0.4)
                else:
                    values["shown_scene"] += weak
                if ground.mention.phrase[-1] in KIN:
                    values["kin"] = np.maximum(values["kin"], is_said)
                for place in np.flatnonzero(is_said):
                    self.words[place] |= ground.spelt | set(ground.mention.phrase)
                    if (head and is_name[place]) or self.segments[self.segment[place]] is one:
                        self.own_words[place].add(ground.mention.words)
        values["name_mass"] = np.minimum(values["name_mass"], 2.5)

    def meet_names(self, grounder: Grounder) -> None:
        """How much of its own name each lineage is called by, and what it is not called."""
        values = self.values
        asked = [
            {word for ground in one.grounds for word in ground.mention.phrase}
            for one in self.segments
            if one.segment.part != "scene"
        ]
        for place, card in enumerate(self.cards.tolist()):
            found = []
            for whole in grounder.names_of(card):
                told = [one for one in whole if not one.isdecimal() or one in self.words[place]]
                called = [word for word in told if word not in GENERIC] or list(whole)
                total = sum(map(grounder.rarity_of, called))
                mass = (grounder.rarity_of(one) for one in called if _met(one, self.words[place]))
                met = sum(mass)
                named = met / total if total and met > 0.3 else 0.0
                found.append((named, bool(called) and set(called) in asked, met - total))
            values["named"][place], values["exact"][place], lacks = max(found)
            values["unasked"][place] = 0.0 if values["kin"][place] else min(1.5, -lacks)

    def miss(self) -> None:
        """What of the request a lineage lacks."""
        values, segments, places = self.values, self.segments, np.arange(len(self.cards))
        heads = np.array([one.segment.part == "head" for one in segments])
        values["unmet"] = 1 - self.covers[self.segment, places]
        values["unmet_head"] = 1 - self.covers[heads].max(axis=0, initial=0.0)
        values["segments"] += min(len(segments), 8) / 8

    def describe(self) -> None:
        """What kind of model it is."""
        values, columns = self.values, self.columns
        mine = self._mine() & columns.trained.any()
        trained, downloaded = columns.trained[self.cards], columns.downloaded[self.cards]
        values["trained"], values["downloaded"] = trained * 1.0, downloaded * 1.0
        values["my_trained"], values["my_downloaded"] = trained * mine, downloaded * mine
        checkpoint = columns.kind.where(lambda kind: kind == "checkpoint")[self.cards]
        values["checkpoint"] = checkpoint * float(self.intent.kind is None)
        values["rejected"] = (columns.state_code[self.cards] == 2) * 1.0
        values["first"] = (self.segment == 0) * 1.0
        asked = np.array([one.segment.look or one.segment.after_in for one in self.segments])
        values["look_unasked"] = columns.look.where(bool)[self.cards] * ~asked[self.segment]

    def _mine(self) -> Array:
        """Bool [lineages]: whether the request says that the user's own is meant: "my bear".

        In "karlach in my car", "my" is said of the car alone.
        """
        said = self.intent.origin == "trained"
        of_mine = np.array([any(w.possessive for w in one.segment.words) for one in self.segments])
        return said & (of_mine[self.segment] | (not of_mine.any()))

    def compare(self) -> None:
        """Each lineage's evidence as a share of the most that any lineage of its segment has."""
        values = self.values
        cover = np.maximum(values["cover_head"], values["cover_look"])
        total = (
            values["cover_head"]
            + 0.5 * values["cover_second"]
            + 0.3 * values["cover_scene"]
            + 0.5 * values["name_mass"]
            + 0.5 * values["named"]
        )
        for name, of in (
            ("rel_name", values["name_mass"]),
            ("rel_cover", cover),
            ("rel_all", total),
        ):
            most = np.zeros(len(self.segments))
            np.maximum.at(most, self.segment, of)
            values[name] = of / np.where(most[self.segment] > 0, most[self.segment], 1.0)

    def read(self) -> None:
        """How the cards fit what the request calls its subject and its styles."""
        values, columns, intent = self.values, self.columns, self.intent
        if intent.subject and intent.subject.keys:
            fits = columns.subjects.any_of(intent.subject.keys)[self.cards]
            values["subject_fits"] += fits
            values["subject_misses"] += columns.subjects.filled[self.cards] & ~fits
        for term in intent.styles:
            fits = columns.styles.any_of(term.keys)[self.cards]
            values["style_fits"] += fits / len(intent.styles)
            values["style_misses"] += ~fits / len(intent.styles)
            conflicts = columns.styles.filled[self.cards] & ~fits
            values["style_conflicts"] += conflicts / len(intent.styles)
        values["excluded"] += float(bool(intent.unwanted))
        values["points"] += float(intent.points)


def _met(word: str, words: set[str]) -> bool:
    return word in words or any(
        min(len(word), len(other)) > 3 and (word.startswith(other) or other.startswith(word))
        for other in words
    )
