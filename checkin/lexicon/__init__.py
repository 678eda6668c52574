"""Tables of what English words mean in requests for models.

What a library says about its models overrides these tables.
"""

from .base_models import SPOKEN_BASE_MODELS
from .function_words import (
    CONJUNCTIONS,
    FOREIGN,
    FUNCTION,
    ING_NOUNS,
    MODEL_WORDS,
    NEGATIONS,
    OPTICS,
    ORDINALS,
    PICTURE_WORDS,
    PRAISE,
    PREPOSITIONS,
    SCAFFOLD,
    TEMPORAL,
)
from .model_kinds import KINDS
from .places import PLACES
from .styles import MOODS, RELATED, STYLES
from .taxonomy import FALLBACK_HYPERNYMS, HYPERNYMS, SUBJECTS, Phrase, with_hypernyms

__all__ = [
    "CONJUNCTIONS",
    "FALLBACK_HYPERNYMS",
    "FOREIGN",
    "FUNCTION",
    "HYPERNYMS",
    "ING_NOUNS",
    "KINDS",
    "MODEL_WORDS",
    "MOODS",
    "NEGATIONS",
    "OPTICS",
    "ORDINALS",
    "PICTURE_WORDS",
    "PLACES",
    "PRAISE",
    "PREPOSITIONS",
    "RELATED",
    "SCAFFOLD",
    "SPOKEN_BASE_MODELS",
    "STYLES",
    "SUBJECTS",
    "TEMPORAL",
    "Phrase",
    "with_hypernyms",
]
