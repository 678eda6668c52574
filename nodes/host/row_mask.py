"""Carries a mask of context rows from a conditioning to the model's forward, next to the text it belongs to.

The mask is a plain key of the conditioning dict, which Combine, areas, masks, timestep ranges, ControlNet and hooks
all copy along. When sampling starts it becomes a model condition of every cond, all zeros where there is none: the keys
stay equal, so positive and negative still run as one batch, and the host pads and repeats it exactly as it does the
text.
"""

from __future__ import annotations

import comfy.conds
import torch
from comfy.model_patcher import ModelPatcher
from comfy.patcher_extension import WrappersMP

ROWS = "personalq_rows"


def attach(conditioning: list, rows: torch.Tensor) -> list:
    """A copy of the conditioning that carries `rows`, float [T]."""
    return [[embedding, {**options, ROWS: rows}] for embedding, options in conditioning]


def rows_to_model_conds(executor, *args, **kwargs):
    """OUTER_SAMPLE wrapper: gives every cond its mask, float [1, T, 1], as a model condition."""
    for conds in executor.class_obj.conds.values():
        for cond in conds:
            rows, text = cond.pop(ROWS, None), cond.get("cross_attn")
            if text is not None:
                mask = comfy.conds.CONDCrossAttn(_fit(rows, text).reshape(1, -1, 1))
                cond["model_conds"] = {**cond.get("model_conds", {}), ROWS: mask}
    return executor(*args, **kwargs)


def _fit(rows: torch.Tensor | None, text: torch.Tensor) -> torch.Tensor:
    """`rows` on the text's device, cut or padded to the text's length (Concat appends, Average pads)."""
    fitted = torch.zeros(text.shape[1], device=text.device)
    if rows is not None:
        count = min(len(rows), len(fitted))
        fitted[:count] = rows[:count].to(fitted)
    return fitted


def rows_to_transformer_options(
    executor, x, t, c_concat=None, c_crossattn=None, control=None, transformer_options=None, **kwargs
):
    """APPLY_MODEL wrapper: hands the mask, float [B, T, 1] beside the text [B, T, C], to whoever patches attention."""
    options = {**(transformer_options or {}), ROWS: kwargs.pop(ROWS, None)}
    return executor(x, t, c_concat, c_crossattn, control, options, **kwargs)


def install(patcher: ModelPatcher) -> None:
    """Let `patcher` (a clone of the caller's own) carry row masks; once, however often it is called."""
    for kind, wrapper in (
        (WrappersMP.OUTER_SAMPLE, rows_to_model_conds),
        (WrappersMP.APPLY_MODEL, rows_to_transformer_options),
    ):
        patcher.remove_wrappers_with_key(kind, ROWS)
        patcher.add_wrapper_with_key(kind, ROWS, wrapper)
