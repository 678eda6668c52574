"""bitsandbytes: LLM.int8() and NF4 on Linear layers, on CUDA."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn

from .contender import Contender, layers, missing


def contenders(device: torch.device) -> list[Contender]:
    """Return LLM.int8() (outliers in half precision) and weight-only NF4."""
    reasons = partial(_reasons, device)
    return [
        Contender("bitsandbytes int8", "Linear", _apply_int8, reasons),
        Contender("bitsandbytes nf4", "Linear: weights only", _apply_nf4, reasons),
    ]


def _reasons(device: torch.device) -> list[str]:
    on_cuda = [] if device.type == "cuda" else ["its kernels are compared on CUDA alone"]
    return missing("bitsandbytes") + on_cuda


def _apply_int8(unet: nn.Module) -> nn.Module:
    import bitsandbytes

    for name, layer in layers(unet, nn.Linear):
        weight = bitsandbytes.nn.Int8Params(
            layer.weight.detach().cpu(), requires_grad=False, has_fp16_weights=False
        )
        quantized = bitsandbytes.nn.Linear8bitLt(
            layer.in_features,
            layer.out_features,
            bias=layer.bias is not None,
            has_fp16_weights=False,
        )
        _replace(unet, name, quantized, weight)
    return unet


def _apply_nf4(unet: nn.Module) -> nn.Module:
    import bitsandbytes

    for name, layer in layers(unet, nn.Linear):
        weight = bitsandbytes.nn.Params4bit(
            layer.weight.detach().cpu(), requires_grad=False, quant_type="nf4"
        )
        quantized = bitsandbytes.nn.LinearNF4(
            layer.in_features,
            layer.out_features,
            bias=layer.bias is not None,
            compute_dtype=layer.weight.dtype,
        )
        _replace(unet, name, quantized, weight)
    return unet


def _replace(unet: nn.Module, name: str, quantized: nn.Module, weight: nn.Parameter) -> None:
    """Put the quantized layer in place; its weights are quantized as they reach the device."""
    layer: Any = unet.get_submodule(name)
    quantized.weight = weight
    quantized.bias = layer.bias
    unet.set_submodule(name, quantized.to(layer.weight.device))
