"""Control variants of TAQ.

They differ in what is protected, in scales per row or per tensor, and in whether only attention or
everything is quantized.
"""

from __future__ import annotations

from itertools import product
from typing import get_args

from ...taq_kernels.spec import ALL
from .allocated import Allocated, Unit
from .taq import TAQ

NOTHING = "nothing"
PROTECTED = {
    NOTHING: "none",
    "BOS": "BOS",
    "trigger": "trigger",
    "BOS + trigger": "trigger + BOS",
    "random rows": "random rows",
    "EOS and padding": "EOS",
    "all rows": "all",
}
"""What is protected, in words -> its name in `taq_kernels.PROTECT`.

"random rows" are as many tokens as "BOS + trigger" has. "EOS and padding" needs these tokens marked
(`Call.protected`).
"""
DRAWS = 5
"""Number of draws of random tokens.

All are used with per-row scales in attention only; elsewhere only the first.
"""
SCALES = {"per row": False, "per tensor": True}
SCOPES = {"attention only": True, "everything": False}


def controls(scope: str = "everything") -> list[TAQ]:
    """Return one method for each kind of protection and of scale.

    `scope` is "everything" or "attention only". Where attention alone is quantized, all tokens
    cannot be protected: nothing would be quantized.
    """
    return [
        TAQ(f"{rows}, {scale}, {scope}", PROTECTED[rows], "uniform", SCALES[scale], SCOPES[scope])
        for rows, scale in product(PROTECTED, SCALES)
        if not (SCOPES[scope] and PROTECTED[rows] == ALL)
    ]


def further_draws(scope: str = "attention only", scale: str = "per row") -> list[TAQ]:
    """Return further draws of random tokens: one draw alone may show chance."""
    return [
        TAQ(
            f"random rows {draw + 1}, {scale}, {scope}",
            "random rows",
            "uniform",
            SCALES[scale],
            SCOPES[scope],
            draw,
        )
        for draw in range(1, DRAWS)
    ]


def allocated(attention_only: bool) -> list[Allocated]:
    """Return TAQ with bits by sensitivity: for each unit where attention alone is quantized."""
    like, scope = TAQ(attention_only=attention_only), ", attention only" if attention_only else ""
    units: tuple[Unit, ...] = get_args(Unit) if attention_only else get_args(Unit)[:1]
    return [Allocated(f"bits for each {unit}{scope}", like, unit) for unit in units]
