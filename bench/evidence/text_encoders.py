"""Load CLIP text encoders from a single-file checkpoint, without a hub."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

State = Mapping[str, Tensor]
_COMMON = {
    "vocab_size": 49408,
    "max_position_embeddings": 77,
    "bos_token_id": 49406,
    "eos_token_id": 49407,
}
CLIP_L: dict[str, Any] = _COMMON | {
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "hidden_act": "quick_gelu",
    "projection_dim": 768,
}
CLIP_G: dict[str, Any] = _COMMON | {
    "hidden_size": 1280,
    "intermediate_size": 5120,
    "num_hidden_layers": 32,
    "num_attention_heads": 20,
    "hidden_act": "gelu",
    "projection_dim": 1280,
}
_OPEN_CLIP = {
    "token_embedding.weight": "embeddings.token_embedding.weight",
    "positional_embedding": "embeddings.position_embedding.weight",
    "ln_final": "final_layer_norm",
    "transformer.resblocks": "encoder.layers",
    "attn.out_proj": "self_attn.out_proj",
    "ln_1": "layer_norm1",
    "ln_2": "layer_norm2",
    "mlp.c_fc": "mlp.fc1",
    "mlp.c_proj": "mlp.fc2",
}


def clip_l(state: State, prefix: str, config: Mapping[str, Any] = CLIP_L) -> nn.Module:
    """Return a CLIPTextModel from weights under `prefix`, which ends with "transformer.".

    The weights have transformers' names.
    """
    from transformers import CLIPTextConfig, CLIPTextModel

    return _loaded(CLIPTextModel(CLIPTextConfig(**config)), _below(state, prefix))


def clip_g(state: State, prefix: str, config: Mapping[str, Any] = CLIP_G) -> nn.Module:
    """Return a CLIPTextModelWithProjection from weights under `prefix`, which ends with "model.".

    The weights have OpenCLIP's names.
    """
    from transformers import CLIPTextConfig, CLIPTextModelWithProjection

    model: nn.Module = CLIPTextModelWithProjection(CLIPTextConfig(**config))
    return _loaded(model, from_open_clip(_below(state, prefix)))


def from_open_clip(state: State) -> dict[str, Tensor]:
    """Return the same weights with transformers' names.

    Q, K and V are separated, and the projection is transposed as in a Linear.
    """
    found: dict[str, Tensor] = {}
    for name, value in state.items():
        for old, new in _OPEN_CLIP.items():
            name = name.replace(old, new)
        if match := re.fullmatch(r"(.*)attn\.in_proj_(weight|bias)", name):
            for part, third in zip("qkv", value.chunk(3), strict=True):
                found[f"{match[1]}self_attn.{part}_proj.{match[2]}"] = third
        elif name == "text_projection":
            found["text_projection.weight"] = value.T.contiguous()
        else:
            found[name] = value
    return found


def _below(state: State, prefix: str) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): value for name, value in state.items() if name.startswith(prefix)
    }


def _loaded(model: nn.Module, weights: State) -> nn.Module:
    """Load the weights, whether or not names begin with "text_model.".

    Releases of transformers differ in that. Raises ValueError where a weight is missing.
    """
    found = {_plain(name): value for name, value in weights.items()}
    own = model.state_dict()
    missing = [name for name in own if _plain(name) not in found]
    if missing:
        raise ValueError(
            f"the checkpoint's text encoder lacks {len(missing)} weights, such as {missing[0]}"
        )
    model.load_state_dict({name: found[_plain(name)].float() for name in own})
    return model.eval().requires_grad_(False)


def _plain(name: str) -> str:
    return name.removeprefix("text_model.")
