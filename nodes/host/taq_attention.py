"""Trigger-aware cross-attention in the host's UNet: K and V projected once per prompt, the protected rows exact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from comfy.model_patcher import ModelPatcher
from comfy.patcher_extension import PatcherInjection, WrappersMP

from ...taq_kernels import AttentionSpec, PromptKVCache, cross_attention, protected_rows
from ...taq_kernels.attention import attend_stored
from ...taq_kernels.kv_cache import PromptKV
from ...taq_kernels.measured import most_sensitive_rows, row_sensitivity
from ...taq_kernels.rows import AS_MEASURED
from . import row_mask
from .branches import forget_when_unloaded, weights_key

KEY = "personalq_taq"
Choice = Callable[[torch.Tensor], torch.Tensor]
"""Row marks [B, T] -> the rows to protect, bool [B, T]."""


@dataclass(frozen=True)
class Step:
    """One call of the UNet, for its cross-attentions.

    They read it from `transformer_options`: two settings of one quantized model share its modules, and the host does
    not exchange injections between clones that differ in nothing else.
    """

    spec: AttentionSpec
    protected: torch.Tensor
    """The rows kept in full precision, bool [B, T]."""
    prompt: PromptKV
    """The cached K and V of the batch's prompts."""
    measured: bool
    """Each layer keeps as many rows as are `protected`, but the ones it feels most."""


def install(patcher: ModelPatcher, protect: str | Choice, spec: AttentionSpec) -> AttentionSpec:
    """Run every cross-attention of `patcher` (a clone of the caller's own) by the paper's equations under `spec`, or
    under what is left of it where all rows are protected. Returns what it runs under.
    """
    names = [name for name, _ in patcher.model.named_modules() if name.endswith(".attn2")]

    def inject(target: ModelPatcher) -> None:
        for name in names:
            attn = target.get_model_object(name)
            attn.forward = partial(forward, attn, name)

    def eject(target: ModelPatcher) -> None:
        for name in names:
            target.get_model_object(name).__dict__.pop("forward", None)

    if callable(protect):
        rows = protect
    else:
        rows, spec = partial(protected_rows, protect=protect), spec.keeping(protect)
    cache = PromptKVCache(spec.kv_bits, spec.per_tensor)
    find = partial(find_prompt, cache, rows, spec, protect == AS_MEASURED)
    row_mask.install(patcher)
    patcher.set_injections(KEY, [PatcherInjection(inject, eject)])
    patcher.remove_wrappers_with_key(WrappersMP.APPLY_MODEL, KEY)
    patcher.add_wrapper_with_key(WrappersMP.APPLY_MODEL, KEY, find)
    forget_when_unloaded(patcher, KEY, cache.clear)
    return spec


def find_prompt(
    cache: PromptKVCache, choose: Choice, spec, measured, executor, x, t, c_concat, c_crossattn, control, options, **kw
):
    """APPLY_MODEL wrapper: recognise the batch's prompts by their text [B, T, C], mask and weights."""
    marks = options[row_mask.ROWS]
    marks = torch.zeros(c_crossattn.shape[:2], device=c_crossattn.device) if marks is None else marks[..., 0]
    protected = choose(marks)
    prompt = cache.lookup(c_crossattn, protected, weights_key(executor.class_obj.current_patcher))
    options = {**options, KEY: Step(spec, protected, prompt, measured)}
    return executor(x, t, c_concat, c_crossattn, control, options, **kw)


def forward(attn, name: str, x, context=None, value=None, mask=None, transformer_options=None):
    """`CrossAttention.forward` of the module `attn`: x [B, N, C], context [B, T, 768 or 2048].

    A patch that changed the context is obeyed (`value` is then set): K and V are projected from what it gave. So is an
    attention mask, which our equations do not have: the layer then runs as the host has it.
    """
    options = transformer_options or {}
    step: Step | None = options.get(KEY)
    if step is None or mask is not None:
        return type(attn).forward(attn, x, context, value, mask, options)
    q = attn.to_q(x)
    if value is None:
        choose = partial(_most_sensitive, q, attn.heads, step) if step.measured else None
        layer = step.prompt.stored(name, partial(_project, attn, x.dtype), choose)
        out = attend_stored(q, layer, step.prompt.inverse, attn.heads, step.spec)
    else:
        k, v = attn.to_k(context), attn.to_v(value)
        protected = step.protected if step.protected.shape == k.shape[:2] else None
        out = cross_attention(q, k, v, attn.heads, protected, step.spec)
    return attn.to_out(out)


def _project(attn, dtype: torch.dtype, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return attn.to_k(rows.to(dtype)), attn.to_v(rows.to(dtype))


def _most_sensitive(q: torch.Tensor, heads: int, step: Step, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    felt = row_sensitivity(q[step.prompt.first], k, v, heads, step.spec)
    return most_sensitive_rows(felt, step.prompt.protected.sum(1))
