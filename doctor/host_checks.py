"""Checks of quantized models inside ComfyUI: compared with float64, unloaded and loaded again,
loaded only in part, and with LoRAs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import comfy.model_management
import comfy.sd
import torch
from comfy.quant_ops import QuantizedTensor
from torch import Tensor

from ..nodes.host.models.pool import POOL
from ..nodes.host.taq import attention as taq_attention
from ..nodes.host.taq.model import QuantConfig, Quantized, quantize_model
from ..nodes.host.taq.patcher import TAQPatcher
from ..taq_kernels import PRESETS
from . import small_unet
from .rows import Check
from .sampling import Run, sample
from .small_unet import Loras
from .timing import MIB

UNET_BOUND = 0.1
"""Bound of the UNet's error, relative to float64 with the decoded weights, as in tests/host.

The error comes from 8-bit activations.
"""
LORA_BOUND = {torch.float32: 1e-5, torch.float16: 1e-2}
"""Bound of the UNet's error, relative to float64 with the LoRAs merged into the decoded weights.

If one LoRA were missing, the error would be above 0.1.
"""
MOVED_BOUND = {torch.float32: 0.0, torch.float16: 5e-3}
"""Bound of the change of the UNet's output when weights are copied to the device only while needed.

Products in half precision may then be summed in another order.
"""
PROTECT = {"W8A8": "trigger + BOS", "W4A8": "trigger + BOS", "W8": "all"}
STRENGTHS = (0.8, -0.5)
GPU_LEVELS = (1, 2)
"""Channel multipliers of the UNet on a GPU, at 384 px: 320 and 640 channels, as in SD 1.5."""


class Bench:
    """The models that the checks share; each is made when it is first needed."""

    def __init__(self, device: torch.device, quick: bool) -> None:
        self.device = device
        self.dtype = torch.float32 if device.type == "cpu" else torch.float16
        self.levels = (1,) if quick or device.type == "cpu" else GPU_LEVELS
        self.size, self.steps = (8, 2) if quick or device.type == "cpu" else (48, 6)

    @cached_property
    def state(self) -> dict[str, Tensor]:
        """Random weights of the UNet."""
        return small_unet.random_state(self.levels, self.dtype)

    @cached_property
    def source(self) -> Any:
        """The MODEL in full precision."""
        return small_unet.load(self.state, self.device)

    @cached_property
    def in_float(self) -> Run:
        """A run of the MODEL in full precision."""
        return self.sample(self.source)

    def in_float64(self, made: Quantized, run: Run, loras: Loras = ()) -> Tensor:
        """The output of `run`'s UNet in float64, with the decoded weights of `made` and the LoRAs
        merged.
        """
        unet = made.patcher.model.diffusion_model
        stored = {name: _decoded(weight) for name, weight in unet.named_parameters()}
        return small_unet.in_float64(
            self.levels, small_unet.merged(stored, loras), run.given, self.device
        )

    def sample(self, model: Any) -> Run:
        """A run of a MODEL with this picture size and number of steps."""
        return sample(model, self.size, self.steps)

    def quantized(self, preset: str, source: Any = None) -> tuple[Quantized, Any]:
        """The quantized UNet that TAQ Quantize Model makes with `preset`, and the MODEL that it
        returns.
        """
        source = source or self.source
        config = QuantConfig(PRESETS[preset])
        made = quantize_model(source, config, lambda done, total: None)
        out = TAQPatcher.with_patches_of(source, made.patcher)
        taq_attention.install(out, PROTECT[preset], config.preset.attention)
        return made, out


def checks(device: torch.device, quick: bool) -> list[Check]:
    """All checks inside ComfyUI, which share their models."""
    bench = Bench(device, quick)
    about = f"levels: {len(bench.levels)}, {8 * bench.size} px"

    def each(name: str, run: Callable[..., dict[str, Any]], *arguments: Any) -> Check:
        return Check(
            name, about, partial(torch.inference_mode()(run), bench, *arguments)
        )  # in inference mode, as the host runs nodes

    return [
        each("UNet W8A8 in ComfyUI", against_float64, "W8A8"),
        each("offload round trip", offload),
        each("partial loading", partial_loading),
        each("two LoRAs", two_loras),
        each("UNet W4A8 in ComfyUI", against_float64, "W4A8"),
    ]


def against_float64(bench: Bench, preset: str) -> dict[str, Any]:
    """Compare the quantized UNet's output with float64, its time with full precision, and its
    memory with the host's estimate.
    """
    made, out = bench.quantized(preset)
    full = bench.in_float
    comfy.model_management.unload_all_models()
    run = bench.sample(out)
    comfy.model_management.unload_all_models()
    report = made.report
    wanted = made.patcher.model_size() + out.memory_required((2, 4, bench.size, bench.size))
    layers = [parameter for parameter in report.parameters if parameter.computed != "float"]
    return {
        "backend": ", ".join(sorted({parameter.backend for parameter in layers})),
        "error": relative_error(run.out, bench.in_float64(made, run)),
        "bound": UNET_BOUND,
        "ms": run.step_ms,
        "float_ms": full.step_ms,
        "first_seconds": run.first_seconds,
        "launch_ms": None if bench.device.type == "cpu" else run.launch_ms,
        "layers": len(layers),
        "peak_mib": run.peak_mib,
        "estimate_mib": wanted / MIB,
    }


def offload(bench: Bench) -> dict[str, Any]:
    """Compare the latents before and after the weights are unloaded from the device and loaded
    again.
    """
    _, out = bench.quantized("W8A8")
    first = bench.sample(out)
    comfy.model_management.unload_all_models()
    if bench.device != out.offload_device and (left := _bytes_on(out.model, bench.device)):
        raise RuntimeError(f"{left} bytes of weights are still on {bench.device} after unloading")
    again = bench.sample(out)
    return {
        "error": relative_error(again.latent, first.latent),
        "bound": 0.0,
        "first_seconds": again.first_seconds,
    }


def partial_loading(bench: Bench) -> dict[str, Any]:
    """Compare the outputs with all weights on the device and with only one third of them.

    The host unloads weights like this if memory is short.
    """
    _, out = bench.quantized("W8A8")
    first = bench.sample(out)
    share: list[float] = []

    def short_of_memory(apply_model: Callable, given: dict[str, Any]) -> Tensor:
        if not share:
            loaded = out.model.current_patcher
            loaded.partially_unload(loaded.offload_device, loaded.model_size() * 2 / 3)
            share.append(loaded.loaded_size() / loaded.model_size())
        return apply_model(given["input"], given["timestep"], **given["c"])

    tight = out.clone()
    tight.set_model_unet_function_wrapper(short_of_memory)
    run = bench.sample(tight)
    comfy.model_management.unload_all_models()
    if not share or share[0] > 0.5:
        raise RuntimeError(
            f"{share[0] if share else 1:.0%} of the weights were loaded; at most half should be"
        )
    error = relative_error(run.out, first.out)
    return {
        "error": error,
        "bound": MOVED_BOUND[bench.dtype],
        "ms": run.step_ms,
        "float_ms": bench.in_float.step_ms,
    }


def two_loras(bench: Bench) -> dict[str, Any]:
    """Compare the output with float64, with one LoRA applied before TAQ and one after it.

    In float64 both are merged into the decoded weights.
    """
    loras = [
        (small_unet.random_lora(bench.state, seed), strength)
        for seed, strength in enumerate(STRENGTHS, 1)
    ]
    before, _ = comfy.sd.load_lora_for_models(bench.source, None, *loras[0], 0)
    made, out = bench.quantized("W8", before)
    out, _ = comfy.sd.load_lora_for_models(out, None, *loras[1], 0)
    run = bench.sample(out)
    comfy.model_management.unload_all_models()
    error = relative_error(run.out, bench.in_float64(made, run, loras))
    return {
        "error": error,
        "bound": LORA_BOUND[bench.dtype],
        "ms": run.step_ms,
        "float_ms": bench.in_float.step_ms,
    }


def relative_error(out: Tensor, exact: Tensor) -> float:
    """L2 norm of `out` - `exact`, divided by that of `exact`."""
    return ((out.cpu().double() - exact.cpu().double()).norm() / exact.cpu().double().norm()).item()


def forget() -> None:
    """Release all quantized models, because their files are about to be deleted."""
    comfy.model_management.unload_all_models()
    POOL.forget(lambda key: True)


def _decoded(weight: Any) -> Tensor:
    weight = weight.to("cpu")
    return weight.to(torch.float32).dequantize() if isinstance(weight, QuantizedTensor) else weight


def _bytes_on(model: torch.nn.Module, device: torch.device) -> int:
    return sum(weight.nbytes for weight in model.parameters() if weight.device == device)
