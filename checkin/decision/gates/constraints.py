"""The constraints that a request sets for models, each with the user's words for it (rule 1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...catalog.called import meant_by
from ...catalog.card_facts import version_number
from ...catalog.columns import Array
from ...catalog.connected import ConnectedModel
from ...catalog.facts import Columns, microseconds
from ...catalog.selection import CardSelection, CardView
from ...language.intent import (
    Intent,
    Term,
    TimeTerm,
    VersionTerm,
)
from ...lexicon.base_models import covers, label_of, takes_loras_of
from ...lexicon.sentences import listed, say
from ...lexicon.spelling import stems
from .version_constraints import version_test

ConstraintKind = Literal[
    "subject",
    "style",
    "unwanted",
    "time",
    "version",
    "base model",
    "kind",
    "origin",
    "build",
    "bound",
    "connected",
]


@dataclass(frozen=True)
class Constraint:
    """One condition that a model must meet."""

    kind: ConstraintKind
    words: str
    keeps: Callable[[CardSelection], CardSelection]
    """Returns the models that meet it.

    Most constraints check each model alone; "the one before v10" compares all of them.
    """
    negated: bool = False
    """Whether it says what the model must not be: "not SDXL"."""


@dataclass(frozen=True)
class Reading:
    """What was understood of a request, with the constraints that follow from it."""

    intent: Intent
    constraints: tuple[Constraint, ...]

    @classmethod
    def of(cls, intent: Intent) -> Reading:
        """The reading of an intent."""
        return cls(intent, tuple(constraints_of(intent)))


def constraints_of(intent: Intent) -> list[Constraint]:
    """The constraints of a request; those that builds of one lineage may differ in come last."""
    gates = [gate for gate in gates_of(intent) if gate.kind not in ("kind", "origin")]
    return [*demands_of(intent), *gates]


def demands_of(intent: Intent) -> list[Constraint]:
    """What a model that people described must be of, and must not be of."""
    found = []
    if intent.missing:
        words = intent.their(intent.missing)
        found.append(_each("subject", words, lambda columns: columns.pure_style))
    elif intent.subject:
        found.append(
            _each(
                "subject",
                intent.their(intent.subject.words),
                _with_subject(intent.subject, bool(intent.styles)),
            )
        )
    found += [_each("style", intent.their(term.words), _has_style(term)) for term in intent.styles]
    return found + [
        _each("unwanted", say("not {words}", words=intent.their(term.words)), _lacks(term), True)
        for term in dict.fromkeys(intent.unwanted)
    ]


def gates_of(intent: Intent) -> list[Constraint]:
    """What a request demands of the model; what it is of is evidence instead (evidence.py).

    Those in which builds of one lineage may differ come last.
    """
    found = []
    if intent.base_model:
        bases = (intent.base_model, *intent.other_bases)
        found.append(
            _each(
                "base model",
                listed([label_of(one) for one in bases]),
                _of_bases(bases),
            )
        )
    if intent.connected:
        found.append(_each("connected", intent.connected.words, _applies_to(intent.connected)))
    found += [
        _each("base model", say("not {words}", words=label_of(one)), _of_no_base(one), True)
        for one in intent.unwanted_bases
    ]
    if intent.kind:
        found.append(_each("kind", intent.kind, meant_by(intent.kind)))
    if intent.origin == "downloaded":
        found.append(
            _each(
                "origin",
                say("not yours"),
                lambda columns: ~columns.trained,
                negated=True,
            )
        )
    if intent.unwanted_origin:
        words = say("not {words}", words=intent.unwanted_origin)
        found.append(_each("origin", words, lambda columns: ~columns.downloaded, negated=True))
    found += [
        _each("time", _named(term, intent), _made_in(term), term.negated) for term in intent.times
    ]
    found += [
        Constraint("version", _named(term, intent), version_test(term), term.negated)
        for term in intent.versions
    ]
    builds = intent.builds
    found += [_each("build", one, _has_label(one)) for one in sorted(builds.wanted)]
    found += [
        _each("build", say("not {words}", words=one), _has_label(one, negated=True), True)
        for one in sorted(builds.unwanted)
    ]
    found += [
        _each("build", say("before {words}", words=one), _beside(one, -1)) for one in builds.before
    ]
    return found + [
        _each("build", say("after {words}", words=one), _beside(one, 1)) for one in builds.after
    ]


def _beside(label: str, side: int) -> Callable[[Columns], Array]:
    """A test for builds made before (-1) or after (1) the one of their lineage called so."""

    def fits(columns: Columns) -> Array:
        called = np.flatnonzero(_has_label(label)(columns))
        _, groups = np.unique(columns.lineage, return_inverse=True)
        order = side * columns.order
        least = np.full(groups.max(initial=0) + 1, np.iinfo(np.int64).max)
        np.minimum.at(least, groups[called], order[called])
        return order > least[groups]

    return fits


def _of_bases(wanted: Sequence[str]) -> Callable[[Columns], Array]:
    def fits(columns: Columns) -> Array:
        own = columns.base_model.where(lambda base: any(covers(one, base) for one in wanted))
        lent = columns.base_model.where(
            lambda base: any(takes_loras_of(one, base) for one in wanted)
        )
        return own | (lent & meant_by("lora")(columns))

    return fits


def _of_no_base(unwanted: str) -> Callable[[Columns], Array]:
    return lambda columns: ~columns.base_model.where(lambda base: covers(unwanted, base))


def _applies_to(model: ConnectedModel) -> Callable[[Columns], Array]:
    return lambda columns: meant_by("lora")(columns) & columns.base_model.where(model.takes)


def _has_label(label: str, negated: bool = False) -> Callable[[Columns], Array]:
    """A test for builds that are called so; "hotfix" also means hotfix1, and "epoch 2500", where
    none is called so, what was saved after 2500 steps, or version 2500.
    """
    number = version_number(label)

    def fits(columns: Columns) -> Array:
        called = [
            one
            for one in columns.labels.values
            if one == label or (label == "hotfix" and one.startswith(label))
        ]
        has = columns.labels.any_of(called or [label.replace("epoch", "step")])
        if label == "final":
            has = has | _ends_of_training(columns, has)
        if label.startswith(("epoch", "step", "build")) and not has.any():
            has = columns.number.where(lambda own: own == number)
        return has != negated

    return fits


def _ends_of_training(columns: Columns, final: Array) -> Array:
    """Bool [cards]: the finished builds of trainings of which others are saves, of lineages of
    which none is called `final`.
    """
    lineage, bases = columns.lineage, columns.base_model.codes
    _, which = np.unique(np.stack([lineage, bases], axis=1), axis=0, return_inverse=True)
    saved = np.isin(which, which[columns.state_code == 1]) & ~np.isin(lineage, lineage[final])
    return saved & (columns.state_code == 0)


def apply(constraints: Sequence[Constraint], entries: Sequence[CardView]) -> CardSelection:
    """The models that meet every constraint.

    A pure style counts only where no model of the subject meets them.
    """
    left = CardSelection.of(entries)
    for constraint in constraints:
        left = constraint.keeps(left)
    if any(constraint.kind == "subject" for constraint in constraints):
        left = left.where(left.columns.subjects.filled) or left
    return left


def prefer(terms: Sequence[Term], entries: CardSelection) -> CardSelection:
    """The models that show each of some styles, places or further subjects.

    A term that none of the models shows is ignored.
    """
    left = entries
    for term in terms:
        left = left.where(left.columns.shows_any(term.keys)) or left
    return left


def _each(
    kind: ConstraintKind, words: str, fits: Callable[[Columns], Array], negated: bool = False
) -> Constraint:
    """A constraint that checks each model alone; `fits` returns bool [all cards]."""
    return Constraint(kind, words, lambda entries: entries.where(fits(entries.columns)), negated)


def _with_subject(term: Term, in_a_style: bool) -> Callable[[Columns], Array]:
    """A test for models of that subject; where a style is asked for too, also for pure styles."""

    def fits(columns: Columns) -> Array:
        named = columns.subjects.any_of(term.keys)
        return named | columns.pure_style if in_a_style else named

    return fits


def _has_style(term: Term) -> Callable[[Columns], Array]:
    return lambda columns: columns.styles.any_of(term.keys)


def _lacks(term: Term) -> Callable[[Columns], Array]:
    if term.keys:
        return lambda columns: ~columns.shows_any(term.keys)
    words = stems(term.words)
    return lambda columns: ~columns.words.all_of(words)


def _named(term: TimeTerm | VersionTerm, intent: Intent) -> str:
    words = intent.their(term.words)
    return say("not {words}", words=words) if term.negated else words


def _made_in(term: TimeTerm) -> Callable[[Columns], Array]:
    def fits(columns: Columns) -> Array:
        within = np.zeros(len(columns.created_us), bool)
        for period in term.periods:
            start = period.start is None or columns.created_us >= microseconds(period.start)
            within |= start & (period.end is None or columns.created_us < microseconds(period.end))
        return columns.dated & (within != term.negated)

    return fits
