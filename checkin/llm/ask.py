"""One question to one model, with all retries within a deadline."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any

from ..lexicon.sentences import say
from ..lexicon.text import printable
from .keys import key_of
from .profile import Profile
from .prompt import NoAnswer, Prompt
from .protocols import protocol_named

MAX_RETRIES = 2
_MAX_REASON = 300
"""Characters of the reason why there is no answer: a server may say much."""
_PAUSE = 0.25
"""Seconds before the first retry; twice as long before the next."""

_LOOKS = 0.2
"""Seconds between two looks at whether the run was interrupted."""
INTERRUPTED: ContextVar[Callable[[], None]] = ContextVar("interrupted", default=lambda: None)
"""A function of the host that raises where the person has interrupted the run."""

Answer = dict[str, Any]


class Deadline:
    """The moment by which all answers must be there, retries included.

    Its time begins when it is first asked what is left: a first decision also loads other things.
    """

    def __init__(self, seconds: float):
        self.seconds = seconds
        self._end: float | None = None

    def left(self) -> float:
        """Seconds that are left. Raises NoAnswer when there are none."""
        now = time.monotonic()
        if self._end is None:
            self._end = now + self.seconds
        left = self._end - now
        if left <= 0:
            raise NoAnswer(say("no answer within {seconds:g} seconds", seconds=self.seconds))
        return left


def ask(
    profile: Profile,
    prompt: Prompt,
    schema: dict[str, Any],
    deadline: Deadline,
    settings: Path | None,
) -> Answer:
    """Ask the model; returns a JSON object with the properties that `schema` requires.

    If the server is busy or cannot be reached, it is asked again, at most twice. Raises NoAnswer.
    """
    key = key_of(profile, settings)
    answer_through = protocol_named(profile.protocol)
    for attempt in range(MAX_RETRIES + 1):
        try:
            run = partial(answer_through, profile, key, prompt, schema)
            answer = run(deadline.left()) if profile.in_process else _within(deadline, run)
            return _checked(answer, schema)
        except NoAnswer as error:
            pause = max(error.after, _PAUSE * 2**attempt)
            if not error.again or attempt == MAX_RETRIES or pause >= deadline.left():
                reason = printable(str(error).replace(key, "[key]"))
                raise NoAnswer(reason[:_MAX_REASON]) from None
            _wait(pause)
    raise AssertionError("the last attempt returns or raises")


def _wait(seconds: float) -> None:
    """Let time pass, unless the run is interrupted meanwhile."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        INTERRUPTED.get()()
        time.sleep(min(left, _LOOKS))


def _within(deadline: Deadline, run: Callable[[float], Answer]) -> Answer:
    """What `run` returns or raises, if it finishes in time; else raises NoAnswer.

    A thread enforces this: a server that sends slowly can hold a client beyond its time-out.
    """
    done: queue.SimpleQueue[Answer | BaseException] = queue.SimpleQueue()
    left = deadline.left()
    end = time.monotonic() + left

    def work() -> None:
        try:
            done.put(run(left))
        except BaseException as error:  # handed over to the thread that waits
            done.put(error)

    threading.Thread(target=work, daemon=True).start()
    result: Answer | BaseException | None = None
    while result is None:
        INTERRUPTED.get()()
        if (left := end - time.monotonic()) <= 0:
            raise NoAnswer(say("no answer within {seconds:g} seconds", seconds=deadline.seconds))
        with suppress(queue.Empty):
            result = done.get(timeout=min(left, _LOOKS))
    if isinstance(result, NoAnswer):
        raise result
    if isinstance(result, BaseException):  # what a proxy's address or a hostile reply does to it
        raise NoAnswer(say("its client failed: {error}", error=repr(result))) from result
    return result


def _checked(answer: Answer, schema: dict[str, Any]) -> Answer:
    """The answer, if it has all required properties: not every server enforces a schema."""
    missing = [name for name in schema["required"] if name not in answer]
    if missing:
        raise NoAnswer(say("its answer lacks {names}", names=", ".join(missing)))
    return answer
