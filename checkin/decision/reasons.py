"""Why a model was taken: which words of the request it has where, and which of its builds it is."""

from __future__ import annotations

from collections.abc import Sequence, Set
from datetime import datetime

import numpy as np

from ..catalog.duplicates import without_duplicates
from ..catalog.noise_pairs import half_of, without_other_halves
from ..catalog.selection import CardView
from ..language.intent import Order
from ..lexicon.base_models import label_of
from ..lexicon.sentences import listed, phrase, quoted, say, sentence
from ..lexicon.spelling import name_words, stems
from .candidates.grounded import Grounded
from .evidence.grounder import IS, Ground
from .evidence.spelt import FIELDS
from .questions.labels import day

_IN_NAME = sentence("{words} in its name")
_IN_TRIGGER = sentence("{words} in its trigger")
_SHOWS = sentence("{words} as what it shows")
_LOOK = sentence("{words} as its look")
_FIELDS = {
    "kinds": _SHOWS,
    "tags": sentence("{words} in its tags"),
    "words": sentence("{words} in its description"),
    "captions": sentence("{words} in its pictures"),
}
"""Column of words -> what is said of a word there."""
_SAID = FIELDS["kinds"]
"""Above this strength, a look is what the card says of itself."""
_LEAST_LETTERS = 3
"""Of a word that is looked for inside a name."""
_BUILDS = ("version", "build", "time", "base model")
"""What a request says of builds."""


def reason(
    case: Grounded, entry: CardView, positions: Sequence[int], now: datetime, order: Order | None
) -> str:
    """One sentence on a model that is used; `positions` are those of all that are."""
    met = met_words(case, _own_grounds(case, entry.position, positions), entry.position)
    which = _which(case, entry, order or case.intent.order, len(positions) > 1)
    if half := half_of(entry):
        which = say("{items}, {next}", items=which, next=say(half)) if which else say(half)
    if case.intent.connected:
        which = phrase([one for one in (which, case.intent.connected.words) if one])
    name, when = entry.card.name, day(entry, now)
    if not which and not met:
        return say("{name}: from {day}.", name=name, day=when)
    if not which:
        return say("{name}: {met}, from {day}.", name=name, met=met, day=when)
    if met:
        which = say("{met}: {which}", met=met, which=which)
    return say("{name}: {which}, from {day}.", name=name, which=which, day=when)


def met_words(case: Grounded, grounds: Sequence[Ground], card: int) -> str:
    """Which words a card has where: "'moss' in its name and 'grass' in its pictures"."""
    met: dict[str, list[str]] = {}
    for ground in grounds:
        if ground.strength[card] > 0 and (found := _place(case, ground, card)):
            met.setdefault(found[0], []).append(found[1])
    said = [
        say(place, words=listed(list(dict.fromkeys(words)), "and")) for place, words in met.items()
    ]
    return listed(said, "and")


def _own_grounds(case: Grounded, card: int, positions: Sequence[int]) -> list[Ground]:
    """The words that a model is taken for. Of several models, each word counts for the one that
    has it most, also in the scene.
    """
    if len(positions) == 1 and any(one.strength[card] > 0 for one in case.head_grounds):
        return case.head_grounds
    every = [ground for one in case.segments for ground in one.grounds]
    best = {id(one): positions[int(np.argmax(one.strength[list(positions)]))] for one in every}
    own = [one for one in every if best[id(one)] == card and one.strength[card] > 0]
    telling = [one for one in own if not one.generic]
    return [one for one in telling if one.strength[card] >= IS] or telling or own


def _place(case: Grounded, ground: Ground, card: int) -> tuple[str, str] | None:
    """Where a card has a word, and the word, with that of the card if it is another one; None for
    the file name of another build.
    """
    columns, one = case.left.columns, case.left.catalogue.cards[card]
    if ground.mention.first < 0:
        return (_IN_NAME, quoted(ground.mention.words)) if one.id in case.intent.names else None
    typed = case.their(ground.mention.words)
    own = [typed, *stems(typed), *ground.mention.words.split(), *ground.mention.phrase]
    glued = "".join(typed.casefold().split())
    for place, words in (
        (_IN_NAME, {*columns.called[card], *name_words(one.name), *stems(one.name)}),
        (_IN_TRIGGER, {*name_words(one.trigger or ""), *stems(one.trigger or "")}),
    ):
        if met := ground.spelt & words:
            return place, f"{quoted(typed)}{_another(met, own)}"
    if len(glued) >= _LEAST_LETTERS and glued in one.name.casefold():
        return _IN_NAME, quoted(typed)
    a_look = ground.mention.kind == "style"
    if a_look and float(ground.strength[card]) > _SAID:
        return _LOOK, quoted(typed)
    for field, place in _FIELDS.items():
        cards_of = getattr(columns, field).cards_of
        if there := {word for word in ground.spelt if card in cards_of(word)}:
            return place, f"{quoted(typed)}{_another(there, own)}"
    return _LOOK if a_look else _SHOWS, quoted(typed)


def _another(met: Set[str], own: Sequence[str]) -> str:
    """The words by which a card has a word, in parentheses, unless they look like it."""
    alike = any(one in other or other in one for one in own for other in met)
    return "" if alike else f" ({listed(sorted(met), 'and')})"


def _are_called_so(case: Grounded, card: int) -> bool:
    """Whether other models, of the user's own if it says "my", have the words that a model is taken
    for, as surely.
    """
    columns, others = case.left.columns, case.library.positions
    if case.intent.origin == "trained":
        others = others[~columns.downloaded[others]]
    known = [one.strength[others] for one in case.head_grounds if one.strength[card] >= IS]
    met = np.all([strength >= IS for strength in known], axis=0)
    return bool(known) and bool((met & (columns.lineage[others] != columns.lineage[card])).any())


def _of_yours(case: Grounded, card: int, which: str) -> str:
    """What is said of a model, where a "my" leaves out downloaded ones that have the words too."""
    columns, others = case.left.columns, case.left.positions
    if case.intent.origin != "trained" or columns.downloaded[card]:
        return which
    known = [ground for ground in case.head_grounds if ground.best >= IS]
    met = np.all([ground.strength[others] > 0 for ground in known], axis=0)
    left_out = bool((columns.downloaded[others] & met).any())
    return phrase([which, say("of yours")]) if left_out else which


def _which(case: Grounded, entry: CardView, order: Order | None, beside_others: bool) -> str:
    """Which of its builds a model is. Of which of several a "not" is said is not known."""
    if order:
        return _of_yours(
            case, entry.position, say("the {order}", order=case.intent.said_order(order))
        )
    columns, card = case.left.columns, entry.position
    builds = case.builds.of(card)
    unwanted = () if beside_others else case.intent.unwanted
    model = case.intent.connected
    every = without_duplicates(case.library.where(columns.lineage == columns.lineage[card]))
    every = without_other_halves(every, model.card if model else None)
    gates = [one for one in case.asked if card in one.keeps(every).positions]
    others = _are_called_so(case, card)
    said = [one.words for one in gates if one.kind in _BUILDS and (others or len(every) > 1)]
    said += [one.words for one in gates if one.kind == "origin"]
    asked = [quoted(case.their(one)) for one in said]
    asked += [
        quoted(say("not {words}", words=case.their(one.words)))
        for one in unwanted
        if not {*stems(one.words)} & {*columns.called[card]}
    ]
    if asked:
        return say("{words}, as asked", words=listed(asked, "and"))
    if len(builds) == 1:
        one_of_many = say("the one of {number} builds that fits", number=len(every))
        if case.answered or len(every) > 1:
            return "" if case.answered else one_of_many
        return "" if others else _of_yours(case, card, say("the only one"))
    if columns.order[card] == columns.order[builds].max():
        return say("the newest of {number} builds", number=len(builds))
    if case.intent.builds.early:
        return say("one of {number} builds", number=len(builds))
    if card == case.builds.best(builds):
        return say("the newest finished one of {number} builds", number=len(builds))
    base = columns.base_model[card]
    alike = builds[columns.base_model.where(lambda one: one == base)[builds]]
    if base and card == case.builds.best(alike):
        return say("the newest for {base}", base=label_of(base))
    return say("one of {number} builds", number=len(builds))
