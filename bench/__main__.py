"""`python -m personalq.bench` is `personalq bench`."""

import sys

from .cli import main

sys.exit(main(sys.argv[1:]))
