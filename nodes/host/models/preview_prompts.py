"""The prompts that pictures beside a model were drawn with, as A1111 writes them into pictures."""

from __future__ import annotations

from collections.abc import Iterator

from ....checkin import Card
from ....checkin.lexicon.text import printable
from ....checkin.readers.pictures import opened
from ....checkin.readers.previews import is_video
from ....checkin.readers.published import MAX_PROMPT_BYTES
from ....checkin.readers.text import shorten

MAX_PREVIEWS = 8
"""Previews that are looked at."""


def preview_prompts(card: Card) -> Iterator[tuple[int, str]]:
    """(number of the preview, prompt) of each picture that has one."""
    for number, path in enumerate(card.previews[:MAX_PREVIEWS]):
        if is_video(path):
            continue
        try:
            with opened(path) as picture:
                said = picture.info.get("parameters")
        except Exception:  # decoders raise all kinds of errors for broken pictures
            continue
        prompt = str(said or "").partition("\nNegative prompt:")[0].partition("\nSteps:")[0]
        if prompt and not prompt.startswith("Steps:"):
            yield number, shorten(printable(prompt), MAX_PROMPT_BYTES)
