"""The rows of the tables that compare methods, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import get_args

from ..baselines import METHODS
from ..baselines.controls import NOTHING, allocated, controls, further_draws
from ..baselines.method import Bits, Method
from ..baselines.taq import ALL_ROWS, TAQ
from ..baselines.weights import RoundingName
from .compare import Variant

SHIPPED = ("per tensor", "per row", "TAQ", "TAQ (log)", ALL_ROWS)
"""Names of TAQ's forms, and of the methods that compute as TAQ does where they can."""
WIDTHS = (Bits(8, 8), Bits(4, 8), Bits(8, 4), Bits(4, 4))


@dataclass(frozen=True)
class Table:
    """A table: its title, its rows, and a note for the reader."""

    title: str
    variants: tuple[Variant, ...]
    note: str = ""
    against: Mapping[str, str] = field(default_factory=dict)
    """Name of a row -> name of the row that it is compared with, picture by picture."""

    def at(
        self,
        widths: Sequence[str] = (),
        named: Sequence[str] = (),
        rounded: Sequence[str] = (),
    ) -> Table:
        """Return the table with some rows: of these bits, such as "W8A8", methods and roundings.

        None named is all. A row stays without the row that it is compared with. Raises ValueError
        for bits, methods and roundings that it has not.
        """
        for asked, known in (
            (widths, [row.bits.name for row in self.variants]),
            (named, [row.method.name for row in self.variants]),
            (rounded, [row.rounding or "" for row in self.variants]),
        ):
            if missing := [one for one in asked if one not in known]:
                has = ", ".join(dict.fromkeys(known))
                raise ValueError(f"this table has no row of {', '.join(missing)}; it has {has}")
        kept = tuple(
            row
            for row in self.variants
            if (not widths or row.bits.name in widths)
            and (not named or row.method.name in named)
            and (not rounded or row.rounding in rounded)
        )
        names = {row.name for row in kept}
        against = {row: other for row, other in self.against.items() if {row, other} <= names}
        return replace(self, variants=kept, against=against)


def methods(quick: bool = False) -> Table:
    """All methods at all bits (the paper's Table I); `quick`: only the most and the fewest bits."""
    widths = (WIDTHS[0], WIDTHS[-1]) if quick else WIDTHS
    rows = tuple(Variant(method, bits) for bits in widths for method in METHODS.values())
    note = (
        "All methods have the same rounded weights and calibration. PSNR gain: over TAQ at the "
        "same bits."
    )
    ours = {row.name: Variant(TAQ(), row.bits).name for row in rows if row.method != TAQ()}
    return Table("Methods at equal bits", rows, note, ours)


def shipped(quick: bool = False) -> Table:
    """TAQ as it ships, and the two controls beside it: the rows of `methods` that are not published
    methods.
    """
    table = methods(quick)
    rows = tuple(row for row in table.variants if row.method.name in SHIPPED)
    note = (
        "Per tensor: one static range for each tensor. Per row: a scale for each row, and no exact "
        "token. PSNR gain: over TAQ at the same bits."
    )
    names = {row.name for row in rows}
    ours = {name: other for name, other in table.against.items() if name in names}
    return Table("TAQ as it ships, and its controls", rows, note, ours)


def quantizers(quick: bool = False) -> Table:
    """The attention weights' quantizer, with and without the trigger protected.

    This is the paper's Table IV.
    """
    rows = tuple(
        Variant(
            TAQ(
                f"{quantizer}, {'trigger kept' if kept else 'nothing kept'}, "
                f"{'per tensor' if tensor else 'per row'}",
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
    note = "PSNR gain: over the same quantizer and scales with nothing kept."
    plain = {
        row.name: row.name.replace(kept, "nothing kept")
        for row in rows
        if (kept := "trigger kept") in row.name
    }
    return Table("Quantizer of attention, and the trigger's rows kept apart", rows, note, plain)


def control_grid(quick: bool = False) -> Table:
    """What is protected, with one scale for each row or each tensor.

    Attention alone is quantized at 4 bits, everything at all bits.
    """
    attention = [
        Variant(m, Bits(None, 4))
        for m in (*controls("attention only"), *([] if quick else further_draws()))
    ]
    widths = (Bits(8, 4),) if quick else WIDTHS
    everything = [Variant(method, bits) for bits in widths for method in controls("everything")]
    note = (
        "Attention only: Q, K, V and A of cross-attention are quantized, and nothing else. "
        "PSNR gain: over nothing protected, with the same scales and bits."
    )
    rows = (*attention, *everything)
    parts = [(row.name, *row.name.split(", ", 1)) for row in rows]
    unprotected = {
        name: f"{NOTHING}, {rest}" for name, protected, rest in parts if protected != NOTHING
    }
    return Table("What the protected rows buy", rows, note, unprotected)


def roundings(quick: bool = False) -> Table:
    """TAQ with weights rounded to nearest, by AdaRound and by BRECQ."""
    widths = (WIDTHS[0],) if quick else WIDTHS
    rows = [
        Variant(TAQ(), bits, rounding) for bits in widths for rounding in get_args(RoundingName)
    ]
    nearest = get_args(RoundingName)[0]
    note = (
        "AdaRound learns the rounding of each layer, BRECQ that of each residual or transformer "
        "block; published are 20,000 iterations of each, at a learning rate of 0.001. With fewer "
        "it is larger: in proportion for AdaRound, by the square root of that for BRECQ. PSNR "
        "gain: over rounding to nearest."
    )
    against = {
        row.name: replace(row, rounding=nearest).name for row in rows if row.rounding != nearest
    }
    return Table("Rounding of weights", tuple(rows), note, against)


def allocation(quick: bool = False) -> Table:
    """Bits for each token and layer from sensitivity, within the bytes of trigger + BOS."""
    only = [method for method in controls("attention only") if not method.per_tensor]
    attention: list[Method] = [*only, *([] if quick else further_draws()), *allocated(True)]
    everything: list[Method] = [TAQ(), TAQ(ALL_ROWS, "all"), *allocated(False)]
    rows = [Variant(method, Bits(None, 4)) for method in attention]
    against = {row.name: f"{NOTHING}, per row, attention only, W32A4" for row in rows[1:]}
    for bits in WIDTHS[2:3] if quick else WIDTHS:
        of_all = [Variant(method, bits) for method in everything]
        rows += of_all
        against |= {row.name: of_all[0].name for row in of_all[1:]}
    note = (
        "Bits for each layer, token, or token and layer: 2, 4, 8 or 16, so that the error expected "
        "at a prompt's first call is least. Its keys and values take no more bytes than with "
        "trigger and BOS exact, which are the exact rows named. PSNR gain: attention only, over "
        "nothing protected; else over TAQ."
    )
    return Table("Bits by sensitivity", tuple(rows), note, against)


TABLES = {
    "allocation": allocation,
    "roundings": roundings,
    "methods": methods,
    "shipped": shipped,
    "quantizers": quantizers,
    "controls": control_grid,
}
