"""The process that runs the checks.

It sends the name of each check before it runs, and its row afterwards, so that the parent process
knows which check ended this one.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .messages import BROKEN_DEVICE, WRONG_INPUT, Job, WrongInput, send
from .rows import FAILED, SKIPPED, Check, Row, measured

START = Check("ComfyUI", "starts", dict)
"""Stands for everything that happens before the checks."""
NO_TIME = "no time was left"


def work(job: Job) -> int:
    """Run the checks of `job` that are not done yet; returns the exit code."""
    end = time.monotonic() + job.seconds
    try:
        device, dynamic = _start(job)
    except WrongInput as error:
        print(error, file=sys.stderr)
        return WRONG_INPUT
    import torch

    from .environment import facts

    torch.manual_seed(0)
    send(environment=facts(device, _version(job.comfyui)) | {"dynamic VRAM": dynamic})
    for check in _checks(job, device):
        if check.key in job.done:
            continue
        send(started=check.key, check=check.name, shape=check.shape)
        late = time.monotonic() > end
        row = Row(check.name, check.shape, SKIPPED, NO_TIME) if late else measured(check)
        send(row=asdict(row))
        if row.result == FAILED and not _answers(device):
            return BROKEN_DEVICE
    send(finished=True)
    return 0


def _start(job: Job) -> tuple[Any, str]:
    """(device, dynamic VRAM: "on", or why it is off). Must run before torch is imported."""
    if job.comfyui:
        send(started=START.key, check=START.name, shape=START.shape)
        from . import host_start

        return host_start.start(Path(job.comfyui), job.device, Path(job.models))
    from .devices import chosen_device

    return chosen_device(job.device), "off: without ComfyUI"


def _checks(job: Job, device: Any) -> Iterator[Check]:
    if job.comfyui:
        from . import host_checks

        yield from host_checks.checks(device, job.quick)
        host_checks.forget()
    from . import attention_checks, gelu_check, operations, shapes

    work = (
        shapes.QUICK_WORK
        if job.quick
        else shapes.CPU_WORK
        if device.type == "cpu"
        else float("inf")
    )
    products = operations.checks(device, work) + gelu_check.checks(device)
    yield from by_turns(products, attention_checks.checks(device, work))


def by_turns(*kinds: list[Check]) -> Iterator[Check]:
    """The first check of each name, then the second of each, and so on.

    So if time runs out, some checks of every kind are done.
    """
    names: dict[str, list[Check]] = {}
    for check in (check for kind in kinds for check in kind):
        names.setdefault(check.name, []).append(check)
    for turn in range(max(map(len, names.values()), default=0)):
        yield from (found[turn] for found in names.values() if turn < len(found))


def _answers(device: Any) -> bool:
    """Whether the device still computes; after some errors, every call of this process fails."""
    import torch

    try:
        return bool(torch.ones(1, device=device).item() == 1)
    except RuntimeError:
        return False


def _version(comfyui: str | None) -> str | None:
    if comfyui is None:
        return None
    text = Path(comfyui, "comfyui_version.py").read_text(encoding="utf-8")
    found = re.search(r'__version__ = "([^"]+)"', text)
    return found[1] if found else "unknown"
