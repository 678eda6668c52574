"""Narrows what the host fixes of split models, so that tiny ones run: kinds of layers stay.

The host's process runs `install` in a node pack of its own; loading, detection, tokenizing and
sampling are the host's.
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ENCODERS = {
    "clip-l": {"num_hidden_layers": 3, "intermediate_size": 64},
    "clip-g": {"num_hidden_layers": 3, "intermediate_size": 64},
    "t5-xxl": {"num_layers": 2, "d_ff": 64, "num_heads": 2},
    "umt5-xxl": {"num_layers": 2, "d_ff": 64, "num_heads": 2, "vocab_size": 512},
    "qwen3-0.6b": {"num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 64},
    "qwen3-4b": {"num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 64},
    "qwen3-8b": {"num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 64},
    "qwen3-vl-4b": {"num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 64},
    "qwen2.5-vl-7b": {"num_attention_heads": 4, "num_key_value_heads": 4, "intermediate_size": 64},
    "mistral-3-24b": {"num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 64},
    "llama-3.1-8b": {"num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 64},
    "gemma-2-2b": {"num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 64},
}
"""Layout -> sizes of its text encoder. The width and the tokenizer are as they are."""
UMT5_TOKENS = 256384
Z_IMAGE_WIDTH, LUMINA_WIDTH = 256, 96
UNET_WIDTH, SDXL_DEPTHS = 64, [0, 0, 1, 1, 2, 2]
_CHROMA = {"out_dim": 128, "hidden_dim": 64, "n_layers": 1}
_NARROW: dict[tuple[str, int | None], dict[str, Any]] = {
    ("qwen_image", None): {"num_attention_heads": 1},
    ("chroma", None): _CHROMA,
    ("chroma_radiance", None): _CHROMA,
    ("anima", None): {"num_heads": 1},
    ("hidream", None): {
        "num_layers": 1,
        "num_single_layers": 1,
        "num_attention_heads": 1,
        "llama_layers": [0, 31],
    },
    ("lumina2", LUMINA_WIDTH): {
        "n_heads": 1,
        "n_kv_heads": 1,
        "axes_dims": [32, 32, 32],
        "axes_lens": [300, 512, 512],
        "rope_theta": 10000.0,
        "ffn_dim_multiplier": 4.0,
    },
    ("lumina2", Z_IMAGE_WIDTH): {
        "n_heads": 2,
        "n_kv_heads": 2,
        "axes_dims": [32, 48, 48],
        "axes_lens": [1536, 512, 512],
        "rope_theta": 256.0,
        "ffn_dim_multiplier": 8.0 / 3.0,
        "z_image_modulation": True,
        "time_scale": 1000.0,
        "pad_tokens_multiple": 32,
    },
}
"""(what the host calls a model, its width) -> what the host's detection then says of it."""


def narrowing(found: dict[str, Any]) -> dict[str, Any]:
    """What a tiny model has besides or instead of what the host's detection finds."""
    kind = found.get("image_model", "")
    return _NARROW.get((kind, None)) or _NARROW.get((kind, found.get("dim")), {})


def install() -> None:
    """Narrow the host of this process."""
    import comfy.clip_model
    import comfy.model_detection
    import comfy.supported_models
    from comfy.text_encoders import hunyuan_video, llama, qwen3vl, sd3_clip, t5

    detect = comfy.model_detection.detect_unet_config

    def detect_narrow(*args: Any, **more: Any) -> Any:
        found = detect(*args, **more)
        return found and found | narrowing(found)

    tokenizers = Path(hunyuan_video.__file__).parent
    if not (tokenizers / "llama_tokenizer" / "tokenizer.json").exists():  # some copies lack it
        hunyuan_video.LlamaTokenizerFast = SimpleNamespace(
            from_pretrained=lambda path: sd3_clip.T5TokenizerFast.from_pretrained(
                str(tokenizers / "t5_tokenizer")
            )
        )
    comfy.model_detection.detect_unet_config = detect_narrow
    supported = comfy.supported_models
    supported.ZImage.unet_config["dim"] = Z_IMAGE_WIDTH
    supported.SD15.unet_config["model_channels"] = UNET_WIDTH
    supported.SDXL.unet_config |= {
        "model_channels": UNET_WIDTH,
        "transformer_depth": SDXL_DEPTHS,
    }
    for kind, layout in (
        (comfy.clip_model.CLIPTextModel, "clip-l"),
        (t5.T5, "t5-xxl"),
        (llama.Qwen3_06B, "qwen3-0.6b"),
        (llama.Qwen3_4B, "qwen3-4b"),
        (llama.Qwen3_8B, "qwen3-8b"),
        (qwen3vl.Qwen3VL, "qwen3-vl-4b"),
        (llama.Qwen25_7BVLI, "qwen2.5-vl-7b"),
        (llama.Mistral3Small24B, "mistral-3-24b"),
        (llama.Llama2, "llama-3.1-8b"),
        (llama.Gemma2_2B, "gemma-2-2b"),
    ):
        _narrow(kind, ENCODERS[layout])


def _narrow(kind: Any, sizes: dict[str, int]) -> None:
    made = kind.__init__

    @functools.wraps(made)
    def init(self: Any, config: dict[str, Any], *args: Any, **more: Any) -> None:
        narrow = sizes
        if config.get("vocab_size") == UMT5_TOKENS:  # of the same class as T5
            narrow = ENCODERS["umt5-xxl"]
        made(self, config | narrow, *args, **more)

    kind.__init__ = init


def small_pool(most: int = 2 * 2**30) -> None:
    """Let the pack keep 2 GB of models, not half of the machine's memory.

    The host reads node packs in any order: the pack may be there already.
    """
    import comfy.model_management as management

    real = management.get_total_memory

    def total(dev: Any = None, torch_total_too: bool = False) -> Any:
        return real(dev, True) if torch_total_too else min(real(dev), 2 * most)

    management.get_total_memory = total
    for name, module in list(sys.modules.items()):
        if name.endswith(".nodes.host.models.pool"):
            module.POOL.budget = most
