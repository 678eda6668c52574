"""Models that a request calls by their whole name, across noun phrases: "asleep at his desk"."""

from __future__ import annotations

from collections.abc import Iterator

from ...lexicon import FUNCTION
from ...lexicon.spelling import split
from ..evidence.grounder import GENERIC, SMALL
from .grounded import Grounded

_MOST_BETWEEN = 2
"""The most other words within a name."""
_LEAST = 3
"""The fewest words of a name that stands in a request word for word."""


def called_whole(case: Grounded) -> Iterator[tuple[int, set[int]]]:
    """The candidates of whose names all telling words are said near one another, but not in one
    noun phrase, each with the places of these phrases; the likeliest first.
    """
    if case.found is None:
        return
    mentions = [
        (one.mention, place)
        for place, segment in enumerate(case.segments)
        for one in segment.grounds
        if one.mention.first >= 0
    ]
    for card in case.found.cards[(-case.odds).argsort(kind="stable")].tolist():
        name = {*case.left.columns.called[card]} - FUNCTION - GENERIC
        said = [(one, place) for one, place in mentions if name & {*one.phrase, one.words}]
        words = {word for one, _ in said for word in (*one.phrase, one.words)}
        if len(name - SMALL) < 2 or not name <= words:
            continue
        first, last = min(one.first for one, _ in said), max(one.last for one, _ in said)
        places = {place for _, place in said}
        if len(places) > 1 and last - first < len(name) + _MOST_BETWEEN:
            yield card, places


def word_for_word(case: Grounded) -> Iterator[tuple[int, int]]:
    """The cards whose names, small words and all, stand in the request: back_to_back; each with the
    place of the noun phrase after which it stands.

    Of such a name, no word may be one by which a noun phrase finds it.
    """
    said = [one.stem for one in split(case.intent.english)]
    columns = case.left.columns
    codes = columns.called.codes[case.left.positions]
    for code, name in case.grounder.small_worded:
        if len(name) < _LEAST or name[0] not in said:
            continue
        starts = [at for at in range(len(said)) if tuple(said[at : at + len(name)]) == name]
        cards = case.left.positions[codes == code]
        if starts and len(cards):
            before = [
                place
                for place, one in enumerate(case.segments)
                if one.segment.words[0].first < starts[0]
            ]
            yield case.builds.best(cards), max(before, default=0)
