"""The rows of the tables that compare methods, as data."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from ..baselines import METHODS
from ..baselines.controls import controls
from ..baselines.method import Bits
from ..baselines.taq import TAQ
from .compare import Variant

WIDTHS = (Bits(8, 8), Bits(4, 8), Bits(8, 4), Bits(4, 4))


@dataclass(frozen=True)
class Table:
    """One table: its title, its rows, and what a reader must know."""

    title: str
    variants: tuple[Variant, ...]
    note: str = ""


def methods(quick: bool = False) -> Table:
    """All methods at all widths (the paper's Table I); `quick`: the widest and the narrowest."""
    widths = (WIDTHS[0], WIDTHS[-1]) if quick else WIDTHS
    rows = tuple(Variant(method, bits) for bits in widths for method in METHODS.values())
    return Table("Methods at equal bits", rows, "All methods have the same rounded weights and calibration.")


def quantizers(quick: bool = False) -> Table:
    """The attention weights' quantizer, with and without the trigger's rows kept (the paper's Table IV)."""
    rows = tuple(
        Variant(
            TAQ(
                f"{quantizer}, {'trigger kept' if kept else 'nothing kept'}, {'per tensor' if tensor else 'per row'}",
                "trigger" if kept else "none",
                "log" if quantizer == "log" else "uniform",
                tensor,
            ),
            bits,
        )
        for bits, tensor, quantizer, kept in product(
            (Bits(8, 8), Bits(8, 4)), (False, True), ("uniform", "log"), (False, True)
        )
    )
    return Table("Quantizer of attention, and the trigger's rows kept apart", rows)


def control_grid(quick: bool = False) -> Table:
    """What is protected, with one scale for each row or each tensor, in attention alone and everywhere."""
    attention = [Variant(m, Bits(None, a)) for a in (8, 4) for m in controls("attention only")]
    widths = (Bits(8, 4),) if quick else WIDTHS
    everything = [Variant(method, bits) for bits in widths for method in controls("everything")]
    note = "Attention only: Q, K, V and A of cross-attention are quantized, and nothing else."
    return Table("What the protected rows buy", (*attention, *everything), note)


TABLES = {"methods": methods, "quantizers": quantizers, "controls": control_grid}
