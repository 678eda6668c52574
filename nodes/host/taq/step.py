"""One call of the model, as its cross-attentions need to know it, and what they all compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from comfy.ldm.modules.attention import optimized_attention
from torch import Tensor

from ....taq_kernels import AttentionSpec, attend
from ....taq_kernels.attention.cross_attention import attend_stored, quantized_tokens
from ....taq_kernels.attention.kv_cache import PromptKV
from ....taq_kernels.attention.token_sensitivity import most_sensitive_tokens, token_sensitivity

KEY = "personalq_taq"
OVERRIDE = "optimized_attention_override"
"""The option with which another pack replaces attention; the host's attention calls its value."""
Project = Callable[[Tensor, Tensor, bool], tuple[Tensor, Tensor]]
"""(text of the keys [B, T, C], text of the values, whether it is projected without being cached)
-> keys and values [B, T, C'].
"""


@dataclass(frozen=True)
class Step:
    """One call of the model.

    Cross-attentions read it from `transformer_options`. It cannot be stored in the modules: two
    settings of one quantized model share them, and the host does not exchange injections between
    clones that differ in nothing else.
    """

    spec: AttentionSpec
    protected: Tensor
    """The tokens in full precision, bool [B, T']."""
    context: Tensor
    """[B, T, C]: the text that the cross-attentions get."""
    prompt: PromptKV
    """The cached K and V of the batch's prompts, of T' tokens each."""
    measured: bool
    """Whether each layer protects the tokens that it is most sensitive to, as many as `protected`
    marks.
    """
    places: Tensor | None = None
    """int64 [B, T]: the place among the T' tokens of each token of the text (`real_tokens`); None =
    they are the same.
    """
    _equal: list[Tensor] = field(default_factory=list)
    """Other tensors of this call that hold the same text."""

    def is_prompt(self, *texts: Tensor | None) -> bool:
        """Whether all `texts` that a layer got are the text of this call."""
        return all(text is not None and self._same(text) for text in texts)

    def _same(self, text: Tensor) -> bool:
        own = self.context
        if text is own or any(text is other for other in self._equal):
            return True
        alike = (text.shape, text.dtype, text.device) == (own.shape, own.dtype, own.device)
        if not alike or not torch.equal(text, own):
            return False
        self._equal.append(text)  # held for this call, so that its identity is not reused
        return True


def attended(
    step: Step,
    name: str,
    q: Tensor,
    heads: int,
    texts: tuple[Any, Any],
    project: Project,
    options: dict[str, Any],
    **settings: Any,
) -> Tensor:
    """The output of the cross-attention called `name`, before its last projection: [B, N, C].

    q is [B, N, C]; `texts` are the texts [B, T, width] of its keys and of its values. A text other
    than the prompt, from a patch or another pack, is projected. Where nothing is quantized, the
    host's own attention gets the stored keys and values, with `settings`; so does another pack that
    replaces attention.
    """
    plain = OVERRIDE in options or not step.spec.quantizes
    if step.is_prompt(*texts):
        choose = partial(_most_sensitive, q, heads, step) if step.measured else None
        layer = step.prompt.stored(name, partial(_projected, project, q.dtype), choose)
        if not plain:
            return attend_stored(q, layer, step.prompt.inverse, heads, step.spec)
        k, v = (_whole(step, stored.dequantize()) for stored in (layer.k, layer.v))
    else:
        k, v = project(texts[0], texts[1], False)
        protected = step.protected if step.protected.shape == k.shape[:2] else None
        k, v = quantized_tokens(k, v, protected, step.spec)
        if not plain:
            return attend(q, k, v, heads, protected, step.spec)
    return optimized_attention(q, k, v, heads, transformer_options=options, **settings)


def project_with(layer: Any, text: Tensor, once: bool) -> Tensor:
    """The output of the projection `layer` for `text`.

    `once`: its own cache of texts (`operations.TextLinear`) is not used, because the caller stores
    what it returns.
    """
    return getattr(layer, "project", layer)(text) if once else layer(text)


def _projected(project: Project, dtype: torch.dtype, text: Tensor) -> tuple[Tensor, Tensor]:
    text = text.to(dtype)
    return project(text, text, True)


def _whole(step: Step, tokens: Tensor) -> Tensor:
    """Stored keys or values [D, T', C] of all prompts as those of the batch's texts, [B, T, C]."""
    tokens = tokens[step.prompt.inverse]
    if step.places is None:
        return tokens
    return tokens.gather(1, step.places[..., None].expand(-1, -1, tokens.shape[2]))


def _most_sensitive(q: Tensor, heads: int, step: Step, k: Tensor, v: Tensor) -> Tensor:
    prompt = step.prompt
    sensitivity = token_sensitivity(q[prompt.first], k, v, heads, step.spec, prompt.counts)
    return most_sensitive_tokens(sensitivity, prompt.protected.sum(1))
