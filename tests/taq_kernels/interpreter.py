"""Run the tests of Triton kernels without a GPU, in a process of their own.

TRITON_INTERPRET is set there from the start.
"""

from __future__ import annotations

import os
import subprocess
import sys

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
HERE = DEVICE == "cuda" or os.environ.get("TRITON_INTERPRET") == "1"
"""Whether this process runs the kernels itself."""


def run_in_interpreter(module: str) -> None:
    """Run the tests of `TestKernel` in the file `module`; comfy-kitchen imports Triton early in
    this process.
    """
    run = subprocess.run(
        [
            sys.executable,
            "-P",
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            module,
            "-k",
            "TestKernel",
        ],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    assert " passed" in run.stdout
