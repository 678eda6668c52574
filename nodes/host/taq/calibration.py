"""Calibrates the rounding of a MODEL: records its UNet's calls on the calibration prompts, runs the
job, and writes the file.
"""

from __future__ import annotations

import dataclasses
import random
import shutil
from collections.abc import Sequence

import comfy.model_management
import comfy.sample
import comfy.samplers
import comfy.utils
import torch
from comfy.model_patcher import ModelPatcher
from comfy.quant_ops import QuantizedTensor

from ....atomic_write import FileInUse
from ....checkin.lexicon.sentences import say
from ....taq_kernels.calibration import Calibration, calibrate
from ....taq_kernels.calibration.blocks import Method
from ....taq_kernels.calibration.calls import Call
from ....taq_kernels.calibration.job import BlockProgress
from ....taq_kernels.storage.files import write_quantized
from ....taq_kernels.storage.state_dict import entries
from ..models.pool import POOL
from ..text.encode import encode
from .files import folder, path_of
from .model import QuantConfig, file_metadata, read_weights
from .plain_unet import plain_unet
from .supported import architecture_and_family, refuse_unsupported

STEPS, CFG, SAMPLER, SCHEDULER = 20, 7.5, "euler", "normal"


@dataclasses.dataclass(frozen=True)
class Effort:
    """How much effort calibration takes."""

    iterations: int = 20_000
    learning_rate: float = 1e-3
    pixels: int = 512
    seed: int = 0


def calibrate_model(
    source: ModelPatcher,
    clip,
    prompts: Sequence[str],
    config: QuantConfig,
    method: Method,
    effort: Effort,
    progress: BlockProgress | None = None,
) -> Calibration:
    """Learn the rounding of `source`'s UNet on `prompts`, and store it for TAQ Quantize Model.

    A job that was stopped continues after its last finished block. Raises ValueError for a model
    that TAQ does not support.
    """
    refuse_unsupported(source)
    if not architecture_and_family(source)[0].calibrates:
        raise ValueError(
            say(
                "TAQ Calibrate learns the rounding of UNets only. Use TAQ Quantize Model on this "
                "model with the rounding 'nearest'."
            )
        )
    metadata = file_metadata(source, dataclasses.replace(config, rounding=method))
    unfinished = folder() / "calibration" / path_of(metadata).stem
    calls = record_calls(source, clip, prompts, effort)
    comfy.model_management.unload_all_models()
    weights = {name: read().float().cpu() for name, read in read_weights(source)}
    with torch.inference_mode(False):
        unet = plain_unet(source, source.load_device)
        unet.load_state_dict({name: weight.clone() for name, weight in weights.items()})
        unet.requires_grad_(False)
        made = calibrate(
            unet,
            calls,
            config.preset,
            method,
            unfinished,
            effort.iterations,
            effort.seed,
            progress,
            learning_rate=effort.learning_rate,
            overrides=dict(config.overrides),
        )
    POOL.forget(
        lambda key: isinstance(key, tuple) and key[:2] == ("taq", metadata.weights)
    )  # pooled models have the file open
    try:
        write_quantized(path_of(metadata), _state(unet, weights), metadata)
    except FileInUse as error:
        raise FileInUse(
            say(
                "{error}. A model with these weights is loaded: restart ComfyUI and run TAQ "
                "Calibrate again, which goes on from what is finished.",
                error=error,
            )
        ) from error
    shutil.rmtree(unfinished, ignore_errors=True)  # files in use on Windows may stay
    return made


def record_calls(source: ModelPatcher, clip, prompts: Sequence[str], effort: Effort) -> list[Call]:
    """One call of the UNet for each prompt, (x, time, text), each at a random step.

    The prompt and the empty prompt are in one batch.
    """
    seen: list[Call] = []
    draw = random.Random(effort.seed)
    last: list[Call] = []

    def look(_, args, kwargs):
        x, time = args[:2]
        extra = {
            name: value
            for name, value in kwargs.items()
            if name in ("context", "y") and value is not None
        }
        last[:] = [
            (
                (x.float().clone(), time.float().clone()),
                {name: value.float().clone() for name, value in extra.items()},
            )
        ]

    watch = source.model.diffusion_model.register_forward_pre_hook(look, with_kwargs=True)
    try:
        negative, _ = encode(clip, "", None)
        for number, prompt in enumerate(prompts):
            positive, _ = encode(clip, prompt, None)
            side = effort.pixels // 8
            latent = torch.zeros(1, source.model.latent_format.latent_channels, side, side)
            noise = torch.randn(
                latent.shape, generator=torch.Generator().manual_seed(effort.seed + number)
            )
            comfy.sample.sample(
                source,
                noise,
                STEPS,
                CFG,
                SAMPLER,
                SCHEDULER,
                positive,
                negative,
                latent,
                last_step=draw.randint(1, STEPS - 1),
                disable_pbar=True,
                seed=effort.seed + number,
            )
            seen += last
    finally:
        watch.remove()
    return seen


def _state(unet: torch.nn.Module, weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    state: dict[str, torch.Tensor] = {}
    for name, weight in weights.items():
        layer, _, kind = name.rpartition(".")
        stored = getattr(unet.get_submodule(layer), kind)
        state |= (
            entries(layer, stored) if isinstance(stored, QuantizedTensor) else {name: weight.cpu()}
        )
    return state
