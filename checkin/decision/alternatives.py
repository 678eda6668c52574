"""The models that can take the place of one of several models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..catalog.selection import CardSelection, CardView
from ..lexicon.base_models import shares_layers

MAX_OTHERS = 3


def alternatives(model: CardView, beside: Sequence[CardView]) -> tuple[CardView, ...]:
    """Other builds of a model, newest first, then the newest models of its subject, else style.

    Only those of its kind that fit the base models of the models `beside` it.
    """
    catalogue, columns = model.catalogue, model.catalogue.columns
    bases = [columns.base_model[view.position] for view in beside]
    fits = columns.base_model.where(lambda base: all(shares_layers(base, one) for one in bases))
    fits &= columns.kind.where(lambda kind: kind == columns.kind[model.position])
    fits[[model.position, *(view.position for view in beside)]] = False
    builds = columns.lineage == columns.lineage[model.position]
    alike = columns.subjects.any_of(model.subjects)
    if not model.subjects:
        alike = columns.styles.any_of(model.styles)
    whole = CardSelection(catalogue, np.arange(len(catalogue.ids)))
    found = [
        *whole.where(fits & builds).newest_few(MAX_OTHERS),
        *whole.where(fits & alike & ~builds).newest_few(MAX_OTHERS),
    ]
    return tuple(found[:MAX_OTHERS])
