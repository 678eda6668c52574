"""Functions that processes of Ray can import, and a Ray for the tests of one file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_RAY = """
import sys
from pathlib import Path
from personalq.ray_cluster import connected
with connected(None, Path(sys.argv[1])) as ray:
    print("address", ray.get_runtime_context().gcs_address, flush=True)
    sys.stdin.read()
"""


def doubled_or_killed(number: int) -> int:
    """Twice the number; 3 ends the process, 4 is refused."""
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 4:
        raise ValueError("four is wrong")
    return 2 * number


def marked(mark: str) -> None:
    """Make a file as it starts, and ten seconds later another; of a `short` mark, at once."""
    Path(f"{mark}.started").touch()
    time.sleep(0 if mark.endswith("short") else 10)
    Path(f"{mark}.ended").touch()


@contextmanager
def running_ray(folder: Path) -> Iterator[str]:
    """The address of a Ray of its own."""
    command = [sys.executable, "-P", "-c", _RAY, str(folder)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin
    assert process.stdout
    try:
        said = next(line for line in process.stdout if line.startswith("address "))
        yield said.split()[1]
    finally:
        process.stdin.close()
        process.wait(60)
