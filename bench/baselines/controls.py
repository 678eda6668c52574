"""TAQ's controls: what is protected, a scale for each row or each tensor, attention alone or
everything quantized.
"""

from __future__ import annotations

from itertools import product

from .taq import TAQ

PROTECTED = {
    "nothing": "none",
    "BOS": "BOS",
    "trigger": "trigger",
    "BOS + trigger": "trigger + BOS",
    "random rows": "random rows",
    "EOS and padding": "EOS",
    "all rows": "all",
}
"""What is protected, in words -> its name in `taq_kernels.PROTECT`.

"random rows" are as many as "BOS + trigger" has. "EOS and padding" needs these rows marked
(`Call.protected`).
"""
DRAWS = 5
"""Of random rows, per row in attention only; elsewhere the first alone."""
SCALES = {"per row": False, "per tensor": True}
SCOPES = {"attention only": True, "everything": False}


def controls(scope: str = "everything") -> list[TAQ]:
    """The grid for "everything" or "attention only": one method for each kind of protection and of
    scale.
    """
    return [
        TAQ(f"{rows}, {scale}, {scope}", PROTECTED[rows], "uniform", SCALES[scale], SCOPES[scope])
        for rows, scale in product(PROTECTED, SCALES)
    ]


def further_draws(scope: str = "attention only", scale: str = "per row") -> list[TAQ]:
    """More random rows: what one draw of five shows may be chance."""
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
