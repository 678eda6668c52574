"""Whether people described the models of a library."""

from __future__ import annotations

import numpy as np

from ..catalog.selection import CardSelection

ENOUGH = 0.5
"""The share of models with subjects or styles by people from which on a library is described."""


def is_described(library: CardSelection) -> bool:
    """Whether people described most models of a library.

    Then subjects and styles are complete, and a request is compared with them alone. In other
    libraries they are guesses from files, and every word of the cards is evidence.
    """
    described = library.columns.described.where(bool)[library.positions]
    return bool(np.mean(described) >= ENOUGH)
