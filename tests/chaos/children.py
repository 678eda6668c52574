"""Processes that write until they are killed, and processes that write at the same time."""

from __future__ import annotations

import mmap
import os
import signal
import time
import traceback
from collections.abc import Callable


def killed_after(seconds: float, write: Callable[[int], object]) -> int:
    """Have another process call `write(0)`, `write(1)`, ... and kill it in the middle.

    Returns how many of the calls had ended.
    """
    done = mmap.mmap(-1, 8)  # shared with the child
    child = os.fork()
    if child == 0:
        _forever(write, done)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return int.from_bytes(done[:8], "little")


def at_once(*works: Callable[[], object]) -> list[int]:
    """Run each in a process of its own, all at the same time; their exit statuses."""
    children = []
    for work in works:
        child = os.fork()
        if child == 0:
            _once(work)
        children.append(child)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def _forever(write: Callable[[int], object], done: mmap.mmap) -> None:
    number = 0
    while True:
        try:
            write(number)
        except BaseException:  # shown, because a child has no test around it
            traceback.print_exc()
            os._exit(1)
        number += 1
        done[:8] = number.to_bytes(8, "little")


def _once(work: Callable[[], object]) -> None:
    try:
        work()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)
