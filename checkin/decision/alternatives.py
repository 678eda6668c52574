"""The models that can take the place of one that is used."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..catalog.selection import CardSelection, CardView
from ..catalog.subject_key import Match
from ..lexicon.base_models import shares_layers

MAX_OTHERS = 6
_MAX_ALIKE = 3
"""How many of them are at most of another lineage."""


def alternatives(model: CardView, beside: Sequence[CardView]) -> tuple[CardView, ...]:
    """Other builds of a model, newest first, then the newest of just its subject, else style.

    Only those of its kind. Of its builds, those that fit the base models of the models `beside` it
    come first, then those that need another one of these too; other models must fit.
    """
    catalogue, columns = model.catalogue, model.catalogue.columns
    bases = [columns.base_model[view.position] for view in beside]
    fits = columns.base_model.where(lambda base: all(shares_layers(base, one) for one in bases))
    others = columns.kind.where(lambda kind: kind == columns.kind[model.position])
    others[[model.position, *(view.position for view in beside)]] = False
    builds = columns.lineage == columns.lineage[model.position]
    own = {key for key in model.subjects if key.match in (Match.EXACT, Match.NAME)}
    alike = columns.subjects.any_of(own)
    if not model.subjects:
        alike = columns.styles.any_of(model.styles)
    whole = CardSelection(catalogue, np.arange(len(catalogue.ids)))
    related = whole.where(others & alike & fits & ~builds).lineages().newest()
    found = [
        *whole.where(others & builds & fits).newest_few(MAX_OTHERS),
        *whole.where(others & builds & ~fits).newest_few(MAX_OTHERS),
        *related.newest_few(_MAX_ALIKE),
    ]
    return tuple(found[:MAX_OTHERS])
