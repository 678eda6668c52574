"""What the process that checks tells the one that started it: lines of JSON among whatever
libraries print.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

MARK = "personalq-doctor: "

WRONG_INPUT, BROKEN_DEVICE = 2, 3
"""Exit codes: the input was wrong; the device answers no longer, and a new process is needed."""


class WrongInput(ValueError):
    """The person asked for something that is not here; the message says what is."""


@dataclass
class Job:
    """What to check. Paths as text, because it travels as JSON."""

    device: str | None
    quick: bool
    comfyui: str | None
    """Its folder; None = without ComfyUI."""
    models: str
    """A folder that quantized models are written into."""
    seconds: float
    """After which no check begins."""
    done: list[str]
    """Keys of the checks that were done before."""

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Job:
        return cls(**json.loads(text))

    @property
    def comfyui_folder(self) -> Path | None:
        return Path(self.comfyui) if self.comfyui else None


def say(**message: Any) -> None:
    """Tell one thing."""
    sys.stdout.write(f"\n{MARK}{json.dumps(message)}\n")
    sys.stdout.flush()


def heard(line: str) -> dict[str, Any] | None:
    """What a line of the process's output tells; None = something else printed it, or it was cut
    off.
    """
    if not line.startswith(MARK):
        return None
    try:
        return json.loads(line.removeprefix(MARK))
    except ValueError:
        return None
