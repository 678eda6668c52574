"""Messages from the process that runs the checks to the one that started it.

They are lines of JSON between the lines that libraries print.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from typing import Any

MARK = "personalq-doctor: "

BROKEN_DEVICE, WRONG_INPUT = 3, 4
"""Exit codes: the device stopped answering and a new process is needed; or the input was wrong. An
error that ends the process has another code (cli/main.py).
"""


class WrongInput(ValueError):
    """The input names something that this machine does not have; the message says what it has."""


@dataclass
class Job:
    """What to check. Paths are strings, because a job is sent as JSON."""

    device: str | None
    quick: bool
    comfyui: str | None
    """ComfyUI's folder; None = check without ComfyUI."""
    models: str
    """The folder to write quantized models into."""
    seconds: float
    """Seconds after which no check begins."""
    done: list[str]
    """Keys of the checks that are done already."""

    def to_json(self) -> str:
        """All fields as one JSON object."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Job:
        """The job that `to_json` wrote."""
        return cls(**json.loads(text))


def send(**message: Any) -> None:
    """Write one message to standard output."""
    sys.stdout.write(f"\n{MARK}{json.dumps(message)}\n")
    sys.stdout.flush()


def received(line: str) -> dict[str, Any] | None:
    """The message in a line of the process's output.

    None = the line is not a message, or it was cut off.
    """
    if not line.startswith(MARK):
        return None
    try:
        return json.loads(line.removeprefix(MARK))
    except ValueError:
        return None
