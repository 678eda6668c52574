"""Keys and values in the form that attention kernels read: codes, and tokens in full precision."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

MAX_TOKENS = 512
"""The most tokens in codes that a program of the Triton kernel holds, and the most tokens in full
precision.
"""


@dataclass
class QuantizedKV:
    """Keys and values of a batch with B entries and D distinct prompts.

    A prompt has up to R tokens in codes and up to P in full precision. Attention does not depend on
    the order of the tokens in a group. If a prompt has fewer than R or P tokens in a group, the
    rest is padding of any value. C = heads * d.

    A decoded value is scale * (code - zero). With `bits` up to 4, codes are [D, R, ceil(C/2)], two
    in a byte as in `pack_nibbles`.
    """

    bits: int | None
    """Bits of a code, 2 to 8; None = there are no codes, R = 0."""
    k_codes: Tensor
    """uint8 [D, R, C]."""
    k_scale: Tensor
    """float32 [D, R]."""
    k_zero: Tensor
    """uint8 [D, R]."""
    k_full: Tensor
    """[D, P, C] in a float dtype."""
    v_codes: Tensor
    """Like `k_codes`; the next three are like `k_scale`, `k_zero` and `k_full`."""
    v_scale: Tensor
    v_zero: Tensor
    v_full: Tensor
    code_count: Tensor
    """int [D]: the number of a prompt's tokens in codes."""
    full_count: Tensor
    """int [D]: the number of a prompt's tokens in full precision; the two add up to at least 1."""
    prompt_index: Tensor
    """int [B]: the index of each batch entry's prompt."""
    code_bias: Tensor | None = None
    """float32 [D, R]: added to the logits of the tokens in codes; None = nothing is added."""
    full_bias: Tensor | None = None
    """float32 [D, P]: the same for the tokens in full precision; None where `code_bias` is."""

    def tensors(self) -> list[Tensor]:
        """All tensors, in the order of the fields after `bits`."""
        bias = (
            []
            if self.code_bias is None or self.full_bias is None
            else [self.code_bias, self.full_bias]
        )
        return [
            self.k_codes,
            self.k_scale,
            self.k_zero,
            self.k_full,
            self.v_codes,
            self.v_scale,
            self.v_zero,
            self.v_full,
            self.code_count,
            self.full_count,
            self.prompt_index,
            *bias,
        ]

    @property
    def is_packed(self) -> bool:
        """Whether a byte holds two codes."""
        return self.bits is not None and self.bits <= 4

    def check(self, q: Tensor, heads: int) -> None:
        """Raise ValueError if these tensors do not fit each other or the queries `q` [B, N, C]."""
        if q.dim() != 3 or heads < 1 or q.shape[-1] % heads:
            raise ValueError(f"q must be [B, N, heads*d]; got {tuple(q.shape)} for {heads} heads")
        self._check_widths(q)
        codes, full = self.k_codes, self.k_full
        if (codes.shape, full.shape, len(codes)) != (
            self.v_codes.shape,
            self.v_full.shape,
            len(full),
        ):
            raise ValueError(
                "k and v must have the same tokens, and codes and full-precision tokens the same "
                f"prompts; got codes {tuple(codes.shape)}, {tuple(self.v_codes.shape)}, full "
                f"precision {tuple(full.shape)}, {tuple(self.v_full.shape)}"
            )
        if self.bits is None and codes.shape[1]:
            raise ValueError(
                "bits None means that every token is in full precision; got "
                f"{codes.shape[1]} tokens in codes"
            )

    def _check_widths(self, q: Tensor) -> None:
        width = q.shape[-1]
        code_width = (width + 1) // 2 if self.is_packed else width
        for name, codes, full in (
            ("k", self.k_codes, self.k_full),
            ("v", self.v_codes, self.v_full),
        ):
            fits = codes.dim() == full.dim() == 3
            if not fits or (codes.shape[2], full.shape[2]) != (code_width, width):
                raise ValueError(
                    f"with q {tuple(q.shape)} and {self.bits} bits, {name}_codes must be [D, R, "
                    f"{code_width}] and {name}_full [D, P, {width}]; got {tuple(codes.shape)} and "
                    f"{tuple(full.shape)}"
                )


def is_real(tokens: Tensor, count: Tensor) -> Tensor:
    """Bool [D, R]: which of `tokens` [D, R, ...] are not padding; `count` int [D] are real."""
    return torch.arange(tokens.shape[1], device=tokens.device) < count[:, None]
