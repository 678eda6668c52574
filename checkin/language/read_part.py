"""The part of a request that is read to choose a model: long texts are bounded at the door.

So are prompts as other programs write them, with a negative prompt and settings behind them.

Reading takes more than linear time in the number of words. What follows the part that is read is
drawn as it stands.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from ..lexicon.sentences import say

MAX_CHARS = 4000
"""Characters of a request; the rest is neither read nor drawn."""
MAX_READ = 1500
"""Characters of a request that are read; letters of scripts with short words count four times."""
_WEIGHT = 4
_SHORT_WORDS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff\uac00-\ud7af]")
_RUN = re.compile(r"([^\w\s])\1{9,}")
_BLANKS = re.compile(r"[^\S\n]+")
_LINE_END = re.compile(r" ?\n ?")
_BLANK_LINES = re.compile(r"\n{3,}")
_FACE = r"\U0001f300-\U0001faff\u2600-\u27bf\ufe0f\u200d\s"
_FACES = re.compile(rf"(?<![{_FACE}])[{_FACE}]+$")
"""What people end a request with: "pip on a sofa 😊"; it is neither read nor drawn."""
_UNUSED = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff\ue000-\uf8ff]")
"""Control and private characters, which stand for nothing and which our own marks use."""
_NOT_DRAWN = re.compile(
    r"(?:(?:^|(?<=[.,;]))[^\S\n]*negative(?: prompt)?[^\S\n]*:|^[^\S\n]*steps: \d+, sampler:"
    r"|\s--(?:ar|aspect|v|version|niji|s|stylize|style|q|quality|c|chaos|weird|no|seed|iw|tile|raw"
    r"|sref|cref|oref|stop)\b).*",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
"""What other programs write below a prompt: what it must not show, and its settings."""


@dataclass(frozen=True)
class ReadPart:
    """A request, divided into what is read and what is only drawn."""

    read: str
    rest: str = ""
    notices: tuple[str, ...] = ()

    @classmethod
    def of(cls, request: str) -> ReadPart:
        """Bound a request, with a sentence for each thing that was not used."""
        notices = []
        if len(request) > MAX_CHARS:
            notices.append(
                say(
                    "The request is longer than {number:,} characters: the rest is not used.",
                    number=MAX_CHARS,
                )
            )
        text = _UNUSED.sub(" ", unicodedata.normalize("NFC", request[:MAX_CHARS]))
        prompt = _NOT_DRAWN.sub("", text).rstrip(" \n,;")
        if prompt.strip() and prompt != text.rstrip(" \n,;"):
            notices.append(
                say("Only the prompt is used, not the negative prompt or settings behind it.")
            )
            text = prompt
        text = _FACES.sub("", text) or text
        text = _RUN.sub(lambda run: run[1] * 10, text)
        text = _LINE_END.sub("\n", _BLANKS.sub(" ", text))
        text = _BLANK_LINES.sub("\n\n", text).strip()
        end = _end(text)
        if end < len(text):
            notices.append(
                say(
                    "Only the first {number:,} characters were read to choose a model; the rest "
                    "is drawn as it stands.",
                    number=end,
                )
            )
        return cls(text[:end], text[end:], tuple(notices))


def _end(text: str) -> int:
    """Where the part that is read ends: between two words, where there are any."""
    if len(text) * _WEIGHT <= MAX_READ:
        return len(text)
    if len(text) + (_WEIGHT - 1) * len(_SHORT_WORDS.findall(text)) <= MAX_READ:
        return len(text)
    weight = end = 0
    for end, char in enumerate(text):  # noqa: B007
        weight += _WEIGHT if _SHORT_WORDS.match(char) else 1
        if weight > MAX_READ:
            break
    space = text.rfind(" ", end - end // 10, end)
    return space if space > 0 else end
