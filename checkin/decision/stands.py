"""Whether a noun phrase of a request stands for a model, or only for something that is drawn."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ..catalog.subject_key import Match, SubjectKey
from ..language.phrases import Mention
from ..language.segments import JOINS, Segment
from ..lexicon.english import word_set
from ..lexicon.spelling import is_english
from .evidence import GENERIC, SMALL, Ground, GroundedSegment
from .features import NAMES
from .grounded import Grounded
from .likelihood import probability

A_NAME = 0.9
"""From this strength on, a word is in the name of a model."""
WHOLE, _HALF = 0.99, 0.45
"""The share of its name by which a model is called wholly, or by about half of it."""
_LEAST_SCENE, _LEAST_CLAUSE = 0.5, 0.6
"""The least likelihood of a model that a place of the scene, or a further clause, stands for."""
NAMED = NAMES.index("named")
"""The feature that says by what share of its name a card is called."""
_ARTICLES = {"a", "an", "the", "this", "that"}
_DONE = word_set("words", "done for")
_RELATIVES = word_set("words", "relatives")
_OWNERS = {"my", "our", "her", "his", "their"}


def stands_for(
    case: Grounded, alone: Grounded, grounded: GroundedSegment, words: Sequence[Ground], top: int
) -> bool:
    """Whether a segment stands for its likeliest model, `top` of the candidates of it alone.

    What the request is about does, and a style. Of a scene, a name at the end does that is no
    ordinary word, and the whole name of a model, if it has two words or is somebody's ("her
    kitchen").
    """
    assert alone.found is not None
    if _is_aside(case, grounded.segment, words):
        return False
    segment, card = grounded.segment, int(alone.found.cards[top])
    chance = float(probability(alone.odds)[top])
    named = float(alone.found.values[top, NAMED])
    whole_name = _is_whole(words, alone.left.columns.called[card])
    met = [one for one in words if one.strength[card] >= A_NAME]
    ends = bool(met) and met[-1] is words[-1]  # "moss", not "the moss party"
    strange = ends and not is_english(met[-1].mention.words)
    telling = sum(
        len(one.mention.phrase)
        for one in met
        if one.mention.words not in SMALL and not GENERIC & {*one.mention.phrase}
    )
    is_look = bool(alone.left.columns.look.where(bool)[card])
    if segment.look:
        return is_look and chance >= alone.model.least
    if segment.after_in and is_look:
        style = any(one.mention.style for one in met)
        return chance >= alone.model.least and (strange or whole_name or style or len(met) > 1)
    if segment.part == "head":
        return chance >= alone.model.least
    called = (whole_name and telling > 0) or (named >= _HALF and telling > 1)
    listed = (
        ends
        and _is_joined(case, segment)
        and not _is_of(alone, words[-1], card)
        and _is_name(case, words[-1], card)
    )
    full = whole_name and any(not is_english(one.mention.words) for one in met)
    told = (called and (ends or full)) or listed  # "moss, bramble and teddy"
    if segment.part == "second" and told and chance >= _LEAST_CLAUSE:
        return True
    mine = _is_somebodys(case, segment) and (
        _in_all(case, card) >= WHOLE or _is_of(alone, words[-1], card)
    )
    whole = whole_name and (telling > 1 or (ends and _is_name(case, words[-1], card)))
    spelt_out = telling > 1 and (named >= _HALF or len(met) == len(words))
    return chance >= _LEAST_SCENE and (strange or whole or mine or spelt_out)


def _is_aside(case: Grounded, segment: Segment, words: Sequence[Ground]) -> bool:
    """Whether a segment only speaks of somebody: "built for tahlia", "becca's friend"."""
    first = min(one.first for one in segment.words)
    before = [one.words for one in case.intent.mentions if one.last < first][-2:]
    if segment.part == "scene" and before[-1:] == ["for"] and before[:1] and before[0] in _DONE:
        return True
    names = [one.mention for one in words if one.best >= A_NAME]
    last = segment.words[-1]
    return bool(names) and names[-1].owner and last is not names[-1] and last.words in _RELATIVES


def _is_whole(words: Sequence[Ground], called: Sequence[str]) -> bool:
    """Whether a segment has all words of a name, also as two: "snow globe", but not "snow"."""
    said = [word for one in words for word in one.mention.phrase]
    said += [first + second for first, second in itertools.pairwise(said)]
    return {word for word in called if word not in GENERIC} <= {*said}


def _is_somebodys(case: Grounded, segment: Segment) -> bool:
    first = min(one.first for one in segment.words)
    before = {one.words for one in case.intent.mentions if one.last == first - 1}
    return bool(before & _OWNERS) or any(one.possessive for one in segment.words)


def _is_joined(case: Grounded, segment: Segment) -> bool:
    """Whether an "and" or "+" joins a segment with a name before it."""
    first = min(one.first for one in segment.words)
    joined = any(one.last == first - 1 and one.words in JOINS for one in case.intent.mentions)
    names = [one.grounds[-1] for one in case.segments if one.grounds]
    return joined and any(one.mention.last == first - 2 and one.best >= A_NAME for one in names)


def _is_of(alone: Grounded, word: Ground, card: int) -> bool:
    """Whether a word is the subject of a model itself, not a broader word for it: "my cat"."""
    return bool(alone.left.columns.subjects.any_of(kinds_of(word.mention))[card])


def kinds_of(mention: Mention) -> set[SubjectKey]:
    """The subjects that a word says itself, not in a name or a narrower word."""
    return {key for key in mention.subject if key.match is Match.KIND}


def _in_all(case: Grounded, card: int) -> float:
    """The share of its name by which the whole request calls a card's lineage."""
    assert case.found is not None
    lineage = case.left.columns.lineage
    same = lineage[case.found.cards] == lineage[card]
    return float(case.found.values[same, NAMED].max(initial=0.0))


def _is_name(case: Grounded, word: Ground, card: int) -> bool:
    """Whether a word is used as the name of a being: without an article, "riding conker"."""
    mentions = case.intent.mentions
    before = {one.words for one in mentions if one.last == word.mention.first - 1}
    being = bool(case.left.columns.kinds.any_of(("being",))[card])
    return being and not before & _ARTICLES and not word.mention.after_punctuation
