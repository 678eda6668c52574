"""The base models that a request names: "the flux one", "gosia pony", "on illu"."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..lexicon import SPOKEN_BASE_MODELS, STYLES
from ..lexicon.english import any_of, one_of
from ..lexicon.spelling import stems
from .gates import not_before
from .origins import Span, blank

_NEAR = 120
"""Characters behind a base model that may begin with a look."""
_SHORT_BASES = (
    ("sd15", r"1\.5(?!\s*(?:x\b|m\b|kg\b))"),
    ("flux", r"fl?x(?=\s+(?:one|version|lora|model)\b)|(?:(?<=in\s)|(?<=for\s)|(?<=on\s))fl?x"),
    ("qwen", r"(?:(?<=in\s)|(?<=for\s)|(?<=on\s))qw"),
    ("illustrious", r"ilxl|illus?|il(?=\s+(?:one|version|lora|model)\b)"),
    (
        "flux2-klein",
        r"klein[ -]?[49][ -]?b|klein(?=\s+(?:one|version|lora|model)\b|\s*$)"
        r"|(?:(?<=in\s)|(?<=for\s)|(?<=on\s))klein|(?<=,\s)klein(?=\s*[,.;:!?)])",
    ),
    ("noobai", r"noob"),
    (
        "pony",
        r"pony(?=\s+(?:version(?!\s*\d)|one|lora|model|checkpoint|base)\b)|(?:(?<=in\s)|(?<=for\s)|(?<=on\s))pony"
        r"|pdxl",
    ),
    ("sdxl", r"xl"),
    (
        "z-image",
        r"z-?img|zi[tb](?=\s+(?:one|version|lora|model)\b)"
        r"|(?:(?<=in\s)|(?<=for\s)|(?<=on\s))zi[tb]|z(?=\s+(?:ones?|version|loras?|model)\b)"
        r"|(?:(?<=in\s)|(?<=for\s)|(?<=on\s)|(?<=the\sof\s))z(?=\s*(?:[,.;:!?)]|$))|(?<=,\s)zi[tb](?=\s*(?:[,.;:!?)]|$))",
    ),
    (
        "wan",
        r"wan(?=\s+(?:loras?|models?|checkpoint|version|videos?|text to video|[ti]2v)\b)"
        r"|(?:(?<=in\s)|(?<=for\s)|(?<=on\s)|(?<=,\s))wan(?=\s*(?:[,.;:!?)]|$))",
    ),
)
"""Short names of base models, which are no names inside longer ones."""
_SO_CALLED = rf"(?:\s+base\b(?!\s+(?:model|{one_of('models', 'kinds', 'checkpoint')})))?"
"""Behind the name of a base model: "sdxl base"."""
_BASES = tuple(
    (name, re.compile(rf"(?<![\w.])(?:{pattern})(?![\w.]*\d|\w){_SO_CALLED}"))
    for name, pattern in (*SPOKEN_BASE_MODELS.items(), *_SHORT_BASES)
)
_ENDING = {
    "pony": "pony",
    "il": "illustrious",
    "ill": "illustrious",
    "flx": "flux",
    "qw": "qwen",
    "z": "z-image",
    "zit": "z-image",
    "zib": "z-image",
    "wan": "wan",
    "klein": "flux2-klein",
}
"""Words which, at the end of a noun phrase behind the name of a model, say for which base model it
is meant: "gosia pony".
"""
_AFTER_NAME = re.compile(rf"([^\W\d_]+)\s+({any_of(_ENDING)})(?=\s*(?:[,.;:!?)]|$))")
_FAMILY = {"pony": "sdxl", "illustrious": "sdxl", "noobai": "sdxl"}


def find_bases(
    text: str,
    is_thing: Callable[[str, str], bool] = lambda base, word: False,
    is_build: Callable[[str, str, str], bool] = lambda name, word, base: False,
) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """(base models that are wanted, those that are not, the text with their words blanked).

    `is_thing` says whether the word for a base model names a subject of the library instead, and
    `is_build` whether a short one that ends a noun phrase says which build of a name is meant.
    """
    wanted: list[str] = []
    unwanted: list[str] = []
    denied: list[Span] = []
    for name, pattern in _BASES:
        if (match := pattern.search(text)) and not is_thing(name, match[0]):
            no = not_before(text, match.start())
            (unwanted if no else wanted).append(name)
            if no and not _begins_with_look(text[match.end() :]):
                denied.append(no)
            text = blank(text, *match.span())
    for said in _AFTER_NAME.finditer(text):
        if is_build(said[1], said[2], _ENDING[said[2]]):
            wanted.append(_ENDING[said[2]])
            text = blank(text, *said.span(2))
    for one in denied:  # "not the flux saba" is no word against saba
        text = blank(text, *one)
    narrow = {_FAMILY[one] for one in wanted if one in _FAMILY}
    return tuple(dict.fromkeys(one for one in wanted if one not in narrow)), tuple(unwanted), text


def is_base(word: str) -> bool:
    """Whether a word is the name of a base model."""
    return any(pattern.fullmatch(word) for _, pattern in _BASES)


def _begins_with_look(text: str) -> bool:
    return stems(text[:_NEAR])[:1] in STYLES
