"""Quantizers for attention weights; the uniform one also quantizes activations, keys and values.

To add a quantizer, add a file with a `QUANTIZER` to this folder and its name to `_FILES`.
"""

from __future__ import annotations

from importlib import import_module

from torch import Tensor

from .quantizer import Quantizer

_FILES = (
    "uniform",
    "logarithmic",
)
"""Files in this folder, in the order in which quantizers are offered; the first is the default."""

_ALL: tuple[Quantizer, ...] = tuple(
    import_module(f"{__name__}.{file}").QUANTIZER for file in _FILES
)
QUANTIZERS = {quantizer.name: quantizer for quantizer in _ALL}
"""Quantizers by name."""


def attention_quantize_dequantize(
    weights: Tensor, bits: int, quantizer: str, per_tensor: bool = False
) -> Tensor:
    """Quantize and decode attention `weights` [B, heads, N, T], values in [0, 1], in their dtype.

    Each query (last dimension) has its own scale, or with `per_tensor` each of the B batch entries.
    0 is exact. Raises KeyError if no quantizer is named `quantizer`.
    """
    vectors = weights.flatten(1) if per_tensor else weights
    return QUANTIZERS[quantizer].quantize_dequantize(vectors, bits).view(weights.shape)
