"""Names of base models in requests in other languages."""

from __future__ import annotations

import re

from ...lexicon import SPOKEN_BASE_MODELS

BASES = re.compile(rf"(?:{'|'.join(SPOKEN_BASE_MODELS.values())})(?![\w.]*\d|\w)")
SHORT_BASES = {
    "zit": "z-image",
    "zib": "z-image",
    "zimage": "z-image",
    "il": "illustrious",
    "ill": "illustrious",
    "noob": "noobai",
    "pony": "pony xl",
    "anima": "anima model",
    "klein": "flux2 klein",
    "wan": "wan model",
}
"""Short names of base models, among letters that are not Latin: there they are nothing else."""
_BASE = re.compile("|".join((*SPOKEN_BASE_MODELS.values(), *SHORT_BASES.values(), "xl")))


def is_base(words: str) -> bool:
    """Whether English words are the name of a base model and nothing else."""
    return _BASE.fullmatch(words) is not None
