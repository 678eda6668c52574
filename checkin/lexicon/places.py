"""Places (en/places.yaml): tags of models that have them as tags, otherwise scenery."""

from __future__ import annotations

from .english import rows
from .table import table

PLACES = table(rows("places", "places"))
"""Phrase -> the places that it names."""
