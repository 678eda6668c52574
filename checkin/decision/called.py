"""Models that are meant by what they are called: a mix, or a style of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..catalog.columns import Array
from ..catalog.facts import Columns
from ..catalog.subject_key import Match, SubjectKey
from ..lexicon.english import phrases
from ..lexicon.model_kinds import MIXES
from ..lexicon.spelling import stems
from ..lexicon.styles import STYLES

_MIXES = tuple(sorted(MIXES))
_SAID = [
    one
    for phrase in map(stems, phrases("models", "own styles"))
    for one in (phrase, SubjectKey(phrase, Match.NAME))
]
"""As names that a user gives: of looks they are styles, of others subjects."""


def mixes(columns: Columns) -> Array:
    """Bool [cards]: which are checkpoints that are called a mix or a merge."""
    called = columns.called.where(lambda name: any(word.endswith(_MIXES) for word in name))
    return _checkpoints(columns) & called


def own_styles(columns: Columns) -> Array:
    """Bool [cards]: the LoRAs that the user calls "my style"; without any, the looks that the user
    trained, of these those called a style and nothing that is a style to others, if there are any:
    "anna_style", but not "ghibli_style".
    """
    loras = columns.kind.where(lambda kind: kind == "lora")
    told = loras & columns.shows_any(_SAID)
    if told.any():
        return told
    of_somebody = columns.kinds.any_of(["being"])
    own = loras & columns.look.where(bool) & columns.trained & ~of_somebody
    called = own & columns.called.where(_is_called_a_style)
    return called if called.any() else own


def _mixes_or_checkpoints(columns: Columns) -> Array:
    found = mixes(columns)
    return found if found.any() else _checkpoints(columns)


def _checkpoints(columns: Columns) -> Array:
    return columns.kind.where(lambda kind: kind == "checkpoint")


def _is_called_a_style(name: Sequence[str]) -> bool:
    return "style" in name and not any((word,) in STYLES for word in name)


CALLED: dict[str, Callable[[Columns], Array]] = {"mix": mixes, "style": own_styles}
"""Kind -> the test for models that are called so."""
OF_KIND = {**CALLED, "mix": _mixes_or_checkpoints}
"""Kind -> the test for models that a request for it means."""
