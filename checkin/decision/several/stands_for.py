"""The words of the request that each chosen model stands for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby, pairwise
from operator import itemgetter
from typing import NamedTuple

from ...catalog.few_steps import few_steps
from ...catalog.selection import CardView
from ...language.called import Called
from ...language.phrases import Mention
from ...language.segments import JOINS
from ...lexicon import FUNCTION, STYLES, SUBJECTS
from ...lexicon.kin import KIN
from ...lexicon.model_kinds import MIXES
from ...lexicon.spelling import is_english, stems
from ..candidates.grounded import Grounded
from ..candidates.only_helps import only_helps
from ..evidence.grounder import (
    IS,
    SMALL,
    Ground,
    GroundedSegment,
)
from ..evidence.spelt import A_NAME, FIELDS
from .noun_phrases import NounPhrase

_ROUNDING = 1e-6
_KIND = FIELDS["kinds"]
_MOST_OF_NAME = 0.5
"""A look that the scene has is called by at least this share of its file name."""


class Run(NamedTuple):
    """Words that stand side by side in a segment of the request."""

    segment: int
    grounds: tuple[Ground, ...]


def words_of(case: Grounded, views: tuple[CardView, ...]) -> Mapping[int, tuple[str, ...]]:
    """Position of each model -> the words that say what it is, in the order of the request.

    Of several models, a word counts for the one that has it most.
    """
    positions = [view.position for view in views]
    words: dict[int, dict[str, None]] = {one: {} for one in positions}
    grounds = [one for segment in case.segments for one in segment.grounds if not one.generic]
    for ground in sorted(grounds, key=lambda one: one.mention.first):
        if positions and (best := _most(ground, positions)) is not None:
            words[best][ground.mention.words] = None
    return {position: tuple(said) for position, said in words.items()}


def names_of(case: Grounded, views: tuple[CardView, ...]) -> Mapping[str, Called]:
    """Id of each model -> the English words that call it, side by side in the request.

    They are in its name or say what kind of thing it is: "nelson the siamese" for nelson_xl. Models
    that the request does not call, and those that it calls by file name, have none.
    """
    positions = [view.position for view in views]
    found = {}
    for view in views:
        runs: list[Run] = []
        for with_styles in (False, True):  # "van gogh", of his portrait, if nothing else calls it
            runs = runs or list(_runs(case, view.position, positions, with_styles))
        if runs:
            best = max(runs, key=lambda run: _value(case, run, view.position))
            said = _extended(case, _with_joined(case, runs, best), view.position)
            words = tuple(word for one in said for word in one.words.split())
            found[view.id] = Called(words, _only_chooses(case, said, view))
    return found


def calls_a_helper(case: Grounded, phrase: NounPhrase) -> bool:
    """Whether a phrase is the name of what only helps, and no words of a picture: "use dmd2"."""
    card = int(phrase.found.cards[phrase.order[0]])
    named = all(one.strength[card] >= A_NAME for one in phrase.words)
    strange = any(not is_english(one.mention.words) for one in phrase.words)
    return named and (strange or len(phrase.words) > 1) and only_helps(case, card)


def _most(ground: Ground, positions: Sequence[int]) -> int | None:
    """The model that has a word most; None if none is said to be that."""
    best = max(positions, key=lambda one: float(ground.strength[one]))
    return best if ground.strength[best] >= IS else None


def _runs(case: Grounded, card: int, positions: Sequence[int], with_styles: bool) -> Iterator[Run]:
    """The longest runs of words of a segment that say what a card is, one of them its name."""
    for place, segment in enumerate(case.segments):
        grounds = [one for one in segment.grounds if one.mention.first >= 0]
        said = [
            _most(one, positions) == card
            and _may_call(case, one, card)
            and (
                not _is_style(case, one.mention, card)
                or (with_styles and len(one.mention.phrase) > 1)
            )
            for one in grounds
        ]
        for is_said, group in groupby(zip(said, grounds, strict=True), itemgetter(0)):
            run = tuple(ground for _, ground in group)
            calls = is_said and any(_calls(case, one, card) for one in run)
            if calls and not _is_of_scene(case, segment, run, card):
                yield Run(place, run)


def _is_of_scene(
    case: Grounded, segment: GroundedSegment, run: Sequence[Ground], card: int
) -> bool:
    """Whether words of the scene have too little of a look's name to call it: "in the street", of
    grimshaw_moonlit_streets.
    """
    if segment.segment.part != "scene" or segment.segment.look or segment.segment.after_in:
        return False
    if any(not is_english(one.mention.words) for one in run):
        return False  # "with portra 400", of filmgrain_portra400
    columns = case.left.columns
    met = {*columns.called[card]}.intersection(chain.from_iterable(one.spelt for one in run))
    return bool(columns.look[card]) and len(met) < _MOST_OF_NAME * len(columns.called[card])


def _may_call(case: Grounded, ground: Ground, card: int) -> bool:
    """Whether a word may stand beside one that calls a card: it says what it is, not a tag."""
    being = bool(case.left.columns.kinds.any_of(("being",))[card])
    return being or ground.generic or ground.strength[card] >= _KIND or _calls(case, ground, card)


def _calls(case: Grounded, ground: Ground, card: int) -> bool:
    """Whether a word calls a card: it is in its name, or a relative of the user ("my wife")."""
    if ground.mention.words in SMALL:
        return False
    columns = case.left.columns
    kin = ground.mention.phrase[-1] in KIN and not columns.look[card]
    in_name = not ground.spelt.isdisjoint(columns.called[card])
    return float(ground.strength[card]) > A_NAME - _ROUNDING or kin or in_name


def _is_style(case: Grounded, word: Mention, card: int) -> bool:
    """Whether a word says how a model of something else is drawn, and its trigger does not."""
    columns, one = case.left.columns, case.left.catalogue.cards[card]
    own = bool(one.subjects or one.trigger) and not columns.downloaded[card]
    plain = one.kind == "checkpoint" and not own
    draws_all = columns.look[card] or plain or few_steps(one)
    known = word.kind == "style" and word.phrase in STYLES
    return known and not draws_all and not {*word.phrase} <= {*stems(one.trigger or "")}


def _value(case: Grounded, run: Run, card: int) -> float:
    """How much a run calls a card; words of its file name count more."""
    called = case.left.columns.called[card]
    return case.segments[run.segment].importance * sum(
        one.rarity * (float(one.strength[card]) + (not one.spelt.isdisjoint(called)))
        for one in run.grounds
    )


def _with_joined(case: Grounded, runs: Sequence[Run], best: Run) -> list[Mention]:
    """The words of a run, with those of another that only "and" joins with it: "nora and finn"."""
    for one, other in pairwise(runs):
        whole = _between(case, one.grounds[0].mention, other.grounds[-1].mention)
        links = sum(word.words in JOINS for word in whole)
        beside = len(whole) == len(one.grounds) + links + len(other.grounds)
        if best in (one, other) and links == 1 and beside:
            return whole
    return _between(case, best.grounds[0].mention, best.grounds[-1].mention)


def _extended(case: Grounded, said: list[Mention], card: int) -> list[Mention]:
    """The words with those of the file name beside them: "horrible" with "little man". A small word
    counts between them only: "geralt of rivia", but "a portrait of geralt".
    """
    called = {*case.left.columns.called[card]}
    spelt = {one.mention.first: one.spelt for part in case.segments for one in part.grounds}
    mentions = case.intent.mentions
    first, last = own = mentions.index(said[0]), mentions.index(said[-1])

    def is_its(word: Mention) -> bool:
        is_named = {*word.phrase} <= called or not called.isdisjoint(spelt.get(word.first, ()))
        return is_named and not _is_style(case, word, card)

    while first and not mentions[first].after_punctuation and is_its(mentions[first - 1]):
        first -= 1
    for after in mentions[last + 1 :]:
        if after.after_punctuation or not is_its(after):
            break
        last += 1
    while first < own[0] and FUNCTION.issuperset(mentions[first].phrase):
        first += 1
    while last > own[1] and FUNCTION.issuperset(mentions[last].phrase):
        last -= 1
    return [*mentions[first : last + 1]]


def _between(case: Grounded, first: Mention, last: Mention) -> list[Mention]:
    return [one for one in case.intent.mentions if first.first <= one.first <= last.first]


def _only_chooses(case: Grounded, said: Sequence[Mention], view: CardView) -> bool:
    """Whether the words are nothing to be drawn: they call a checkpoint that the user has mixed or
    not trained, or a LoRA that only helps ("the detail tweaker", "dmd2").
    """
    card, called = view.card, case.left.columns.called[view.position]
    if card.kind != "checkpoint":
        return not card.trigger and only_helps(case, view.position)
    if all(map(_is_drawn, said)) and not _points_at_a_checkpoint(case, said):
        return False
    if case.left.columns.downloaded[view.position] or not MIXES.isdisjoint(called):
        return True
    if card.subjects or case.left.columns.trained[view.position]:
        return False
    words = [word for one in said for word in one.phrase]
    named = any(one.subject for one in said) or len(words) == 1  # a lone word may be who is drawn
    return all(map(is_english, words)) and not named


def _is_drawn(word: Mention) -> bool:
    """Whether a word is of a picture in any library: "cute creatures", of cuteCreaturesXL."""
    return word.phrase in SUBJECTS or word.phrase in STYLES or word.words in SMALL


def _points_at_a_checkpoint(case: Grounded, said: Sequence[Mention]) -> bool:
    """Whether words name what is drawn with: "on cute creatures", "the cartoon checkpoint"."""
    before = [one.words for one in case.intent.mentions if one.last == said[0].first - 1]
    on_it = before in (["on"], ["with"], ["using"], ["use"])
    return on_it or case.intent.kind in ("checkpoint", "mix")
