"""Tables of canonical words and other words for them, as phrases in singulars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .spelling import stems
from .taxonomy import Phrase


def table(rows: Mapping[str, Iterable[str]]) -> dict[Phrase, tuple[Phrase, ...]]:
    """Every phrase of the table -> its canonical phrases, all in singulars.

    Among those of a canonical phrase, itself comes first.
    """
    found: dict[Phrase, tuple[Phrase, ...]] = {
        stems(canonical): (stems(canonical),) for canonical in rows
    }
    for canonical, others in rows.items():
        for other in filter(None, map(stems, others)):
            found[other] = (*found.get(other, ()), stems(canonical))
    return found
