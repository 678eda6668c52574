"""The prompt-time key/value cache: text is projected once per prompt, not once per sampling step."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

import torch
from torch import Tensor

from .kv_rows import StoredRows, row_mask

Projection = Callable[[Tensor], tuple[Tensor, Tensor]]


@dataclass
class PromptKV:
    """Stored keys and values of one prompt batch, layer by layer, for its distinct rows only.

    Positive and negative prompts of one batch, or the images of a larger batch, often share their text.
    """

    context: Tensor
    """[D, T, C]: the distinct batch entries."""
    protected: Tensor
    """bool [D, T]."""
    inverse: Tensor
    """int64 [B]: which distinct entry each batch entry is."""
    kv_bits: int | None
    layers: dict[str, tuple[StoredRows, StoredRows]] = field(default_factory=dict)

    def get(self, layer: str, project: Projection) -> tuple[Tensor, Tensor]:
        """Keys and values [B, T, C'] of `layer` after storage.

        `project(context rows [D, T, C]) -> (k, v)` is the full-precision projection; it runs on the first use only.
        """
        if layer not in self.layers:
            k, v = project(self.context)
            self.layers[layer] = (
                StoredRows.store(k, self.protected, self.kv_bits),
                StoredRows.store(v, self.protected, self.kv_bits),
            )
        k_rows, v_rows = self.layers[layer]
        return k_rows.dequantize()[self.inverse], v_rows.dequantize()[self.inverse]

    @property
    def nbytes(self) -> int:
        """Bytes of all stored rows, and of the context kept to recognise the prompt."""
        rows = sum(k.nbytes + v.nbytes for k, v in self.layers.values())
        return rows + self.context.nbytes + self.protected.nbytes + self.inverse.nbytes


class PromptKVCache:
    """The last `capacity` prompt batches, least recently used out first.

    A prompt is recognised by its values, never by where they lie in memory: hosts assemble the context anew each step.
    """

    def __init__(self, kv_bits: int | None, capacity: int = 8) -> None:
        if capacity < 1:
            raise ValueError(f"capacity must be at least 1; got {capacity}")
        self.kv_bits = kv_bits
        self.capacity = capacity
        self.hits = 0
        self.misses = 0
        self._prompts: list[tuple[Hashable, PromptKV]] = []
        """Least recently used first."""

    def lookup(self, context: Tensor, protected: Tensor | None, weights_key: Hashable) -> PromptKV:
        """The stored keys and values of the prompt batch `context` [B, T, C] with rows `protected` bool [B, T].

        `weights_key` names the weights that project it (base, LoRA, strength). Raises ValueError for shapes that do
        not fit.
        """
        protected = row_mask(context, protected)
        for place in reversed(range(len(self._prompts))):
            key, prompt = self._prompts[place]
            if key == weights_key and _is_of(prompt, context, protected):
                self.hits += 1
                self._prompts.append(self._prompts.pop(place))
                return prompt
        self.misses += 1
        prompt = _distinct(context, protected, self.kv_bits)
        self._prompts = [*self._prompts, (weights_key, prompt)][-self.capacity :]
        return prompt

    def __len__(self) -> int:
        return len(self._prompts)

    @property
    def nbytes(self) -> int:
        """Bytes of all prompts held."""
        return sum(prompt.nbytes for _, prompt in self._prompts)


def _is_of(prompt: PromptKV, context: Tensor, protected: Tensor) -> bool:
    """Whether `prompt` was made from exactly this context and mask."""
    distinct = prompt.context
    if (distinct.dtype, distinct.device) != (context.dtype, context.device):
        return False
    if (len(prompt.inverse), *distinct.shape[1:]) != tuple(context.shape):
        return False
    inverse = prompt.inverse
    return torch.equal(prompt.protected[inverse], protected) and torch.equal(distinct[inverse], context)


def _distinct(context: Tensor, protected: Tensor, kv_bits: int | None) -> PromptKV:
    """A prompt with no layer yet, of the batch's distinct entries (copied: the host may reuse its memory)."""
    first: list[int] = []
    inverse: list[int] = []
    for entry in range(context.shape[0]):
        same = (
            place
            for place, other in enumerate(first)
            if torch.equal(protected[entry], protected[other]) and torch.equal(context[entry], context[other])
        )
        inverse.append(next(same, len(first)))
        if inverse[-1] == len(first):
            first.append(entry)
    return PromptKV(context[first], protected[first], torch.tensor(inverse, device=context.device), kv_bits)
