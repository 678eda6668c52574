"""A text encoder of the user's as the language model that it is, run by the host.

The text encoders of Z-Image, Flux.2 Klein and others are whole language models that follow
instructions: Qwen3, with 4 or 8 billion parameters. The host generates text with them (its node
Generate Text), on its device and within its memory.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import comfy.model_management as management
import comfy.sd

from ....checkin.lexicon.sentences import say
from ....checkin.lexicon.split_models import SPLIT_MODELS, TEXT_ENCODERS
from ....checkin.llm.prompt import NoAnswer
from ....checkin.llm.protocols.comfyui import GENERATE
from .parts import find

_ENCODERS = {
    part.layout: part
    for row in SPLIT_MODELS
    for part in row.text_encoders
    if part.layout in ("qwen3-4b", "qwen3-8b")
}
"""Those that can answer."""
MAX_TOKENS = 400
"""The most tokens of an answer: numbers, a word, and a short reason."""
_CHAT = (
    "<|im_start|>system\n{}<|im_end|>\n<|im_start|>user\n{}<|im_end|>\n"
    "<|im_start|>assistant\n<think>\n\n</think>\n\n"
)
"""Qwen3's form of instructions and a question, with its thoughts left empty."""


class LanguageModel:
    """Generates text for one decision (`Generate` in checkin/llm/protocols/comfyui.py).

    What is loaded for the first question is kept for the next ones, and is let go with this object:
    the model that draws needs the memory.
    """

    def __init__(self) -> None:
        self._loaded: dict[str, Any] = {}

    def __call__(self, layout: str, system: str, text: str, seconds: float) -> tuple[str, bool]:
        """See `Generate`: by the text encoder of this layout, else by the other one.

        The likeliest token is taken each time, so that a question has one answer.
        """
        parts = sorted(_ENCODERS.values(), key=lambda part: part.layout != layout)
        path = next(filter(None, map(find, parts)), None)
        if path is None:
            raise NoAnswer(
                say(
                    "no text encoder here can answer: put {file} into {folder}",
                    file="qwen_3_4b.safetensors",
                    folder=TEXT_ENCODERS,
                )
            )
        with _ending_after(seconds):
            clip = self._loaded.get(path) or comfy.sd.load_clip([path])
            self._loaded = {path: clip}
            chat = _CHAT.format(_plain(system), _plain(text))
            ids = clip.generate(
                clip.tokenize(chat, llama_template="{}"), do_sample=False, max_length=MAX_TOKENS
            )
        return clip.decode(ids), len(ids) == MAX_TOKENS


@contextmanager
def at_hand() -> Iterator[None]:
    """Let decisions made in it ask a text encoder, which is let go at its end."""
    before = GENERATE.set(LanguageModel())
    try:
        yield
    finally:
        GENERATE.reset(before)


def _plain(text: str) -> str:
    """A text in which nothing is a sign of the chat's form, as what a card says might be."""
    return text.replace("<|", "< |")


@contextmanager
def _ending_after(seconds: float) -> Iterator[None]:
    """Interrupt the host's work in it after so many seconds: then, and where it fails, it raises
    NoAnswer.

    A person's interruption goes on. The host looks at it with each token.
    """
    late, over, lock = False, False, threading.Lock()

    def interrupt() -> None:
        nonlocal late
        with lock:
            if not over:
                late = True
                management.interrupt_current_processing()

    timer = threading.Timer(seconds, interrupt)
    timer.start()
    try:
        yield
    except management.InterruptProcessingException:
        if not late:
            raise
        raise NoAnswer(say("it did not answer in time")) from None
    except Exception as error:  # of a broken file, of too little memory: we decide without it
        raise NoAnswer(say("its client failed: {error}", error=repr(error))) from error
    finally:
        timer.cancel()
        with lock:
            over = True
            if late:
                management.interrupt_current_processing(False)
