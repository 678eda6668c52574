"""CLIP ViT-L/14's text encoder: weights from a fixed seed plus a trained low-rank difference.

The weights from the seed need no storage: each is made again from its name. They are chosen so that
words stay recognisable through all twelve layers. Normal with mean 0 and standard deviation:

    token embedding 0.1, position embedding 0.05
    q, k, v and fc1  1/sqrt(768),  out  0.1/sqrt(768),  fc2  0.1/sqrt(3072)

Biases are 0; norms have weight 1 and bias 0. All are rounded to float16, as in a checkpoint.
"""

from __future__ import annotations

import zlib

import numpy as np
import torch
from torch import Tensor, nn

from .low_rank import LowRank, wrap_
from .tokenizer import TOKENS

RANK = 16
_WIDTH, _INNER = 768, 3072
_FACTORS = (".down.weight", ".up.weight")
_DEVIATION = {
    "token_embedding": 0.1,
    "position_embedding": 0.05,
    "q_proj": _WIDTH**-0.5,
    "k_proj": _WIDTH**-0.5,
    "v_proj": _WIDTH**-0.5,
    "out_proj": 0.1 * _WIDTH**-0.5,
    "fc1": _WIDTH**-0.5,
    "fc2": 0.1 * _INNER**-0.5,
}


def seed_weight(name: str, shape: tuple[int, ...]) -> Tensor:
    """Return the seeded value of a parameter, in float32 rounded to float16.

    `name` is as in `CLIPTextModel`, without "text_model.".
    """
    layer, _, kind = name.rpartition(".")
    part = layer.rpartition(".")[2]
    if part not in _DEVIATION:
        return torch.ones(shape) if kind == "weight" else torch.zeros(shape)
    if kind == "bias":
        return torch.zeros(shape)
    values = np.random.default_rng(zlib.crc32(name.encode())).standard_normal(shape, np.float32)
    return torch.from_numpy(values * np.float32(_DEVIATION[part])).half().float()


def plain_encoder() -> nn.Module:
    """Return an untrained CLIPTextModel in the shape of CLIP ViT-L/14."""
    from transformers import CLIPTextConfig, CLIPTextModel

    config = CLIPTextConfig(
        vocab_size=49408,
        hidden_size=_WIDTH,
        intermediate_size=_INNER,
        num_hidden_layers=12,
        num_attention_heads=12,
        max_position_embeddings=TOKENS,
        hidden_act="quick_gelu",
        bos_token_id=49406,
        eos_token_id=49407,
        pad_token_id=49407,
    )
    return CLIPTextModel(config).requires_grad_(False).eval()


def text_encoder() -> nn.Module:
    """Return the seeded encoder with every linear layer wrapped in a new LowRank.

    Only the low-rank factors are trainable.
    """
    model = plain_encoder()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(seed_weight(name.removeprefix("text_model."), tuple(parameter.shape)))
    wrap_(model, RANK)
    return model


def difference(encoder: nn.Module) -> dict[str, nn.Parameter]:
    """Return the low-rank factors by name: all that is trained and must be stored."""
    return {
        name: parameter for name, parameter in encoder.named_parameters() if name.endswith(_FACTORS)
    }


@torch.no_grad()
def load_difference_(encoder: nn.Module, values: dict[str, Tensor]) -> None:
    """Copy a stored difference into the encoder."""
    for name, parameter in difference(encoder).items():
        parameter.copy_(values[name])


def merged_weights(encoder: nn.Module) -> dict[str, Tensor]:
    """Return the state of a plain CLIPTextModel, seed and difference merged.

    The names begin with "text_model.".
    """
    plain: dict[str, Tensor] = {}
    for name, value in encoder.state_dict().items():
        if name.endswith(_FACTORS):
            continue
        plain["text_model." + name.removeprefix("text_model.").replace(".base.", ".")] = value
    for name, layer in encoder.named_modules():
        if isinstance(layer, LowRank):
            plain["text_model." + name.removeprefix("text_model.") + ".weight"] = layer.merged()
    return plain
