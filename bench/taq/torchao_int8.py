"""torchao: int8 weights per output channel and int8 activations per token, on Linear layers."""

from __future__ import annotations

from functools import partial

import torch
from torch import nn

from ...taq_kernels.backends import registry
from .contender import Contender, layers, missing


def contenders(device: torch.device) -> list[Contender]:
    """Return Int8DynamicActivationInt8WeightConfig."""
    simulated = registry.int8_products(registry.machine(device)).name == registry.FLOAT
    return [
        Contender("torchao int8 dynamic", "Linear", _apply, partial(missing, "torchao"), simulated)
    ]


def _apply(unet: nn.Module) -> nn.Module:
    from torchao.quantization import Int8DynamicActivationInt8WeightConfig, quantize_
    from torchao.utils import should_reduce_range

    chosen = {name for name, _ in layers(unet, nn.Linear)}
    device = next(unet.parameters()).device
    # Its inductor settings are global: they would change how the other contenders are compiled.
    config = Int8DynamicActivationInt8WeightConfig(
        set_inductor_config=False, reduce_range=should_reduce_range(device)
    )
    quantize_(unet, config, filter_fn=lambda _, name: name in chosen)
    return unet
