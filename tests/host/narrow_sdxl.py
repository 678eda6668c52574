"""SDXL and its kin of random weights, a fifth as wide, in the test process."""

from __future__ import annotations

import comfy.model_patcher
import comfy.supported_models as supported
import torch

SMALL = {
    "image_size": 32,
    "in_channels": 4,
    "out_channels": 4,
    "model_channels": 64,
    "num_head_channels": 32,
    "use_spatial_transformer": True,
    "use_linear_in_transformer": True,
    "adm_in_channels": 2816,
    "num_classes": "sequential",
    "context_dim": 2048,
    "channel_mult": [1, 2, 4],
    "num_res_blocks": [2, 2, 2],
    "use_temporal_attention": False,
    "dtype": torch.float32,
}
SDXL_KIN = {
    "SDXL": (supported.SDXL, [0, 0, 2, 2, 2, 2], 2, [0, 0, 0, 2, 2, 2, 2, 2, 2]),
    "SSD1B": (supported.SSD1B, [0, 0, 2, 2, 4, 4], -2, [0, 0, 0, 1, 1, 2, 4, 4, 4]),
    "Segmind_Vega": (supported.Segmind_Vega, [0, 0, 1, 1, 2, 2], -2, [0, 0, 0, 1, 1, 1, 2, 2, 2]),
}


def narrow(kind: str) -> comfy.model_patcher.ModelPatcher:
    """The host's model class with its layers' number and kinds, a fifth as wide, of random
    weights.
    """
    config_class, down, middle, up = SDXL_KIN[kind]
    depths = {
        "transformer_depth": down,
        "transformer_depth_middle": middle,
        "transformer_depth_output": up,
    }
    if middle == -2:
        depths["disable_self_attentions"] = None
    config = config_class(
        {key: value for key, value in (SMALL | depths).items() if value is not None}
    )
    made = config.get_model({}, "", device="cpu")
    torch.manual_seed(0)
    for name, weight in made.named_parameters():
        weight.requires_grad_(False)
        if weight.ndim > 1:
            weight.normal_().mul_(0.7 / weight[0].numel() ** 0.5)
        else:
            weight.fill_(0.0 if name.endswith("bias") else 1.0)
    return comfy.model_patcher.ModelPatcher(made, torch.device("cpu"), torch.device("cpu"))
