"""A day of requests: who asks for what, with how much memory."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

WHOLE, MERGED = "fp16, a checkpoint each", "fp16 base, the LoRA merged"
PRESETS = ("W8A8", "W4A8")
WAYS = (WHOLE, MERGED, *PRESETS)


@dataclass(frozen=True)
class Day:
    """What is replayed."""

    model: str = "sd15"
    models: int = 1000
    requests: int = 10_000
    zipf: float = 1.1
    """The popularity of the n-th model is n to the power of -zipf."""
    memory: float = 32.0
    """Main memory of the machine in GB; the pool takes half of it."""
    card: float = 12.0
    """Memory of the graphics card in GB, for checkpoints that stay on it."""
    samples: int = 4
    """How often each time is measured."""
    seed: int = 0
    ways: Sequence[str] = WAYS

    def asked(self) -> list[int]:
        """The model of each request."""
        weights = [1 / rank**self.zipf for rank in range(1, self.models + 1)]
        return random.Random(self.seed).choices(range(self.models), weights, k=self.requests)
