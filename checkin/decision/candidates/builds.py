"""Which build of a model is meant: its versions, saves and forms for several base models."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from ...catalog.bearers import PETS
from ...catalog.columns import Array
from ...catalog.facts import Columns
from ...catalog.selection import CardSelection
from ...language.intent import Intent
from ...lexicon.base_models import shares_layers

_DAY_US = 86_400_000_000
SUCCESSOR_DAYS = 400
"""A model for another base that is newer by so many days replaces the older one."""
OTHER_BASE_DAYS = 600
"""The same of a base on which nothing of the older one works."""
_TRAINING_DAYS = 7
"""Within this time before the newest model an epoch may be of a training that goes on."""
OLD_BASES = ("sd15", "sd2")


class Builds:
    """The builds of lineages among the cards that passed the gates."""

    def __init__(self, left: CardSelection, intent: Intent):
        self.left, self.intent, self.columns = left, intent, left.columns
        self._lineage = self.columns.lineage
        position_of = left.catalogue.position_of
        self._named = np.array([position_of[one] for one in intent.names], np.int64)
        self._words = {word.words for word in intent.mentions}
        self._said = {one for word in intent.mentions for one in (*word.phrase, *word.typed)}

    def of(self, card: int) -> Array:
        """The builds of a card's lineage among those left; the failed ones, if they are meant."""
        positions = self.left.positions
        found = positions[self._lineage[positions] == self._lineage[card]]
        named = found[np.isin(found, self._named)]
        return self._failed_if_asked(named if len(named) else self._noted(found))

    def _noted(self, positions: Array) -> Array:
        """Of some builds those that have most words of the request noted in their names, beside
        what all of them are called: marit_v2_short_hair, of marit_v3. Where none is said, not one
        that is noted beside the same version without a note: ink_v4_hatched, of ink_v4.
        """
        called = [self.columns.called[one] for one in positions.tolist()]
        names = [{*name} for name in called]
        common = set[str].intersection(*names) if names else set()
        # "cat" tells no build from another: callie_cat, of callie
        said = np.array([len((name - common - PETS) & self._said) for name in names])
        if not common.issuperset(name[0] for name in called if name) or len(names) < 2:
            return positions  # called in other ways: moira_me, and me
        if said.max():
            return positions[said == said.max()]
        versions = [_version(self.columns, one) for one in positions.tolist()]
        builds = list(zip(versions, map(frozenset, names), strict=True))
        of_version = defaultdict[_Version, set[frozenset[str]]](set)
        for version, name in builds:
            of_version[version].add(name)
        plain = [not any(one < name for one in of_version[version]) for version, name in builds]
        return positions[plain]

    def _failed_if_asked(self, positions: Array) -> Array:
        failed = positions[self.columns.state_code[positions] == 2]
        return failed if self.intent.builds.failed and len(failed) else positions

    def lineages(self, cards: Sequence[int]) -> set[int]:
        """The lineages of some cards."""
        return {*self._lineage[np.array(cards, np.int64)].tolist()}

    def best(self, positions: Array) -> int:
        """The build that is meant where none is named: the newest finished one."""
        columns, positions = self.columns, self._failed_if_asked(positions)
        if self.intent.builds.early:
            saved = positions[columns.state_code[positions] == 1]
            positions = saved if len(saved) else positions
            return int(positions[np.argmin(columns.order[positions])])
        keys = (columns.order[positions], -self._state(positions))
        return int(positions[np.lexsort(keys)[-1]])

    def _state(self, positions: Array) -> Array:
        """Int [positions]: 0 for a finished build, 1 for one saved during its training, 2 for a
        failed one.

        One that was saved during training is finished where it alone is left of its version, if
        it was saved after some steps, or some time before the newest model.
        """
        columns = self.columns
        state = columns.state_code[positions].copy()
        versions = [_version(columns, one) for one in positions.tolist()]
        number = Counter(versions)
        for place in np.flatnonzero(state == 1).tolist():
            one = int(positions[place])
            by_step = any(label.startswith("step") for label in columns.labels[one])
            over = columns.created_us.max() - columns.created_us[one] > _TRAINING_DAYS * _DAY_US
            if number[versions[place]] == 1 and (by_step or over):
                state[place] = 0
        return state

    def best_of(self, card: int) -> int:
        """The build of a card's lineage that is meant where none is named."""
        return self.best(self.of(card))

    def by_base(self, positions: Array) -> list[int]:
        """The best build for each base model, the best first."""
        bases = self.columns.base_model.codes[positions]
        found = [self.best(positions[bases == base]) for base in np.unique(bases)]
        columns = self.columns
        return sorted(found, key=lambda one: (not rejected(columns, one), columns.order[one]))[::-1]

    def versions(self, card: int) -> list[int]:
        """The builds of a lineage that may be meant: one, or some for different base models."""
        builds = self.of(card)
        spoken = builds[
            self.columns.base_model.where(lambda base: base in self._words)[builds]
        ]  # "pony maren"
        base = self.intent.base_model  # "on verrinmix" says SDXL, and means no Pony
        exact = builds[self.columns.base_model.where(lambda one: one == base)[builds] & bool(base)]
        named = spoken if len(spoken) else exact
        found: list[int] = []
        for one in self.by_base(named if len(named) else builds):
            if all(self._rivals(other, one) for other in found):
                found.append(one)
        return found

    def _rivals(self, first: int, other: int) -> bool:
        columns = self.columns
        if rejected(columns, other) or self.intent.builds.early:
            return False
        if (columns.base_model[other] in OLD_BASES) != (columns.base_model[first] in OLD_BASES):
            return False
        if columns.number_rank[first] > columns.number_rank[other] and columns.numbered[other]:
            return False
        age = columns.created_us[first] - columns.created_us[other]
        if not shares_layers(columns.base_model[first], columns.base_model[other]):
            return not columns.dated[other] or age < OTHER_BASE_DAYS * _DAY_US
        return bool(columns.dated[other]) and age < SUCCESSOR_DAYS * _DAY_US

    def saves(self, positions: Array) -> Array:
        """Bool [positions]: those saved during a training of which a finished build is there.

        Builds of one lineage for one base model count as of one training.
        """
        finished = self.columns.state_code[positions] == 0
        bases = self.columns.base_model.codes[positions]
        training = np.stack([self._lineage[positions], bases], axis=1)
        _, which = np.unique(training, axis=0, return_inverse=True)
        return ~finished & np.isin(which, which[finished])


_Version = tuple[int, frozenset[str], str | None]


def _version(columns: Columns, card: int) -> _Version:
    """What a training is of: a lineage, the version that its name has, and a base model."""
    labels = frozenset(label for label in columns.labels[card] if label.startswith("v"))
    return int(columns.lineage[card]), labels, columns.base_model[card]


def rejected(columns: Columns, card: int) -> bool:
    """Whether a card says that it failed. Of builds for other base models, one that was saved
    during its training is as good as a finished one: there is none for its own.
    """
    return bool(columns.state_code[card] == 2)


def together(columns: Columns, choices: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The best builds, one of each choice, that fit one base model; empty if none do.

    At most one is a checkpoint, which comes first.
    """
    fitting = [
        combination
        for combination in itertools.product(*choices)
        if all(
            shares_layers(columns.base_model[a], columns.base_model[b])
            for a, b in itertools.combinations(combination, 2)
        )
        and sum(columns.kind[one] == "checkpoint" for one in combination) <= 1
    ]
    best = max(
        fitting,
        key=lambda cards: (
            len({columns.base_model[one] for one in cards}) == 1,
            [(not rejected(columns, one), columns.order[one]) for one in cards],
        ),
        default=(),
    )
    return tuple(sorted(best, key=lambda one: columns.kind[one] != "checkpoint"))
