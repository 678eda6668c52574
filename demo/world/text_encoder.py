"""CLIP ViT-L/14's text encoder with weights from a fixed seed, and a trained low-rank difference on
top of them.

The seed's part costs no bytes: it is made anew from each weight's name. The values, chosen so that
words stay recognisable through all twelve layers (deviations; N is normal):

    token embedding N(0, 0.1), position embedding N(0, 0.05)
    q, k, v  N(0, 1/768),  out  N(0, 0.01/768),  fc1  N(0, 1/768),  fc2  N(0, 0.01/3072)
      [variances]
    biases 0, norms 1 and 0

All are rounded to float16, as a checkpoint holds them.
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
    """The value of one parameter, float32 of float16 precision; `name` as in `CLIPTextModel`,
    without "text_model.".
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
    """A CLIPTextModel of CLIP ViT-L/14's shape, untrained."""
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
    """The encoder from its seed, every matrix of its layers wrapped in a fresh LowRank; only those
    are trainable.
    """
    model = plain_encoder()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(seed_weight(name.removeprefix("text_model."), tuple(parameter.shape)))
    wrap_(model, RANK)
    return model


def difference(encoder: nn.Module) -> dict[str, nn.Parameter]:
    """The low-rank factors by name: all that is trained, and all that has to be stored of the
    encoder.
    """
    return {
        name: parameter for name, parameter in encoder.named_parameters() if name.endswith(_FACTORS)
    }


@torch.no_grad()
def load_difference_(encoder: nn.Module, values: dict[str, Tensor]) -> None:
    """Puts a stored difference into the encoder."""
    for name, parameter in difference(encoder).items():
        parameter.copy_(values[name])


def merged_weights(encoder: nn.Module) -> dict[str, Tensor]:
    """A plain CLIPTextModel's state, named with "text_model.": seed and difference in one."""
    plain: dict[str, Tensor] = {}
    for name, value in encoder.state_dict().items():
        if name.endswith(_FACTORS):
            continue
        plain["text_model." + name.removeprefix("text_model.").replace(".base.", ".")] = value
    for name, layer in encoder.named_modules():
        if isinstance(layer, LowRank):
            plain["text_model." + name.removeprefix("text_model.") + ".weight"] = layer.merged()
    return plain
