"""A question to a language model, and the one error if there is no usable answer."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Prompt:
    """One question: fixed instructions, the data as text, and pictures.

    Pictures are PNG, JPEG or WebP files in memory.
    """

    system: str
    text: str
    images: tuple[bytes, ...] = ()


def with_schema(text: str, schema: dict[str, Any]) -> str:
    """The text of a question that also says which form the answer has."""
    return (
        f"{text}\n\nAnswer with one JSON object of this schema and nothing else:\n"
        f"{json.dumps(schema)}"
    )


class NoAnswer(Exception):
    """There is no usable answer. The message is a sentence for the user and contains no key.

    `again` says that the same question may be answered a little later; `after` is the least number
    of seconds to wait.
    """

    def __init__(self, reason: str, again: bool = False, after: float = 0.0):
        super().__init__(reason)
        self.again = again
        self.after = after


def image_type(data: bytes) -> str:
    """The MIME type of a picture file. Raises NoAnswer for a kind that models do not take."""
    if data.startswith(b"\x89PNG"):
        return "image/png"
    if data.startswith(b"\xff\xd8"):
        return "image/jpeg"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    raise NoAnswer("a picture is neither PNG, JPEG nor WebP")
