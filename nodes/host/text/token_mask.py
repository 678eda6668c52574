"""Carries a token mask from a conditioning to the model's forward, together with its text.

The mask is a plain key of the conditioning dict, which Combine, areas, masks, timestep ranges,
ControlNet and hooks all copy. When sampling starts, it becomes a model condition of every cond, all
zeros if a cond has no mask. So all conds have the same keys, positive and negative still run as one
batch, and the host pads and repeats the mask exactly like the text.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict

import comfy.conds
import torch
from comfy.model_patcher import ModelPatcher
from comfy.patcher_extension import WrappersMP

from ....taq_kernels.families import CLIP_TOKENS

KEY = "personalq_token_mask"
T5_IDS, T5_LENGTH = "t5xxl_ids", 512
"""The key with the tokens from which the host makes Anima's text, and the length that it pads the
text to.
"""
_REMEMBERED = 1024
_marks_of_chunk: OrderedDict[str, torch.Tensor] = OrderedDict()
"""Digest of an encoded chunk -> its marks, for the chunks that were marked last."""


def attach(conditioning: list, mask: torch.Tensor) -> list:
    """A copy of the conditioning with `mask`, float [T], of marks as in `protected_tokens`."""
    for embedding, _ in conditioning if len(mask) % CLIP_TOKENS == 0 else ():
        chunks = embedding.split(CLIP_TOKENS, dim=1)
        for chunk, marks in zip(chunks, mask.split(CLIP_TOKENS), strict=False):
            digest = _digest(chunk)
            # If the same text is also encoded without a trigger, keep the marks with the trigger.
            if (marks > 0).any() or digest not in _marks_of_chunk:
                _marks_of_chunk[digest] = marks
    while len(_marks_of_chunk) > _REMEMBERED:
        _marks_of_chunk.popitem(last=False)
    return [[embedding, {**options, KEY: mask}] for embedding, options in conditioning]


def mask_to_model_conds(executor, *args, **kwargs):
    """OUTER_SAMPLE wrapper: give every cond its mask, float [1, T, 1], as a model condition."""
    for conds in executor.class_obj.conds.values():
        for cond in conds:
            mask, text = cond.pop(KEY, None), cond.get("cross_attn")
            if text is not None:
                ids = cond.get(T5_IDS)
                length = text.shape[1] if ids is None else max(T5_LENGTH, len(ids))
                fitted = comfy.conds.CONDCrossAttn(_fit(mask, text, length).reshape(1, -1, 1))
                cond["model_conds"] = {**cond.get("model_conds", {}), KEY: fitted}
    return executor(*args, **kwargs)


def _fit(mask: torch.Tensor | None, text: torch.Tensor, length: int) -> torch.Tensor:
    """`mask` on the text's device, cut or padded to `length`, that of the text.

    The node Average pads texts. Chunks that Concat appended get the marks that they were encoded
    with.
    """
    fitted = torch.zeros(length, device=text.device)
    own = CLIP_TOKENS if mask is None else len(mask)
    if mask is not None:
        count = min(own, len(fitted))
        fitted[:count] = mask[:count].to(fitted)
    for start in range(own, len(fitted) - CLIP_TOKENS + 1, CLIP_TOKENS):
        appended = slice(start, start + CLIP_TOKENS)
        marks = _marks_of_chunk.get(_digest(text[:, appended]))
        if marks is not None:
            fitted[appended] = marks.to(fitted)
    return fitted


def _digest(chunk: torch.Tensor) -> str:
    return hashlib.sha1(
        chunk.detach().to("cpu", torch.float32).contiguous().numpy().tobytes()
    ).hexdigest()


def mask_to_transformer_options(
    executor,
    x,
    t,
    c_concat=None,
    c_crossattn=None,
    control=None,
    transformer_options=None,
    **kwargs,
):
    """APPLY_MODEL wrapper: pass the mask, float [B, T, 1] for a text [B, T, C], to the attention
    layers.
    """
    options = {**(transformer_options or {}), KEY: kwargs.pop(KEY, None)}
    return executor(x, t, c_concat, c_crossattn, control, options, **kwargs)


def install(patcher: ModelPatcher) -> None:
    """Make `patcher`, the caller's own clone, carry token masks.

    More calls change nothing.
    """
    for kind, wrapper in (
        (WrappersMP.OUTER_SAMPLE, mask_to_model_conds),
        (WrappersMP.APPLY_MODEL, mask_to_transformer_options),
    ):
        patcher.remove_wrappers_with_key(kind, KEY)
        patcher.add_wrapper_with_key(kind, KEY, wrapper)
