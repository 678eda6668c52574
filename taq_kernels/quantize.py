"""Quantize the weights of a UNet in place."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatch

from comfy_kitchen.tensor import QuantizedTensor
from torch import Tensor, nn

from .formats import layer_weight, weight_format
from .layers import KV_GROUP, kept, layer_group
from .report import Report
from .spec import Preset, as_preset

SUPPORTED = "supported are UNets with text cross-attention: SD1.5 and its kin, SDXL, SDXL-Turbo, SSD-1B, Segmind Vega"


def quantize_weight(weight: Tensor, preset: str | Preset) -> QuantizedTensor:
    """A Linear weight [O, I] or a Conv2d weight [O, C, kh, kw] in the preset's format.

    It behaves as a tensor of the weight's own dtype. Raises ValueError for any other rank, and for a weight that is
    quantized already.
    """
    if isinstance(weight, QuantizedTensor):
        raise ValueError("this weight is quantized already; quantize the original weights")
    layout, options = weight_format(tuple(weight.shape), as_preset(preset).weight_bits)
    # From float32: half-precision arithmetic on scales near its smallest values would lose bits of the codes.
    return QuantizedTensor.from_float(weight.detach().float(), layout, **options).to(weight.dtype)


def quantize_(module: nn.Module, preset: str | Preset, *, keep: Iterable[str] = ()) -> Report:
    """Replace, in place, the weights of all Linear and Conv2d layers of a UNet (LDM or diffusers names) by quantized
    ones.

    First, last, time and label layers, norms and the cross-attention keys and values stay as they are, and so does
    every layer whose name matches a pattern of `keep` (as in `fnmatch`). Raises ValueError for an unknown preset, for
    a module that is not a UNet with text cross-attention, and for one that is quantized already.
    """
    preset = as_preset(preset)
    patterns = tuple(keep)
    weights = {name: weight for name, layer in module.named_modules() if (weight := layer_weight(layer)) is not None}
    _check_unet(weights)
    for name, weight in weights.items():
        if not kept(name) and not any(fnmatch(name, pattern) for pattern in patterns):
            quantized = nn.Parameter(quantize_weight(weight, preset), requires_grad=False)
            module.get_submodule(name).weight = quantized
    return Report.of(module, preset)


def _check_unet(weights: dict[str, Tensor]) -> None:
    if not any(layer_group(name) == KV_GROUP for name in weights):
        raise ValueError(f"this module has no text cross-attention (no layer called ...attn2.to_k); {SUPPORTED}")
    if all(kept(name) for name in weights):
        raise ValueError(f"this module has no layer to quantize; {SUPPORTED}")
    done = next((name for name, weight in weights.items() if isinstance(weight, QuantizedTensor)), None)
    if done:
        raise ValueError(f"{done} is quantized already; quantize the original model")
