"""Serve several personalised models from one quantized base, inside a real ComfyUI.

Measures seconds, bytes and errors. Runs in a process of its own: `python -m
personalq.bench.taq.serving COMFYUI FOLDER MODEL` prints JSON.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from ...checkin import Card
from ...demo.weights import UNET, base_checkpoint
from ..skeleton import random_half, random_unet
from ..unet_shapes import DEMO, SD15, Shapes, unet_shapes

CONFIGS = {"demo": DEMO, "sd15": SD15}
LORA_RANK = 16
MOVED, DIRECTIONS = 0.05, 64
"""How far a synthetic fine-tune moves a weight, relative to its norm, and in how many directions.

The sizes of the directions fall as 1/i. Synthetic, because no fine-tune of this size can be trained
here.
"""
PRESETS = ("W8A8", "W4A8")
REPEATS = 5


def write_models(folder: Path, config: Shapes) -> dict[str, Path]:
    """Write a base checkpoint, two LoRAs of rank 16 and a fine-tune of the whole base.

    The UNets and LoRAs have random weights.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = {
        name: folder / f"{name}.safetensors" for name in ("base", "lora_a", "lora_b", "personal")
    }
    if all(path.exists() for path in paths.values()):
        return paths
    unet = random_unet(config)
    rest = {
        name: torch.from_numpy(array)
        for name, array in base_checkpoint().items()
        if not name.startswith(UNET)
    }
    save_file({UNET + name: weight for name, weight in unet.items()} | rest, paths["base"])
    for seed, name in enumerate(("lora_a", "lora_b"), 1):
        save_file(random_lora(config, seed), paths[name])
    torch.manual_seed(3)
    moved = {
        UNET + name: _moved(weight) if weight.ndim > 1 else weight for name, weight in unet.items()
    }
    save_file(moved | rest, paths["personal"])
    return paths


def measure(folder: Path, model: str) -> dict[str, Any]:
    """Measure everything for the UNet of `model`.

    ComfyUI's folder must be on sys.path already.
    """
    from ...nodes.host.models.load import load

    shapes = unet_shapes(CONFIGS[model])
    whole = sum(2 * torch.Size(shape).numel() for shape in shapes.values())
    paths = write_models(folder / model, shapes)
    base, personal = (Card(name, path=str(paths[name])) for name in ("base", "personal"))
    loras = [Card(name, path=str(paths[name]), kind="lora") for name in ("lora_a", "lora_b")]
    result: dict[str, Any] = {"model": model, "fp16_bytes": whole, "presets": {}}
    for preset in PRESETS:
        (_, quantized), first = _timed(_serve, base, None, preset)
        again = [_timed(_serve, base, None, preset)[1] for _ in range(REPEATS)]
        switch = [_timed(_serve, card, base, preset)[1] for card in loras]
        between = [_timed(_serve, card, base, preset)[1] for _ in range(REPEATS) for card in loras]
        loaded, beside = _serve(loras[0], base, preset)
        exact = _step(loaded.model, loaded.clip)
        result["presets"][preset] = {
            "resident_bytes": quantized.model_size(),
            "first_s": first,
            "again_s": statistics.median(again),
            "new_lora_s": max(switch),
            "known_lora_s": statistics.median(between),
            "lora_error": _error(_step(beside, loaded.clip), exact),
            "lora_left_out_error": _error(_step(quantized, loaded.clip), exact),
        } | _personal(personal, paths, preset, whole)
    lora = load(loras[0], base).model
    adapters = (patch[1] for patches in lora.patches.values() for patch in patches)
    result["lora_bytes"] = sum(
        part.nbytes for a in adapters for part in a.weights if isinstance(part, Tensor)
    )
    return result


def _personal(card: Card, paths: dict[str, Path], preset: str, whole: int) -> dict[str, Any]:
    """Measure the fine-tune quantized as a whole, and as the quantized base plus a difference."""
    from ...nodes.host.models.load import load
    from ...nodes.host.models.pool import POOL
    from ...nodes.host.taq.files import residual_path
    from ...nodes.host.taq.model import QuantConfig, file_metadata
    from ...taq_kernels import PRESETS as ALL
    from ...taq_kernels.storage.checkpoint import unet_weights
    from ...taq_kernels.storage.files import write_quantized
    from ...taq_kernels.storage.low_rank_residual import make_low_rank_residual
    from ...taq_kernels.storage.state_dict import weights_fingerprint

    loaded = load(card, None)
    said = file_metadata(loaded.model, QuantConfig(ALL[preset]))
    path = residual_path(said)
    path.unlink(missing_ok=True)
    _, as_whole = _serve(card, None, preset)
    exact = _step(loaded.model, loaded.clip)
    found = {"whole_error": _error(_step(as_whole, loaded.clip), exact)}
    unets = [unet_weights(paths[name]) for name in ("personal", "base")]
    reads = [{name: (lambda w=weight: w) for name, weight in unet.items()} for unet in unets]
    made, seconds = _timed(make_low_rank_residual, *reads, ALL[preset].weight_bits)
    write_quantized(path, made.state, replace(said, base=weights_fingerprint(unets[1])))
    POOL.forget(lambda key: isinstance(key, tuple) and key[0] == "difference")
    (_, beside), switch = _timed(_serve, card, None, preset)
    return found | {
        "difference_error": _error(_step(beside, loaded.clip), exact),
        "difference_bytes": made.nbytes,
        "difference_of_fp16": made.nbytes / whole,
        "weights_error": made.error,
        "weights_error_whole": made.error_whole,
        "make_difference_s": seconds,
        "difference_switch_s": switch,
    }


def _serve(card: Card, base: Card | None, preset: str) -> tuple[Any, Any]:
    """Do what Repo Check-in and TAQ Quantize Model do for a card: (loaded, quantized MODEL)."""
    from ...nodes.host.models.load import load
    from ...nodes.host.taq import attention as taq_attention
    from ...nodes.host.taq.model import QuantConfig, quantize_model
    from ...nodes.host.taq.patcher import TAQPatcher
    from ...taq_kernels import PRESETS
    from ...taq_kernels.spec import ALL

    loaded, config = load(card, base), QuantConfig(PRESETS[preset])
    quantized = quantize_model(loaded.model, config, lambda done, total: None)
    made = TAQPatcher.with_patches_of(loaded.model, quantized.patcher)
    taq_attention.install(made, ALL, config.preset.attention)
    return loaded, made


def _step(model: Any, clip: Any) -> Tensor:
    """Return the latent after one step of 128 px without guidance."""
    import comfy.sample

    text = clip.encode_from_tokens_scheduled(clip.tokenize("a photo of a bear on grass"))
    latent = torch.zeros(1, 4, 16, 16)
    noise = torch.randn(latent.shape, generator=torch.Generator().manual_seed(0))
    return comfy.sample.sample(
        model, noise, 1, 1.0, "euler", "normal", text, text, latent, disable_pbar=True, seed=0
    )


def _error(result: Tensor, exact: Tensor) -> float:
    return float((result - exact).norm() / exact.norm())


def _timed(run: Callable[..., Any], *args: Any) -> tuple[Any, float]:
    started = time.perf_counter()
    made = run(*args)
    return made, time.perf_counter() - started


def random_lora(shapes: Shapes, seed: int) -> dict[str, Tensor]:
    """Return a LoRA of the transformers' Linear and Conv2d, as trainers write it.

    It moves weights by MOVED.
    """
    fill = random_half(seed)
    tensors: dict[str, Tensor] = {}
    for name, shape in shapes.items():
        if len(shape) > 1 and any(
            part in name for part in (".transformer_blocks.", ".proj_in.", ".proj_out.")
        ):
            key, kernel = "lora_unet_" + name.removesuffix(".weight").replace(".", "_"), shape[2:]
            tensors[f"{key}.lora_down.weight"] = fill(key, (LORA_RANK, shape[1], *kernel))
            tensors[f"{key}.lora_up.weight"] = MOVED * fill(
                key, (shape[0], LORA_RANK, *[1] * len(kernel))
            )
            tensors[f"{key}.alpha"] = torch.tensor(float(LORA_RANK))
    return tensors


def _moved(weight: Tensor) -> Tensor:
    flat = weight.float().flatten(1)
    count = min(DIRECTIONS, *flat.shape)
    up, down = (torch.linalg.qr(torch.randn(size, count))[0] for size in flat.shape)
    sizes = 1 / torch.arange(1, count + 1)
    move = (up * (MOVED * flat.norm() / sizes.norm() * sizes)) @ down.T
    return (flat + move).view(weight.shape).half()


if __name__ == "__main__":
    comfyui, folder, which = sys.argv[1:]
    sys.path.insert(0, comfyui)
    import comfy.cli_args

    comfy.cli_args.args.cpu = not torch.cuda.is_available()
    import folder_paths

    folder_paths.models_dir = folder
    with torch.inference_mode():  # as ComfyUI runs nodes
        print(json.dumps(measure(Path(folder), which)))
