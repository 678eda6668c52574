"""Calibration: choose how each weight is rounded, so that the blocks of a quantized UNet return
nearly the same as in full precision.
"""

from .adaround import Schedule, adaround, learn_rounding
from .blocks import METHODS, Block, find_blocks
from .job import Calibration, calibrate
from .prompts import calibration_prompts
from .reconstruct import BlockResult, reconstruct_
from .rounding import Rounding

__all__ = [
    "METHODS",
    "Block",
    "BlockResult",
    "Calibration",
    "Rounding",
    "Schedule",
    "adaround",
    "calibrate",
    "calibration_prompts",
    "find_blocks",
    "learn_rounding",
    "reconstruct_",
]
