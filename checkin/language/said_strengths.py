"""Strengths that a request says of its LoRAs: "pip at 0.8, in my ink style with strength 0.5"."""

from __future__ import annotations

import re
from functools import partial

from ..lexicon.english import one_of
from .origins import Span, blank

_one_of = partial(one_of, "choosing")
_WORD = _one_of("strengths")
_VALUE = r"(?:[01]?[.,]\d{1,2}|[01])(?![\w.]|,\d)"
_UNIT = r"(?:%|x\b|[ckm]?m\b|l\b|s\b|sec|met(?:er|re)|lit(?:er|re)|stops?\b|ev\b)"
"""What follows a number that measures something in the picture."""
_BEFORE = r"(?:\b(?:at|with)\s+)?(?:a\s+)?"
_STRENGTH = re.compile(
    rf"{_BEFORE}{_WORD}\s*(?:of|at|to|[:=@])?\s*(?P<behind>{_VALUE})"
    rf"|(?<![\w.]){_BEFORE}(?P<before>{_VALUE})\s+{_WORD}\b"
    rf"|(?<![\w.]){_BEFORE}(?P<percent>[12]?\d?\d)\s?%\s+{_WORD}\b"
    rf"|(?:\bat\s+|@\s?)(?P<alone>0?\.\d{{1,2}})(?!\s*%)(?![\w.])"
    r"|\(\s*(?P<bracket>[01]?[.,]\d{1,2})\s*\)"
    rf"|(?<![\w./])(?<!\bv )(?<!version )(?P<bare>0[.,]\d{{1,2}})(?!\s*{_UNIT})(?![\w.])"
    rf"|(?:(?<=slider )|(?<=lora ))(?:at|to)\s+(?P<slid>-?\d(?:[.,]\d{{1,2}})?)(?!\s*%)(?![\w.])"
    rf"|(?:(?<=slider )|(?<=sliders )|(?<=lora )|\bat\s+(?=-))(?P<signed>[+-]\d(?:[.,]\d{{1,2}})?)"
    rf"(?!\s*(?:{_UNIT}|°|[cf]\b|deg))(?![\w.])"
)


def find_strengths(text: str) -> tuple[list[tuple[float, Span]], str]:
    """Each strength in a plain text with where it is said, and the text with these blanked."""
    found = []
    for match in list(_STRENGTH.finditer(text)):
        if text[: match.start()].endswith(":"):  # "(kiko:0.8)" weighs a word of the prompt
            continue
        said = match.groupdict()
        percent = said.pop("percent")
        value = next(filter(None, said.values()), None)
        number = float(value.replace(",", ".")) if value else int(percent) / 100
        found.append((number, match.span()))
        text = blank(text, *match.span())
    return found, text
