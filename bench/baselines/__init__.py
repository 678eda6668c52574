"""Simulated quantization methods to compare TAQ with, by name."""

from __future__ import annotations

from .dgq import DGQ
from .method import Bits, Calibration, Call, Method, RoundedWeights, Simulated
from .mixdq import MixDQ
from .mixdq_dgq import MixDQDGQ
from .per_row import PerRow
from .per_tensor import PerTensor
from .ptqd import PTQD
from .q_diffusion import QDiffusion
from .taq import ALL_ROWS, TAQ
from .tfmq_dm import TFMQDM
from .weights import round_weights

_METHODS: tuple[Method, ...] = (
    PerTensor(),
    PerRow(),
    QDiffusion(),
    PTQD(),
    TFMQDM(),
    DGQ(),
    MixDQ(),
    MixDQDGQ(),
    TAQ(),
    TAQ("TAQ (log)", quantizer="log"),
    TAQ(ALL_ROWS, "all"),
)
METHODS = {method.name: method for method in _METHODS}

__all__ = [
    "ALL_ROWS",
    "METHODS",
    "TAQ",
    "Bits",
    "Calibration",
    "Call",
    "Method",
    "RoundedWeights",
    "Simulated",
    "round_weights",
]
