"""What English words mean in requests for models, from the data in `en`.

What a library says about its models overrides these tables.
"""

from .base_models import SPOKEN_BASE_MODELS
from .function_words import (
    CONJUNCTIONS,
    DETERMINERS,
    FOREIGN,
    FUNCTION,
    ING_NOUNS,
    MODEL_WORDS,
    NEGATIONS,
    OPTICS,
    ORDINALS,
    PICTURE_WORDS,
    POSTURES,
    PRAISE,
    PREPOSITIONS,
    SCAFFOLD,
    TEMPORAL,
)
from .model_kinds import KINDS
from .numbers import AMOUNTS, CARDINALS, ORDINAL_NUMBERS, ROUGH_AMOUNTS
from .places import PLACES
from .styles import MOODS, RELATED, STYLES, WEAK_STYLES
from .taxonomy import FALLBACK_HYPERNYMS, HYPERNYMS, SUBJECTS, Phrase, is_being, with_hypernyms

__all__ = [
    "AMOUNTS",
    "CARDINALS",
    "CONJUNCTIONS",
    "DETERMINERS",
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
    "ORDINAL_NUMBERS",
    "PICTURE_WORDS",
    "PLACES",
    "POSTURES",
    "PRAISE",
    "PREPOSITIONS",
    "RELATED",
    "ROUGH_AMOUNTS",
    "SCAFFOLD",
    "SPOKEN_BASE_MODELS",
    "STYLES",
    "SUBJECTS",
    "TEMPORAL",
    "WEAK_STYLES",
    "Phrase",
    "is_being",
    "with_hypernyms",
]
