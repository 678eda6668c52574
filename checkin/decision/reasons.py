"""Why a model was taken: which words of the request it has where, and which of its builds it is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np

from ..catalog.duplicates import without_duplicates
from ..catalog.selection import CardView
from ..language.intent import Order
from ..lexicon.base_models import label_of
from ..lexicon.sentences import listed, phrase, quoted, say, sentence
from ..lexicon.spelling import name_words, stems
from .evidence import A_NAME, IS, Ground
from .grounded import Grounded
from .question import day

_IN_NAME = sentence("{words} in its name")
_IN_TRIGGER = sentence("{words} in its trigger")
_SHOWS = sentence("{words} as what it shows")
_LOOK = sentence("{words} as its look")
_PLACES = (
    (0.74, _SHOWS),
    (0.68, sentence("{words} in its tags")),
    (0.4, sentence("{words} in its description")),
    (0.0, sentence("{words} in its pictures")),
)
"""The least strength of a word that is not in the card's name, and where it stands."""
_BUILDS = ("version", "build", "time", "base model")
"""What a request says of builds."""


def reason(
    case: Grounded, entry: CardView, positions: Sequence[int], now: datetime, order: Order | None
) -> str:
    """One sentence on a model that is used; `positions` are those of all that are."""
    met = met_words(case, _own_grounds(case, entry.position, positions), entry.position)
    which = _which(case, entry, order or case.intent.order, len(positions) > 1)
    if case.intent.connected:
        which = phrase([one for one in (which, case.intent.connected.words) if one])
    name, when = entry.card.name, day(entry, now)
    if not which:
        return say("{name}: {met}from {day}.", name=name, met=f"{met}: " if met else "", day=when)
    if met:
        which = say("{met}: {which}", met=met, which=which)
    return say("{name}: {which}, from {day}.", name=name, which=which, day=when)


def met_words(case: Grounded, grounds: Sequence[Ground], card: int) -> str:
    """Which words a card has where: "'moss' in its name and 'grass' in its pictures"."""
    met: dict[str, list[str]] = {}
    for ground in grounds:
        if ground.strength[card] > 0:
            place, words = _place(case, ground, card)
            met.setdefault(place, []).append(words)
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
    every = [ground for one in case.segments for ground in one.grounds if not ground.generic]
    best = {id(one): positions[int(np.argmax(one.strength[list(positions)]))] for one in every}
    own = [one for one in every if best[id(one)] == card and one.strength[card] > 0]
    return [one for one in own if one.strength[card] >= IS] or own


def _place(case: Grounded, ground: Ground, card: int) -> tuple[str, str]:
    """Where a card has a word, and the word, with that of the card's name if it is another."""
    columns, strength = case.left.columns, float(ground.strength[card])
    typed = case.their(ground.mention.words)
    typed = "me" if typed == "myself" else typed
    if named := ground.spelt & {*columns.called[card]}:
        own = [typed, *ground.mention.words.split(), *ground.mention.phrase]
        alike = any(one in other or other in one for one in own for other in named)
        other = "" if alike else f" ({listed(sorted(named), 'and')})"
        return _IN_NAME, f"{quoted(typed)}{other}"
    if strength >= A_NAME:
        trigger = case.left.catalogue.cards[card].trigger or ""
        in_trigger = ground.spelt & {*name_words(trigger), *stems(trigger)}
        name = case.left.catalogue.cards[card].name
        glued = "".join(typed.casefold().split())
        in_name = ground.spelt & {*name_words(name), *stems(name)} or glued in name.casefold()
        return _IN_NAME if in_name else _IN_TRIGGER if in_trigger else _SHOWS, quoted(typed)
    place = next(place for least, place in _PLACES if strength >= least)
    a_look = place == _SHOWS and ground.mention.kind == "style"
    return _LOOK if a_look else place, quoted(typed)


def _which(case: Grounded, entry: CardView, order: Order | None, beside_others: bool) -> str:
    """Which of its builds a model is. Of which of several a "not" is said is not known."""
    if order:
        return say("the {order}", order=case.their(order.words))
    columns, card = case.left.columns, entry.position
    builds = case.chooser.builds(card)
    unwanted = () if beside_others else case.intent.unwanted
    every = without_duplicates(case.library.where(columns.lineage == columns.lineage[card]))
    said = [one.words for one in case.gates if one.kind in _BUILDS and len(every) > 1]
    said += [one.words for one in case.gates if one.kind == "origin"]
    asked = [quoted(case.their(one)) for one in said]
    asked += [quoted(say("not {words}", words=case.their(one.words))) for one in unwanted]
    if asked:
        return say("{words}, as asked", words=listed(asked, "and"))
    if len(builds) == 1:
        one_of_many = say("the one of {number} builds that fits", number=len(every))
        return "" if case.answered else one_of_many if len(every) > 1 else say("the only one")
    if card == case.chooser.best_build(builds):
        return say("the newest of {number} builds", number=len(builds))
    base = columns.base_model[card]
    alike = builds[columns.base_model.where(lambda one: one == base)[builds]]
    if base and card == case.chooser.best_build(alike):
        return say("the newest for {base}", base=label_of(base))
    return say("one of {number} builds", number=len(builds))
