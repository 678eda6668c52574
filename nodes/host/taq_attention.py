"""Trigger-aware cross-attention in the host's UNet: K and V projected once per prompt, the protected rows exact."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import torch
from comfy.hooks import EnumHookType
from comfy.model_patcher import ModelPatcher
from comfy.patcher_extension import PatcherInjection, WrappersMP

from ...taq_kernels import AttentionSpec, PromptKVCache, cross_attention, protected_rows
from ...taq_kernels.attention import attend
from ...taq_kernels.kv_cache import PromptKV
from . import row_mask

KEY = "personalq_taq"


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


def install(patcher: ModelPatcher, protect: str, spec: AttentionSpec) -> None:
    """Run every cross-attention of `patcher` (a clone of the caller's own) by the paper's equations under `spec`."""
    names = [name for name, _ in patcher.model.named_modules() if name.endswith(".attn2")]

    def inject(target: ModelPatcher) -> None:
        for name in names:
            attn = target.get_model_object(name)
            attn.forward = partial(forward, attn, name)

    def eject(target: ModelPatcher) -> None:
        for name in names:
            target.get_model_object(name).__dict__.pop("forward", None)

    find = partial(find_prompt, PromptKVCache(spec.kv_bits), protect, spec)
    row_mask.install(patcher)
    patcher.set_injections(KEY, [PatcherInjection(inject, eject)])
    for kind, wrapper in ((WrappersMP.OUTER_SAMPLE, refuse_weight_hooks), (WrappersMP.APPLY_MODEL, find)):
        patcher.remove_wrappers_with_key(kind, KEY)
        patcher.add_wrapper_with_key(kind, KEY, wrapper)


def refuse_weight_hooks(executor, *args, **kwargs):
    """OUTER_SAMPLE wrapper: raises ValueError where a hook would change weights, which the host cannot do in 8 bits."""
    for conds in executor.class_obj.conds.values():
        for cond in conds:
            if cond.get("hooks") is not None and cond["hooks"].get_type(EnumHookType.Weight):
                raise ValueError(
                    "A LoRA hook (a scheduled or per-prompt LoRA) cannot change a quantized model. Put the LoRA before "
                    "TAQ Quantize Model with a LoRA loader, or sample this prompt without TAQ."
                )
    return executor(*args, **kwargs)


def find_prompt(cache, protect, spec, executor, x, t, c_concat, c_crossattn, control, options, **kwargs):
    """APPLY_MODEL wrapper: recognise the batch's prompts by their text [B, T, C], mask and weights."""
    rows = options[row_mask.ROWS]
    rows = torch.zeros(c_crossattn.shape[:2], device=c_crossattn.device) if rows is None else rows[..., 0]
    protected = protected_rows(rows, protect)
    prompt = cache.lookup(c_crossattn, protected, executor.class_obj.current_patcher.patches_uuid)
    options = {**options, KEY: Step(spec, protected, prompt)}
    return executor(x, t, c_concat, c_crossattn, control, options, **kwargs)


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
        k, v = step.prompt.get(name, lambda rows: (attn.to_k(rows.to(x.dtype)), attn.to_v(rows.to(x.dtype))))
        out = attend(q, k, v, attn.heads, step.protected, step.spec)
    else:
        k, v = attn.to_k(context), attn.to_v(value)
        protected = step.protected if step.protected.shape == k.shape[:2] else None
        out = cross_attention(q, k, v, attn.heads, protected, step.spec)
    return attn.to_out(out)
