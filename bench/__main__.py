"""Run `personalq bench` as `python -m personalq.bench`."""

import sys

from .cli import main

sys.exit(main(sys.argv[1:]))
