"""Trigger-aware cross-attention in the host's models: K and V are projected once for each prompt,
and protected tokens stay in full precision.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from comfy.model_patcher import ModelPatcher
from comfy.patcher_extension import PatcherInjection, WrappersMP

from ....taq_kernels import AttentionSpec, PromptKVCache, protected_tokens
from ....taq_kernels.attention.real_tokens import real_tokens
from ....taq_kernels.families import is_cross_attention
from ....taq_kernels.spec import AS_MEASURED
from ..text import token_mask
from .architectures.architecture import Architecture
from .bypass_branches import weights_key
from .side_memory import MAX_TEXTS, free_when_unloaded, side_memory
from .step import KEY, Step
from .supported import architecture_and_family

WEIGHTS = f"{KEY}_weights"
"""The option with the key of the weights and the model's side memory."""
ProtectedTokens = Callable[[torch.Tensor], torch.Tensor]
"""Marks of tokens [B, T] -> the tokens to protect, bool [B, T]."""


@dataclass(frozen=True)
class Protection:
    """What `find_prompt` does with the texts of a model."""

    cache: PromptKVCache
    choose: ProtectedTokens
    spec: AttentionSpec
    measured: bool
    architecture: Architecture
    padded: bool


def install(
    patcher: ModelPatcher, protect: str | ProtectedTokens, spec: AttentionSpec
) -> AttentionSpec:
    """Run every cross-attention of `patcher` by the paper's equations, and return their
    specification.

    `patcher` must be the caller's own clone. The specification is `spec`, without bits if all
    tokens are protected. Raises ValueError for a model that TAQ does not support.
    """
    architecture, family = architecture_and_family(patcher)
    names = [name for name, _ in patcher.model.named_modules() if is_cross_attention(name)]

    def inject(target: ModelPatcher) -> None:
        for name in names:
            attn = target.get_model_object(name)
            attn.forward = partial(architecture.forward, attn, name)

    def eject(target: ModelPatcher) -> None:
        for name in names:
            target.get_model_object(name).__dict__.pop("forward", None)

    if callable(protect):
        choose = protect
    else:
        choose, spec = partial(_named, family.padded, protect), spec.keeping(protect)
    cache = PromptKVCache(spec.kv_bits, spec.per_tensor, MAX_TEXTS)
    protection = Protection(
        cache, choose, spec, protect == AS_MEASURED, architecture, family.padded
    )
    token_mask.install(patcher)
    patcher.set_injections(KEY, [PatcherInjection(inject, eject)])
    for kind, wrapper in (
        (WrappersMP.APPLY_MODEL, name_weights),
        (WrappersMP.DIFFUSION_MODEL, partial(find_prompt, protection)),
    ):
        patcher.remove_wrappers_with_key(kind, KEY)
        patcher.add_wrapper_with_key(kind, KEY, wrapper)
    free_when_unloaded(patcher)
    return spec


def _named(padded: bool, protect: str, marks: torch.Tensor) -> torch.Tensor:
    """The tokens that `protect` names.

    In a padded text, the token for the padding takes the place of BOS.
    """
    return protected_tokens(marks, protect, *([marks.shape[1]] if padded else []))


def name_weights(executor, x, t, c_concat, c_crossattn, control, options, **kwargs):
    """APPLY_MODEL wrapper: pass the key of the weights and the model's side memory to
    `find_prompt`.
    """
    patcher = executor.class_obj.current_patcher
    options = {**options, WEIGHTS: (weights_key(patcher), side_memory(patcher.model))}
    return executor(x, t, c_concat, c_crossattn, control, options, **kwargs)


def find_prompt(protection: Protection, executor, x, t, context, *args, **kwargs):
    """DIFFUSION_MODEL wrapper: find the batch's prompts in the cache by text [B, T, C], mask and
    weights.
    """
    options = _options(*args, *kwargs.values())
    weights, side = options[WEIGHTS]
    text = protection.architecture.text(executor.class_obj, context)
    marks = options[token_mask.KEY]
    if marks is None or marks.shape[:2] != text.shape[:2]:
        marks = torch.zeros(*text.shape[:2], 1)
    marks = marks[..., 0].to(text.device)
    tokens, counts, places = text, None, None
    if protection.padded:
        real = real_tokens(text)
        tokens, counts, places, marks = real.context, real.counts, real.places, real.of(marks)
    protected = protection.choose(marks)
    cache = protection.cache
    known = cache.hits
    prompt = cache.lookup(tokens, protected, weights, counts)
    side.use(cache, grew=cache.hits == known)
    options[KEY] = Step(protection.spec, protected, text, prompt, protection.measured, places)
    return executor(x, t, context, *args, **kwargs)


def _options(*given: Any) -> dict[str, Any]:
    """The `transformer_options` among the arguments of a model, made by the host for this call."""
    return next(one for one in given if isinstance(one, dict) and WEIGHTS in one)
