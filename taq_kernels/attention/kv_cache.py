"""The K/V cache: text is projected once for each prompt, not once for each sampling step."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor

from .kv_tokens import StoredTokens, grouped, protected_mask

Projection = Callable[[Tensor], tuple[Tensor, Tensor]]
"""Text [D, T, C] -> its full-precision keys and values [D, T, C']."""
ChooseTokens = Callable[[Tensor, Tensor], Tensor]
"""Keys and values [D, T, C'] -> the tokens of one layer to protect, bool [D, T]."""


class TokenBias(NamedTuple):
    """What is added to the logits of tokens that stand for several: the logarithm of their number,
    float32.
    """

    all: Tensor
    """[D, T]."""
    in_codes: Tensor
    """[D, R]: of the tokens in codes, as `StoredTokens` groups them."""
    in_full: Tensor
    """[D, P]: of the tokens in full precision."""

    @classmethod
    def of(cls, counts: Tensor, protected: Tensor) -> TokenBias:
        """The bias of tokens that stand for `counts` int [D, T] tokens each."""
        bias = counts.float().log()
        return cls(
            bias, *(grouped(bias[..., None], part)[..., 0] for part in (~protected, protected))
        )


@dataclass(frozen=True)
class LayerKV:
    """Keys and values of one cross-attention layer, as stored."""

    k: StoredTokens
    v: StoredTokens
    protected: Tensor
    """bool [D, T]: their columns of A stay in full precision too."""
    bias: TokenBias | None = None
    """None = each token stands for itself."""
    _read: dict[torch.dtype, list[Tensor]] = field(default_factory=dict, repr=False)

    def as_read(self, dtype: torch.dtype) -> list[Tensor]:
        """The tensors of a `QuantizedKV` but for `prompt_index`, made once and not in each step.

        Tokens in full precision are converted to `dtype`. Raises ValueError without codes.
        """
        if dtype not in self._read:
            if self.k.codes is None or self.v.codes is None:
                raise ValueError("all tokens of this layer are in full precision: no codes")
            full_count = self.protected.sum(1, dtype=torch.int32)
            tokens = (
                part
                for one, codes in ((self.k, self.k.codes), (self.v, self.v.codes))
                for part in (codes.q, codes.scale[..., 0], codes.zero[..., 0], one.full.to(dtype))
            )
            self._read[dtype] = [*tokens, self.protected.shape[1] - full_count, full_count]
        return self._read[dtype]

    @property
    def nbytes(self) -> int:
        """Bytes of keys and values, with those of copies in other dtypes."""
        copies = (full for read in self._read.values() for full in (read[3], read[7]))
        own = self.k.full, self.v.full
        more = sum(full.nbytes for full in copies if not any(full is one for one in own))
        return self.k.nbytes + self.v.nbytes + more


@dataclass
class PromptKV:
    """Stored keys and values of a batch of prompts, for each layer.

    Each distinct prompt is stored only once, because the images of a batch often share their text.
    """

    context: Tensor
    """[D, T, C]: the text of the distinct prompts."""
    protected: Tensor
    """bool [D, T]."""
    inverse: Tensor
    """int64 [B]: the distinct prompt of each batch entry (the `prompt_index` of attention)."""
    kv_bits: int | None
    per_tensor: bool = False
    counts: Tensor | None = None
    """int [D, T]: how many tokens each stands for (`real_tokens`); None = one."""
    layers: dict[str, LayerKV] = field(default_factory=dict)

    def stored(
        self, layer: str, project: Projection, choose: ChooseTokens | None = None
    ) -> LayerKV:
        """The stored keys and values of `layer`.

        On the first use, `project` computes them in full precision. `choose`, where given, picks
        the tokens that this layer protects from its keys and values; otherwise the layer protects
        the tokens that the prompt protects.
        """
        if layer not in self.layers:
            k, v = project(self.context)
            protected = choose(k, v) if choose else self.protected
            k_stored, v_stored = (
                StoredTokens.store(x, protected, self.kv_bits, self.per_tensor) for x in (k, v)
            )
            bias = None if self.counts is None else TokenBias.of(self.counts, protected)
            self.layers[layer] = LayerKV(k_stored, v_stored, protected, bias)
        return self.layers[layer]

    @property
    def first(self) -> Tensor:
        """int64 [D]: for each distinct prompt, the first batch entry that has it."""
        count = len(self.inverse)
        places = torch.arange(count, device=self.inverse.device)
        found = torch.full((len(self.context),), count, device=self.inverse.device)
        return found.scatter_reduce(0, self.inverse, places, "amin")

    @property
    def nbytes(self) -> int:
        """Bytes of all stored keys and values, and of the text that identifies the prompts."""
        tokens = sum(layer.nbytes for layer in self.layers.values())
        return tokens + self.context.nbytes + self.protected.nbytes + self.inverse.nbytes


class PromptKVCache:
    """The K/V cache of the last `capacity` batches of prompts; the least recently used go first.

    A prompt is recognised by its values, never by its address in memory, because hosts assemble
    the context again in each step. Raises ValueError for a capacity below 1.
    """

    def __init__(self, kv_bits: int | None, per_tensor: bool = False, capacity: int = 8) -> None:
        if capacity < 1:
            raise ValueError(f"capacity must be at least 1; got {capacity}")
        self.kv_bits, self.per_tensor = kv_bits, per_tensor
        self.capacity = capacity
        self.hits = 0
        self.misses = 0
        self._prompts: list[tuple[Hashable, PromptKV]] = []
        """Least recently used first."""

    def lookup(
        self,
        context: Tensor,
        protected: Tensor | None,
        weights_key: Hashable,
        counts: Tensor | None = None,
    ) -> PromptKV:
        """The stored keys and values of the batch of prompts `context` [B, T, C].

        `protected` bool [B, T] marks its protected tokens (None = no token). `weights_key` names
        the weights that project it (base, LoRA, strength). `counts` int [B, T] is how many tokens
        each stands for; None = one. Raises ValueError for shapes that do not fit.
        """
        protected = protected_mask(context, protected)
        for place in reversed(range(len(self._prompts))):
            key, prompt = self._prompts[place]
            if key == weights_key and _is_of(prompt, context, protected, counts):
                self.hits += 1
                self._prompts.append(self._prompts.pop(place))
                return prompt
        self.misses += 1
        prompt = _distinct(context, protected, counts, self.kv_bits, self.per_tensor)
        self._prompts = [*self._prompts, (weights_key, prompt)][-self.capacity :]
        return prompt

    def evict(self) -> bool:
        """Forget the least recently used batch; return False if the cache has only one or none."""
        if len(self._prompts) < 2:
            return False
        del self._prompts[0]
        return True

    def clear(self) -> None:
        """Forget all prompts."""
        self._prompts = []

    def __len__(self) -> int:
        return len(self._prompts)

    @property
    def nbytes(self) -> int:
        """Bytes of all prompts."""
        return sum(prompt.nbytes for _, prompt in self._prompts)


def _is_of(prompt: PromptKV, context: Tensor, protected: Tensor, counts: Tensor | None) -> bool:
    """Whether `prompt` was made from exactly this context, mask and counts."""
    distinct = prompt.context
    if (distinct.dtype, distinct.device) != (context.dtype, context.device):
        return False
    if (len(prompt.inverse), *distinct.shape[1:]) != tuple(context.shape):
        return False
    inverse, own = prompt.inverse, prompt.counts
    if own is None or counts is None:
        same_counts = own is counts
    else:
        same_counts = torch.equal(own[inverse], counts)
    return (
        same_counts
        and torch.equal(prompt.protected[inverse], protected)
        and torch.equal(distinct[inverse], context)
    )


def _distinct(
    context: Tensor,
    protected: Tensor,
    counts: Tensor | None,
    kv_bits: int | None,
    per_tensor: bool,
) -> PromptKV:
    """The distinct prompts of a batch, with no layers yet; copied, because hosts reuse memory."""
    first: list[int] = []
    inverse: list[int] = []
    for number in range(context.shape[0]):
        same = (
            index
            for index, other in enumerate(first)
            if torch.equal(protected[number], protected[other])
            and (counts is None or torch.equal(counts[number], counts[other]))
            and torch.equal(context[number], context[other])
        )
        inverse.append(next(same, len(first)))
        if inverse[-1] == len(first):
            first.append(number)
    indices = torch.tensor(inverse, device=context.device)
    own = None if counts is None else counts[first]
    return PromptKV(context[first], protected[first], indices, kv_bits, per_tensor, own)
