"""Models that are meant by what they are called: a mix, or a style of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..lexicon.english import phrases
from ..lexicon.model_kinds import MIXES
from ..lexicon.spelling import stems
from ..lexicon.styles import STYLES
from .columns import Array
from .facts import Columns
from .subject_key import Match, SubjectKey

_MIXES = tuple(sorted(MIXES))
_LOOKS = frozenset({"style", "look"})
_SAID = [
    one
    for group in ("own styles", "called styles")
    for phrase in map(stems, phrases("models", group))
    for one in (phrase, SubjectKey(phrase, Match.NAME))
]
"""As names that a user gives: of looks they are styles, of others subjects."""


def mixes(columns: Columns) -> Array:
    """Bool [cards]: which are checkpoints that are called a mix or a merge."""
    called = columns.called.where(lambda name: any(word.endswith(_MIXES) for word in name))
    return _of_kind(columns, "checkpoint") & called


def own_styles(columns: Columns) -> Array:
    """Bool [cards]: `called_styles`, without any all looks that the user trained."""
    called = called_styles(columns)
    return called if called.any() else _own_looks(columns)


def called_styles(columns: Columns) -> Array:
    """Bool [cards]: the LoRAs that the user calls "my style"; without any, of the looks that the
    user trained those called a style and nothing that is a style to others: "anna_style", but not
    "ghibli_style". Of either all builds: anna_pony, too.
    """
    loras, own = _of_kind(columns, "lora"), _own_looks(columns)
    told = loras & columns.shows_any(_SAID)
    if told.any():
        return loras & np.isin(columns.lineage, columns.lineage[told])
    called = own & columns.called.where(_is_called_a_style)
    names = {frozenset(columns.called[card]) - _LOOKS for card in np.flatnonzero(called).tolist()}
    whose = names - {frozenset()}
    return called | (own & columns.called.where(lambda name: any(one <= {*name} for one in whose)))


def _own_looks(columns: Columns) -> Array:
    of_somebody = columns.kinds.any_of(["being"])
    loras = _of_kind(columns, "lora")
    return loras & columns.look.where(bool) & columns.trained & ~of_somebody


def _mixes_or_checkpoints(columns: Columns) -> Array:
    found = mixes(columns)
    return found if found.any() else _of_kind(columns, "checkpoint")


def _of_kind(columns: Columns, kind: str) -> Array:
    return columns.kind.where(lambda own: own == kind)


def _is_called_a_style(name: Sequence[str]) -> bool:
    return not _LOOKS.isdisjoint(name) and not any((word,) in STYLES for word in name)


CALLED: dict[str, Callable[[Columns], Array]] = {
    "mix": mixes,
    "style": own_styles,
    "called style": called_styles,
}
"""Kind -> the test for models that are called so."""
_MEANT = {**CALLED, "mix": _mixes_or_checkpoints}


def meant_by(kind: str) -> Callable[[Columns], Array]:
    """The test for models that a request for a kind means: "mix", "lora"."""
    return _MEANT.get(kind) or (lambda columns: _of_kind(columns, kind))
