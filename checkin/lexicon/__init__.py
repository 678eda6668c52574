"""Tables of what English words mean in requests for models.

What a library says of its models overrides them.
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
from .taxonomy import FALLBACK_KIND_OF, KIND_OF, THINGS, Phrase, kinds

__all__ = [
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
    "SPOKEN_BASE_MODELS",
    "STYLES",
    "TEMPORAL",
    "THINGS",
    "Phrase",
    "kinds",
]
