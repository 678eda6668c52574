"""Trigger-aware cross-attention in the host's UNet: K and V are projected once for each prompt, and
protected tokens stay in full precision.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from comfy.ldm.modules.attention import optimized_attention
from comfy.model_patcher import ModelPatcher
from comfy.patcher_extension import PatcherInjection, WrappersMP

from ....taq_kernels import AttentionSpec, PromptKVCache, attend, protected_tokens
from ....taq_kernels.attention.cross_attention import attend_stored, quantized_tokens
from ....taq_kernels.attention.kv_cache import PromptKV
from ....taq_kernels.attention.token_sensitivity import most_sensitive_tokens, token_sensitivity
from ....taq_kernels.families import is_cross_attention
from ....taq_kernels.spec import AS_MEASURED
from ..text import token_mask
from .bypass_branches import weights_key
from .side_memory import free_when_unloaded, side_memory

KEY = "personalq_taq"
OVERRIDE = "optimized_attention_override"
"""The option with which another pack replaces attention; the host's attention calls its value."""
ProtectedTokens = Callable[[torch.Tensor], torch.Tensor]
"""Marks of tokens [B, T] -> the tokens to protect, bool [B, T]."""


@dataclass(frozen=True)
class Step:
    """One call of the UNet, as its cross-attentions need to know it.

    They read it from `transformer_options`. It cannot be stored in the modules: two settings of one
    quantized model share them, and the host does not exchange injections between clones that differ
    in nothing else.
    """

    spec: AttentionSpec
    protected: torch.Tensor
    """The tokens in full precision, bool [B, T]."""
    context: torch.Tensor
    """[B, T, C]: the text that the UNet was called with."""
    prompt: PromptKV
    """The cached K and V of the batch's prompts."""
    measured: bool
    """Whether each layer protects the tokens that it is most sensitive to, as many as `protected`
    marks.
    """


def install(
    patcher: ModelPatcher, protect: str | ProtectedTokens, spec: AttentionSpec
) -> AttentionSpec:
    """Run every cross-attention of `patcher` by the paper's equations, and return their
    specification.

    `patcher` must be the caller's own clone. The specification is `spec`, without bits if all
    tokens are protected.
    """
    names = [name for name, _ in patcher.model.named_modules() if is_cross_attention(name)]

    def inject(target: ModelPatcher) -> None:
        for name in names:
            attn = target.get_model_object(name)
            attn.forward = partial(forward, attn, name)

    def eject(target: ModelPatcher) -> None:
        for name in names:
            target.get_model_object(name).__dict__.pop("forward", None)

    if callable(protect):
        choose = protect
    else:
        choose, spec = partial(protected_tokens, protect=protect), spec.keeping(protect)
    cache = PromptKVCache(spec.kv_bits, spec.per_tensor)
    find = partial(find_prompt, cache, choose, spec, protect == AS_MEASURED)
    token_mask.install(patcher)
    patcher.set_injections(KEY, [PatcherInjection(inject, eject)])
    for kind, wrapper in (
        (WrappersMP.APPLY_MODEL, name_weights),
        (WrappersMP.DIFFUSION_MODEL, find),
    ):
        patcher.remove_wrappers_with_key(kind, KEY)
        patcher.add_wrapper_with_key(kind, KEY, wrapper)
    free_when_unloaded(patcher)
    return spec


def name_weights(executor, x, t, c_concat, c_crossattn, control, options, **kwargs):
    """APPLY_MODEL wrapper: pass the key of the weights and the model's side memory to
    `find_prompt`.
    """
    patcher = executor.class_obj.current_patcher
    options = {**options, KEY: (weights_key(patcher), side_memory(patcher.model))}
    return executor(x, t, c_concat, c_crossattn, control, options, **kwargs)


def find_prompt(
    cache: PromptKVCache,
    choose: ProtectedTokens,
    spec,
    measured,
    executor,
    x,
    t,
    context,
    y,
    control,
    options,
    **kwargs,
):
    """DIFFUSION_MODEL wrapper: find the batch's prompts in the cache by text [B, T, C], mask and
    weights.
    """
    marks, (weights, side) = options[token_mask.KEY], options[KEY]
    marks = (
        torch.zeros(context.shape[:2], device=context.device) if marks is None else marks[..., 0]
    )
    protected = choose(marks.to(context.device))
    known = cache.hits
    prompt = cache.lookup(context, protected, weights)
    side.use(cache, grew=cache.hits == known)
    step = Step(spec, protected, context, prompt, measured)
    return executor(x, t, context, y, control, {**options, KEY: step}, **kwargs)


def forward(attn, name: str, x, context=None, value=None, mask=None, transformer_options=None):
    """Replace `CrossAttention.forward` of the module `attn`: x [B, N, C], context [B, T, width].

    If a patch or another pack passes another text than the prompt, that text is projected. With an
    attention mask, which our equations do not have, the layer runs the host's own code. Where
    nothing is quantized, the host's own attention gets the stored keys and values, and so does
    another pack that replaces attention.
    """
    options = transformer_options or {}
    step: Step | None = options.get(KEY)
    if step is None or mask is not None:
        return type(attn).forward(attn, x, context, value, mask, options)
    q = attn.to_q(x)
    plain = OVERRIDE in options or not step.spec.quantizes
    if not _is_prompt(step, context, value):
        k, v = attn.to_k(context), attn.to_v(context if value is None else value)
        protected = step.protected if step.protected.shape == k.shape[:2] else None
        k, v = quantized_tokens(k, v, protected, step.spec)
    else:
        choose = partial(_most_sensitive, q, attn.heads, step) if step.measured else None
        layer = step.prompt.stored(name, partial(_project, attn, x.dtype), choose)
        if not plain:
            return attn.to_out(attend_stored(q, layer, step.prompt.inverse, attn.heads, step.spec))
        k, v = (stored.dequantize()[step.prompt.inverse] for stored in (layer.k, layer.v))
    if plain:
        out = optimized_attention(
            q,
            k,
            v,
            attn.heads,
            attn_precision=attn.attn_precision,
            transformer_options=transformer_options,
        )
    else:
        out = attend(q, k, v, attn.heads, protected, step.spec)
    return attn.to_out(out)


def _is_prompt(step: Step, context, value) -> bool:
    """Whether a layer got the text that the UNet was called with, for both keys and values."""
    prompt = step.context

    def same(text) -> bool:
        if text is None or text is prompt:
            return text is not None
        alike = (text.shape, text.dtype, text.device) == (prompt.shape, prompt.dtype, prompt.device)
        return alike and torch.equal(text, prompt)

    return same(context) and (value is None or value is context or same(value))


def _project(attn, dtype: torch.dtype, text: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    k, v = (getattr(layer, "project", layer)(text.to(dtype)) for layer in (attn.to_k, attn.to_v))
    return k, v


def _most_sensitive(
    q: torch.Tensor, heads: int, step: Step, k: torch.Tensor, v: torch.Tensor
) -> torch.Tensor:
    sensitivity = token_sensitivity(q[step.prompt.first], k, v, heads, step.spec)
    return most_sensitive_tokens(sensitivity, step.prompt.protected.sum(1))
