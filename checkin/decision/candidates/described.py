"""Models that people described: what is said of them is complete, so a request demands it of them.

Of models that were only read from files it is evidence.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...catalog.columns import Array
from ...catalog.selection import CardSelection
from ...catalog.subject_key import SubjectKey
from ...language.intent import Intent
from ...lexicon.spelling import stems
from ..gates.constraints import apply, demands_of, prefer


def described(selection: CardSelection) -> Array:
    """Bool [all cards]: the cards of a selection that people described."""
    found = np.zeros(len(selection.columns.created_us), bool)
    found[selection.where(selection.columns.described.where(bool)).positions] = True
    return found


def meeting(intent: Intent, left: CardSelection) -> Array:
    """Bool [all cards]: the described models of `left` that are what the request asks for."""
    found = np.zeros(len(left.columns.created_us), bool)
    own = left.where(described(left))
    if intent.names:
        found[_named(intent, own).positions] = True
    elif own and not (intent.missing and not intent.styles):
        # A superlative ranks all models of the subject, whatever else they show.
        wishes = intent.others if intent.order else (*intent.preferred, *intent.others)
        found[prefer(wishes, apply(demands_of(intent), own)).positions] = True
    return found


def joining(intent: Intent, left: CardSelection) -> Array:
    """Bool [all cards]: the described models that may join a style that was read from files.

    They are what the request asks for but for that style: "my bear in blueprint style".
    """
    columns = left.columns
    looks = columns.look.where(bool) & ~described(left)
    lent = [term for term in intent.styles if left.where(looks & columns.styles.any_of(term.keys))]
    if not (lent and intent.subject):
        return np.zeros(len(columns.created_us), bool)
    styles = tuple(term for term in intent.styles if term not in lent)
    return meeting(replace(intent, styles=styles), left)


def _named(intent: Intent, left: CardSelection) -> CardSelection:
    """The models that a request names; a demand that none of them meets is dropped."""
    named = left.with_ids(intent.names)
    for demand in demands_of(intent) if named else ():
        named = demand.keeps(named) or named
    return named


def told_apart(intent: Intent, left: CardSelection) -> CardSelection:
    """The models of the lineages that describing words single out.

    They have all of those words. Words that describe the subject are tried first, then words of the
    scene. The subject's own words describe too where they say more than its key: "retriever" for a
    dog. Where no lineage has all the words that some lineage has, or all have the same, it is all
    of `left`.
    """
    lineages = left.lineages()
    kind = intent.subject
    narrower = (kind.words,) if kind and SubjectKey(stems(kind.words)) not in kind.keys else ()
    around = () if intent.order else intent.scenery
    for words in ((*narrower, *intent.details), around):
        shown = [lineages.any(left.columns.words.all_of(stems(word))) for word in words]
        best = np.all([has for has in shown if has.any()], axis=0)
        if any(has.any() for has in shown) and 0 < best.sum() < len(lineages):
            return lineages.only(best)
    return left
