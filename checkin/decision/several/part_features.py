"""Features of a noun phrase and the model that it may stand for: what their odds are computed from.

"The bear in the kitchen": does "kitchen" mean a model of the library, or only a place in the
picture?
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import attrgetter

import numpy as np

from ...catalog.columns import Array
from ...catalog.subject_key import Match, SubjectKey
from ...language.model_phrases import is_verb
from ...language.phrases import Mention
from ...language.segments import JOINS, OF_BODY, Segment
from ...lexicon import DETERMINERS, ING_NOUNS, PREPOSITIONS
from ...lexicon.english import word_set
from ...lexicon.spelling import is_english
from ..candidates.grounded import Grounded
from ..evidence.features import NAMES
from ..evidence.grounder import (
    GENERIC,
    SMALL,
    Ground,
    GroundedSegment,
)
from ..evidence.likelihood import probability
from ..evidence.spelt import A_NAME

PART_NAMES = (
    "odds chance margin named named_in_all some last rarest strange look a_look look_unasked style "
    "head first late one_word pointed indefinite mine own_place joined a_name drawn_as segments"
).split()
NAMED, _LOOK_UNASKED = NAMES.index("named"), NAMES.index("look_unasked")
"""The features that say by what share of its name a card is called, and whether it is a look that
the request does not ask for."""
_MOST = 6.0
"""The most log-odds that count."""
_NEAR, _SURE = 1.0, 0.997
"""How far in log-odds another model may be behind, and the most that all of them are likely."""
_MANY = 8
"""The most segments that count."""
_ARTICLES = {"a", "an", "the", "this", "that"}
_INDEFINITE = {"a", "an", "some", "any"}
_POINTING = {"the", "that", "this", "those", "these"}
_DONE = word_set("words", "done for")
_LINKS = JOINS | word_set("beside", "links")
_RELATIVES = word_set("words", "relatives")
_ASKING = word_set("words", "asking")
_EATING = word_set("words", "eating")
_FARTHEST = 4
"""The most words between an eating and what is eaten."""


def part_features(
    case: Grounded,
    alone: Grounded,
    grounded: GroundedSegment,
    words: Sequence[Ground],
    place: int,
    order: Array,
) -> Array:
    """Float [PART_NAMES] of the `place`-th segment of a request and its likeliest candidate.

    `alone`: the segment as a request of its own; `words`: those of it that say which model is
    meant; `order`, int: its candidates, the likeliest first.
    """
    assert alone.found is not None
    segment, top = grounded.segment, int(order[0])
    card = int(alone.found.cards[top])
    met = [one for one in words if one.strength[card] >= A_NAME]
    behind = alone.odds[top] - alone.odds[order[1]] if len(order) > 1 else _MOST
    before = {*_before(case, segment)[-1:]}
    pointed = bool(before & _POINTING)
    trained = bool(case.left.columns.trained[card])
    style = any(one.mention.style for one in met)
    is_look = bool(alone.left.columns.look[card])
    first = max(segment.words[0].first, 0)
    end = max((one.last for one in case.intent.mentions), default=0) or 1
    values = {
        "odds": np.clip(_odds_of_any(alone.odds[order]), -_MOST, _MOST),
        "chance": probability(alone.odds[top]),
        "margin": min(behind, _MOST) / _MOST,
        "named": alone.found.values[top, NAMED],
        "named_in_all": _in_all(case, card),
        "some": sum(one.strength[card] > 0 for one in words) / len(words),
        "last": words[-1].strength[card],
        "rarest": max((one.rarity for one in met), default=0.0),
        "strange": any(not is_english(one.mention.words) for one in met),
        "look": segment.look,
        "a_look": is_look,
        "look_unasked": alone.found.values[top, _LOOK_UNASKED],
        "style": style,
        "head": segment.part == "head",
        "first": place == 0,
        "late": first / end,
        "one_word": len(segment.words) == 1,
        "pointed": pointed,
        "indefinite": bool(before & _INDEFINITE),
        "mine": any(one.possessive for one in segment.words),
        "own_place": pointed and trained and segment.part == "scene",
        "joined": is_joined(case, segment),
        "a_name": _is_name(case, words[-1], card),
        "drawn_as": segment.after_in and style and is_look,
        "segments": min(len(case.segments), _MANY) / _MANY,
    }
    return np.array([float(values[name]) for name in PART_NAMES])


def says_another_thing(
    grounded: GroundedSegment, words: Sequence[Ground], card: int, being: bool, name: str
) -> bool:
    """Whether a segment is of something else, though a word of it is in a model's name: "the blue
    house", "the day after the nelson party", and "poppies" where a dog is called Poppy.

    `name`: what the card is called, in lower case; "jonas" is no plural of it.
    """
    segment, last = grounded.segment, words[-1]
    if segment.part == "head" or segment.look:
        return False
    said = [one for one in grounded.grounds if one.strength[card] > 0]
    if all(one.mention.words in SMALL for one in said):
        return True
    generic = all(one.mention.phrase[-1] in GENERIC for one in said)
    if being and generic and not last.mention.possessive:
        return True  # "girl with umbrella", where some model is of a girl
    spoken = last.mention.words.split()[-1]
    plural = spoken != last.mention.phrase[-1] and spoken not in name
    if being and len(words) == 1 and plural and not last.mention.owner:
        return True
    named = last.mention.possessive or spoken in ING_NOUNS
    if len(segment.words) == 1 and spoken.endswith("ing") and not named:
        return True  # "pluis reading a book", beside reading_corner
    done = spoken.endswith(("ed", "ing"))
    return not last.strength[card] and is_english(spoken) and not done and len(said) == 1


def kinds_of(mention: Mention) -> set[SubjectKey]:
    """The subjects that a word says itself, not in a name or a narrower word."""
    return {key for key in mention.subject if key.match is Match.KIND}


def _odds_of_any(odds: Array) -> float:
    """The log-odds that the likeliest or one that is nearly as likely is meant; `odds` in order."""
    near = odds[odds[0] - odds <= _NEAR]
    chance = min(float(probability(near).sum()), _SURE)
    return float(np.log(chance / (1 - chance)))


_first, _last = attrgetter("first"), attrgetter("last")
"""The place of a mention's first word and of its last; mentions stand in this order."""


def _before(case: Grounded, segment: Segment) -> list[str]:
    mentions = case.intent.mentions
    first = min(one.first for one in segment.words)
    end = bisect_left(mentions, first, key=_last)
    return [one.words for one in mentions[max(0, end - 2) : end]]


def is_aside(case: Grounded, segment: Segment, words: Sequence[Ground]) -> bool:
    """Whether a segment only speaks of somebody or something: "built for tahlia", "becca's friend",
    "finn wants one", "for the newsletter: ...", or says what somebody does: "holding hands".
    """
    if segment.purpose:
        return True
    before = _before(case, segment)
    if segment.part == "scene" and before[1:] == ["for"] and before[0] in _DONE:
        return True
    last = segment.words[-1]
    start = bisect_right(case.intent.mentions, last.last, key=_first)
    after = [one.words for one in case.intent.mentions[start : start + 2]]
    if {*after[:1]} & _ASKING or " ".join(after) in _ASKING:
        return True
    if all(one.words in OF_BODY for one in segment.words) and (
        {*after[:1]} & PREPOSITIONS or is_verb(before[-1] if before else "")
    ):
        return True
    names = [one.mention for one in words if one.best >= A_NAME]
    return bool(names) and names[-1].owner and last is not names[-1] and last.words in _RELATIVES


def is_eaten(case: Grounded, segment: Segment) -> bool:
    """Whether a segment says what somebody eats: "eating chips and gravy" is of no dog Gravy."""
    mentions = case.intent.mentions
    first = min(one.first for one in segment.words)
    end = bisect_left(mentions, first, key=_last)
    for one in reversed(mentions[max(0, end - _FARTHEST) : end]):
        if one.words in _EATING:
            return True
        if one.after_punctuation or one.words in PREPOSITIONS:
            return False
    return False


def is_joined(case: Grounded, segment: Segment) -> bool:
    """Whether an "and", "+" or "next to" joins a segment with a name before it."""
    first = min(one.first for one in segment.words)
    names = [one.grounds[-1] for one in case.segments if one.grounds]
    ends = [one.mention.last for one in names if one.best >= A_NAME and one.mention.last < first]
    mentions = case.intent.mentions
    end = bisect_left(mentions, first, key=_last)
    start = bisect_right(mentions, ends[-1], key=_last) if ends else end
    between = [one.words for one in mentions[start:end]]
    return " ".join(one for one in between if one not in _ARTICLES) in _LINKS


def is_paired(case: Grounded, segment: Segment, cards: Array) -> bool:
    """Whether a bare name is joined with one: "graham and biscuit", whose biscuit is a dog that the
    user trained; `cards`, int: the candidates.
    """
    word, columns = segment.words[0], case.left.columns
    bare = len(segment.words) == 1 and not word.after_punctuation
    if not bare or {*_before(case, segment)[-1:]} & DETERMINERS or not is_joined(case, segment):
        return False
    called = (columns.called[card][:1] for card in cards.tolist())
    return bool(columns.trained[cards].any()) and word.phrase in called


def _in_all(case: Grounded, card: int) -> float:
    """The share of its name by which the whole request calls a card's lineage."""
    assert case.found is not None
    lineage = case.left.columns.lineage
    same = lineage[case.found.cards] == lineage[card]
    return float(case.found.values[same, NAMED].max(initial=0.0))


def _is_name(case: Grounded, word: Ground, card: int) -> bool:
    """Whether a word is used as the name of a being: without an article, "riding conker"."""
    mentions = case.intent.mentions
    start = bisect_left(mentions, word.mention.first - 1, key=_last)
    end = bisect_left(mentions, word.mention.first, key=_last)
    before = {one.words for one in mentions[start:end]}
    being = bool(case.left.columns.kinds.any_of(("being",))[card])
    return being and not before & _ARTICLES and not word.mention.after_punctuation
