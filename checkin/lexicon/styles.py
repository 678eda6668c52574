"""Styles and their synonyms (en/styles.yaml): "aquarelle" is watercolor."""

from __future__ import annotations

from .data import phrases_in
from .english import phrases, rows, word_set
from .english import table as groups
from .spelling import stems
from .table import table

STYLES = table(rows("styles", "styles"))
"""Phrase -> the styles that it names."""
MOODS = frozenset(map(stems, phrases("styles", "moods")))
"""Styles that people also write after a comma to set the mood of a picture."""
WEAK_STYLES = word_set("styles", "weak")
"""Looks that are common words, too."""
RELATED = tuple(map(phrases_in, groups("styles")["related"]))
"""Styles that may replace one another if no model has exactly the style that was named."""
