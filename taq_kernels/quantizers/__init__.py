"""Quantizers of attention weights, and the uniform one of activations, keys and values.

A new quantizer is a file here with a `QUANTIZER`, and its name in `_FILES`.
"""

from __future__ import annotations

from importlib import import_module

from torch import Tensor

from .quantizer import Quantizer

_FILES = (
    "uniform",
    "logarithmic",
)
"""In the order in which they are offered; the first is the default."""

_ALL: tuple[Quantizer, ...] = tuple(
    import_module(f"{__name__}.{file}").QUANTIZER for file in _FILES
)
QUANTIZERS = {quantizer.name: quantizer for quantizer in _ALL}
"""By name."""


def attention_quantize_dequantize(
    weights: Tensor, bits: int, quantizer: str, per_tensor: bool = False
) -> Tensor:
    """Quantized attention weights [B, heads, N, T] by the quantizer of that name, in the dtype of
    `weights`, whose values are in [0, 1].

    One scale for each query (last dimension), or with `per_tensor` one for each of the B batch
    entries; 0 is exact. Raises KeyError for an unknown name.
    """
    vectors = weights.flatten(1) if per_tensor else weights
    return QUANTIZERS[quantizer].quantize_dequantize(vectors, bits).view(weights.shape)
