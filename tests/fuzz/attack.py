"""One attack: many cases from one seed, what each took, and what broke.

`PERSONALQ_SEED=20 PERSONALQ_CASE=137 python -P -m pytest tests/fuzz/test_requests.py` repeats one
case, and `PERSONALQ_CASES=full` tries six times as many files.
"""

from __future__ import annotations

import gc
import json
import os
import random
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

SEED = int(os.environ.get("PERSONALQ_SEED", "20"))
FULL = os.environ.get("PERSONALQ_CASES") == "full"
RESULTS = "PERSONALQ_RELIABILITY"
"""The environment variable that names the file to which each outcome is added."""
MOST_MEGABYTES = 100.0


@dataclass
class Outcome:
    """What an attack did, in the columns of docs/reliability.md."""

    attack: str
    tried: int = 0
    crashes: int = 0
    hangs: int = 0
    lost_writes: int = 0
    stale_cards: int = 0
    wrong_tensors: int = 0
    foreign_files: int = 0
    worst_seconds: float = 0.0
    worst_megabytes: float = 0.0
    failures: list[str] = field(default_factory=list)


class Attack:
    """Counts the cases of one attack; `finish` asserts that none broke anything."""

    def __init__(
        self,
        name: str,
        most_seconds: float,
        most_megabytes: float = MOST_MEGABYTES,
        clock: Callable[[], float] = time.process_time,
    ):
        """`clock`: seconds of this process, which other programs do not lengthen; for cases that
        wait for another process, `time.monotonic`.
        """
        self.outcome = Outcome(name)
        self.most_seconds, self.most_megabytes = most_seconds, most_megabytes
        self._clock = clock
        self._base = _peak()
        gc.collect()
        gc.freeze()  # what other tests left alive is not walked again in the time of a case
        print(f"{name}: PERSONALQ_SEED={SEED}")

    def numbers(self, count: int) -> Iterator[int]:
        """The numbers of the cases: all, or the one that PERSONALQ_CASE names."""
        only = os.environ.get("PERSONALQ_CASE")
        yield from [int(only)] if only else range(count)

    def random(self, number: int) -> random.Random:
        """The random numbers of one case, the same in every run with this seed."""
        return random.Random(f"{self.outcome.attack}:{SEED}:{number}")

    @contextmanager
    def case(self, number: int, of: int = 1) -> Iterator[None]:
        """One case, of `of` things that are tried: whatever it raises is a crash."""
        _forget_peak()  # what its files took to write is not the program's
        self._base = _peak()
        start = self._clock()
        try:
            yield
        except Exception as error:
            self.broke("crashes", number, f"{type(error).__name__}: {error}")
        self.took(self._clock() - start, number)
        self.outcome.tried += of

    def took(self, seconds: float, number: int) -> None:
        """Count the time of a case, and by how much the most memory ever held grew in it."""
        self.outcome.worst_seconds = max(self.outcome.worst_seconds, seconds)
        grown = _peak() - self._base
        if seconds > self.most_seconds:
            self.broke("hangs", number, f"{seconds:.1f} s")
        if grown > self.most_megabytes >= self.outcome.worst_megabytes:
            self.broke("hangs", number, f"{grown:.0f} MB more than before")
        self.outcome.worst_megabytes = max(self.outcome.worst_megabytes, grown)

    def broke(self, what: str, number: int, why: str) -> None:
        """Count a failure, with the command that repeats it."""
        setattr(self.outcome, what, getattr(self.outcome, what) + 1)
        self.outcome.failures.append(
            f"{what}: PERSONALQ_SEED={SEED} PERSONALQ_CASE={number}: {why[:300]}"
        )

    def finish(self) -> None:
        """Add the outcome to the table's file, if one is named; assert that nothing broke."""
        gc.unfreeze()
        if path := os.environ.get(RESULTS):
            with open(path, "a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(self.outcome)) + "\n")
        assert self.outcome.tried, "nothing was tried"
        assert not self.outcome.failures, "\n".join(self.outcome.failures[:10])


def _forget_peak() -> None:
    """Begin to measure the most memory anew, where the system can (proc(5), clear_refs)."""
    if sys.platform == "linux":
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")


def _peak() -> float:
    """The most megabytes that this process has held since then."""
    if sys.platform == "win32":
        import psutil

        return float(psutil.Process().memory_info().peak_wset) / 2**20
    if sys.platform == "linux":
        held = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
        assert held
        return int(held[1]) / 2**10
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
