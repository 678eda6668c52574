"""What English words mean in requests for models. What a repository itself says always counts before these tables."""

from .base_names import BASE_MODELS, KINDS
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
from .places import PLACES
from .styles import MOODS, RELATED, STYLES
from .taxonomy import FALLBACK_KIND_OF, KIND_OF, THINGS, Phrase, kinds

__all__ = [
    "BASE_MODELS",
    "CONJUNCTIONS",
    "FALLBACK_KIND_OF",
    "FOREIGN",
    "FUNCTION",
    "ING_NOUNS",
    "KINDS",
    "KIND_OF",
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
    "STYLES",
    "TEMPORAL",
    "THINGS",
    "Phrase",
    "kinds",
]
