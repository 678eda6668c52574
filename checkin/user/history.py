"""The history: which models were used, and how.

It is one file on this machine, which its owner may erase at any time. It holds no request and no
prompt. It changes how a model is run, never which one is chosen.
"""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from ...atomic_write import alone, write_whole

MAX_USES = 1000
"""The most uses that are stored; older ones are dropped."""


@dataclass(frozen=True)
class Use:
    """One use of a model."""

    when: datetime
    model: str
    """The hash of its file, or the id of its card if that hash is not known."""
    preset: str | None = None
    """The TAQ preset that the user picked by hand; None if the serving plan decided."""


class History:
    """Uses in a JSON Lines file."""

    def __init__(self, path: Path):
        self.path = path

    def uses(self) -> tuple[Use, ...]:
        """All stored uses, oldest first; invalid lines are skipped.

        Where the file cannot be read there are none: the history costs no answer.
        """
        try:
            return self._read()
        except OSError as error:
            logging.warning("PersonalQ: the history cannot be read (%s).", error.strerror)
            return ()

    def _read(self) -> tuple[Use, ...]:
        if not self.path.is_file():
            return ()
        found = (_use(line) for line in self.path.read_text("utf-8", "replace").splitlines())
        return tuple(use for use in found if use)[-MAX_USES:]

    def add(self, use: Use) -> None:
        """Store a use. The file is replaced in one step, so that a crash loses nothing.

        Raises OSError.
        """
        with alone(self.path):
            newest = [*self._read(), use][-MAX_USES:]
            lines = (json.dumps({**asdict(one), "when": one.when.isoformat()}) for one in newest)
            if not self.path.exists():
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.path.touch(0o600)  # readable only by its owner
            write_whole(self.path, "".join(f"{line}\n" for line in lines).encode())

    def erase(self) -> int:
        """Delete the history, and return how many uses it had."""
        with alone(self.path):
            count = len(self.uses())
            self.path.unlink(missing_ok=True)
            return count


def _use(line: str) -> Use | None:
    try:
        said = json.loads(line)
        when = datetime.fromisoformat(said["when"])
        preset = said.get("preset")
        return (
            Use(when, str(said["model"]), str(preset) if preset else None) if when.tzinfo else None
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
