"""Write a run's trained base as one checkpoint.

usage: python -m personalq.bench.world.export RUN_FOLDER OUT.safetensors
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ...demo.world.checkpoint import checkpoint
from .trained import trained_pipeline

if __name__ == "__main__":
    from safetensors.torch import save_file

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    save_file(checkpoint(trained_pipeline(arguments.folder)), arguments.out)
