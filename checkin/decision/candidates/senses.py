"""Words that are the personal name of some model and an ordinary word: "rose", "ink", "hunter"."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...catalog.columns import Array
from ...catalog.facts import Columns
from ...catalog.selection import CardSelection
from ...catalog.subject_key import Match, SubjectKey
from ...language.gates import Builds
from ...language.intent import Intent
from ...language.phrases import Mention
from ...lexicon import CONJUNCTIONS, DETERMINERS, PREPOSITIONS
from ...lexicon.kin import KIN
from ...lexicon.spelling import is_english
from ..evidence.features import Candidates
from ..evidence.grounder import IS, LACKED, GroundedSegment
from ..evidence.spelt import A_NAME

_ADJECTIVES = 5
"""How far before a word its article is looked for: "a big mule deer buck"."""
_APART = DETERMINERS | PREPOSITIONS | CONJUNCTIONS | {"of", "with", "from", "for"}
OTHER_SENSE = 6.0
"""Log-odds that a model loses whose name is a word that the request uses in another sense."""


def is_personal(columns: Columns, word: str) -> Array:
    """Bool [cards]: whether a word is the whole name of a being of another kind, but for a word for
    a relative: "rose" of a woman, "odd" of onkel_odd, and not "bear" of a bear.
    """
    keys = [SubjectKey((word,), match) for match in (Match.KIND, Match.EXACT)]
    named = called_so(columns, word, lambda own: [one for one in own if one not in KIN] == [word])
    return named & columns.kinds.any_of(("being",)) & ~columns.subjects.any_of(keys)


def called_so(columns: Columns, word: str, fits: Callable[[tuple[str, ...]], bool]) -> Array:
    """Bool [cards]: whether the name of each, which has the word, passes a test."""
    mask = np.zeros(len(columns.created_us), bool)
    cards = columns.identity.cards_of(word)
    codes, values = columns.called.codes[cards], columns.called.values
    fitting = [code for code in np.unique(codes).tolist() if fits(values[code])]
    mask[cards[np.isin(codes, fitting)]] = True
    return mask


def in_other_sense(
    found: Candidates, segments: Sequence[GroundedSegment], intent: Intent, left: CardSelection
) -> Array:
    """Bool [lineages]: whether the request uses the name of each as an ordinary word.

    It does with an article or in the plural ("a rose", "roses", unless the file is called "roses"),
    as a verb ("waiting to rob a cart"), for a style ("in ink style" where a style is called so),
    and before a noun that another model of that name has ("amber light").
    """
    columns = left.columns
    wrong = np.zeros(len(found.cards), bool)
    for segment in segments:
        for ground in segment.grounds:
            if len(ground.mention.phrase) != 1:
                continue
            personal = is_personal(columns, ground.mention.phrase[0])[found.cards]
            if not personal.any():
                continue
            named = ground.strength[found.cards] >= A_NAME
            if segment.segment.look:
                looks = columns.look.where(bool)[found.cards]
                wrong |= personal & bool((looks & named).any())
            elif not is_english(ground.mention.phrase[0]):
                continue
            elif _after_article(ground.mention, intent) or _is_done(ground.mention, intent):
                wrong |= personal & named
            elif ground is segment.grounds[-1]:
                if _is_plural(ground.mention):
                    wrong |= personal & named & ~_written(ground.mention.words, found, left)
            else:
                last = segment.grounds[-1].strength[found.cards]
                fits = (last >= IS) & named & ~personal
                wrong |= personal & (last < LACKED) & bool(fits.any())
    return wrong


def _after_article(mention: Mention, intent: Intent) -> bool:
    """Whether a word is of a noun phrase with "a": "a big mule deer buck", in a request that says
    nothing of the model itself.
    """
    of_model = (intent.bounds, intent.times, intent.versions, intent.order, intent.kind)
    if any(of_model) or intent.base_model or intent.builds != Builds():
        return False
    before = [one for one in intent.mentions if one.last < mention.first][-_ADJECTIVES:]
    apart = (one.words in _APART or not is_english(one.words) for one in reversed(before))
    small = next((one for one, stops in zip(reversed(before), apart, strict=True) if stops), None)
    return small is not None and small.words in ("a", "an")


def _is_done(mention: Mention, intent: Intent) -> bool:
    """Whether a word stands between "to" and an article: "to rob a cart"."""
    before = [one.words for one in intent.mentions if one.last == mention.first - 1]
    after = [one.words for one in intent.mentions if one.first == mention.last + 1]
    return before == ["to"] and bool(after) and after[0] in DETERMINERS


def _written(word: str, found: Candidates, left: CardSelection) -> Array:
    """Bool [lineages]: whether a word stands in the name of each as it is."""
    cards = left.catalogue.cards
    return np.array([word in cards[one].name.casefold() for one in found.cards.tolist()], bool)


def _is_plural(mention: Mention) -> bool:
    """Whether a word is in the plural; "dukes" before a noun is rather "duke's"."""
    return mention.first >= 0 and mention.words == f"{mention.phrase[0]}s"
