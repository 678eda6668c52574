"""A text encoder that is a language model, run by the ComfyUI around this process.

What loads and runs it is the host's, which sets `GENERATE` for a run.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from ...lexicon.sentences import say
from ..profile import Profile
from ..prompt import NoAnswer, Prompt, with_schema
from ..replies import parse_answer

Generate = Callable[[str, str, str, float], tuple[str, bool]]
"""(layout of the encoder, instructions, text, seconds) -> its answer, and whether it was cut off.

Raises NoAnswer.
"""
GENERATE: ContextVar[Generate | None] = ContextVar("generate", default=None)


def answer(
    profile: Profile, key: str, prompt: Prompt, schema: dict[str, Any], seconds: float
) -> dict[str, Any]:
    """One attempt: the JSON object that the model answers. Raises NoAnswer."""
    generate = GENERATE.get()
    if generate is None:
        raise NoAnswer(say("it runs inside of ComfyUI alone"))
    text = with_schema(prompt.text, schema)
    return parse_answer(*generate(profile.model, prompt.system, text, seconds))
