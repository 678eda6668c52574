"""Calibrates the rounding of a MODEL: records its UNet's calls on the calibration prompts, runs the
job, and writes the file.
"""

from __future__ import annotations

import dataclasses
import json
import random
import shutil
from collections.abc import Sequence
from pathlib import Path

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
from .calls_file import read_calls, write_calls
from .files import folder, path_of
from .model import QuantConfig, file_metadata, read_weights
from .plain_unet import plain_unet
from .supported import architecture_and_family, refuse_unsupported

STEPS, CFG, SAMPLER, SCHEDULER = 20, 7.5, "euler", "normal"


@dataclasses.dataclass(frozen=True)
class Effort:
    """How much effort calibration takes."""

    iterations: int = 20_000
    learning_rate: float | None = None
    """None = the one that fits the iterations."""
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
    calls = _recorded(unfinished / "calls.safetensors", source, clip, prompts, effort)
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
        x, time = (each.float().clone() for each in args[:2])
        texts = {
            name: kwargs[name].float().clone()
            for name in ("context", "y")
            if kwargs.get(name) is not None
        }
        if last and not torch.equal(last[0][0][1][:1], time[:1]):
            last.clear()  # of an earlier step
        last.append(((x, time), texts))

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
            seen += _together(last)
            last.clear()
    finally:
        watch.remove()
    return seen


def _recorded(
    path: Path, source: ModelPatcher, clip, prompts: Sequence[str], effort: Effort
) -> list[Call]:
    """`record_calls`, or what it returned to a job that was stopped, from the file `path`."""
    recorded_with = json.dumps([list(prompts), effort.pixels, effort.seed])
    calls = read_calls(path, recorded_with)
    if calls is None:
        calls = record_calls(source, clip, prompts, effort)
        if not path.exists():  # a job with other prompts keeps its own
            write_calls(path, calls, recorded_with)
    return calls


def _together(calls: list[Call]) -> list[Call]:
    """The calls of one step as one, where their texts have the same length.

    Short of memory, the host calls the model for each prompt apart.
    """
    if len({kwargs["context"].shape[1:] for _, kwargs in calls}) > 1:
        return list(calls)
    args = tuple(torch.cat(parts) for parts in zip(*(args for args, _ in calls), strict=True))
    return [(args, {name: torch.cat([kw[name] for _, kw in calls]) for name in calls[0][1]})]


def _state(unet: torch.nn.Module, weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    state: dict[str, torch.Tensor] = {}
    for name, weight in weights.items():
        layer, _, kind = name.rpartition(".")
        stored = getattr(unet.get_submodule(layer), kind)
        state |= (
            entries(layer, stored) if isinstance(stored, QuantizedTensor) else {name: weight.cpu()}
        )
    return state
