"""The process that runs `personalq bench full`: ComfyUI, started like its `main.py`.

`python -m personalq.bench.full_size_process COMFYUI FOLDER MODEL SIDE STEPS REPEATS ALLOCATOR
WAY...` prints the result as one line of JSON, the last.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .full_size import CONFIGS, FULL, FULL_LORA, WAYS, Way
from .unet_shapes import Shapes, unet_shapes


def main(arguments: list[str]) -> None:
    """Measure, and print the result."""
    comfyui, folder, model, side, steps, repeats, allocator, *ways = arguments
    from ..doctor import host_start

    sys.path.insert(0, comfyui)
    from comfy.cli_args import args

    args.disable_cuda_malloc = allocator == "native"
    device, dynamic = host_start.start(Path(comfyui), None, Path(folder))
    import torch

    from .machine import device_name

    with torch.inference_mode():  # as ComfyUI runs nodes
        measured = Measurement(unet_shapes(CONFIGS[model]), model, int(side), int(steps), device)
        result = measured.all(ways, int(repeats))
    about = {
        "model": model,
        "side": int(side),
        "steps": int(steps),
        "repeats": int(repeats),
        "device": device_name(device),
        "device_type": device.type,
        "dynamic_vram": dynamic,
        "allocator": torch.cuda.get_allocator_backend() if device.type == "cuda" else "the CPU's",
        "torch": str(torch.__version__),
    }
    print("\n" + json.dumps(about | result))


class Measurement:
    """One UNet with random weights, run in different ways."""

    def __init__(self, shapes: Shapes, model: str, side: int, steps: int, device: Any) -> None:
        from ..doctor import small_unet
        from .skeleton import random_unet
        from .taq.serving import random_lora

        self.size, self.steps, self.device = side // 8, steps, device
        self.text_width = CONFIGS[model].context_dim
        self.source = small_unet.load(random_unet(shapes, device), device)
        self.lora = random_lora(shapes, 1)
        self.models: dict[str, Any] = {}
        self.exact: dict[bool, Any] = {}

    def all(self, ways: list[str], repeats: int) -> dict[str, Any]:
        """Every way by itself for its memory and error, then all in turn for their time."""
        found: dict[str, dict[str, Any]] = {}
        failed: dict[str, str] = {}
        runs: dict[str, list[Any]] = {name: [] for name in ways}

        def tried(name: str, measure: Callable[[str], Any]) -> Any:
            try:
                return None if name in failed else measure(name)
            except Exception as error:  # one way that fails must not cost the others' figures
                failed[name] = f"{type(error).__name__}: {error}"
                return None

        for name in ways:
            if one := tried(name, self._alone):
                found[name] = one
            print(f"{name}: {one or failed[name]}", file=sys.stderr, flush=True)
        for name in [name for _ in range(repeats) for name in ways]:
            if run := tried(name, self._sample):
                runs[name].append(run)
        for name in failed:
            found.pop(name, None)
        for name, one in found.items():
            one["turns_ms"] = [run.step_ms for run in runs[name]]
            one["step_ms"] = statistics.median(one["turns_ms"])
            first, *others = (run.latent for run in runs[name])
            one["again"] = max((float((x - first).abs().max()) for x in others), default=0.0)
        return {"ways": found, "failed": failed}

    def _alone(self, name: str) -> dict[str, Any]:
        """What a way takes when it is loaded alone.

        Its memory is that of the second time: what a process makes once, such as the handles of
        CUDA's libraries, counts for none.
        """
        way = WAYS[name]
        self.models[name], made_s, backends = self._made(way)
        weights = self.models[name].model_size()
        _forget()
        run = self._sample(name)
        _forget()
        again = self._sample(name)
        if name in (FULL, FULL_LORA):
            self.exact[way.lora] = run.out.float()
        exact = self.exact.get(way.lora)
        error = None
        if exact is not None:
            error = float((run.out.float() - exact).norm() / exact.norm())
        return {
            "weights": weights,
            "peak_mib": again.peak_mib,
            "device_mib": again.device_mib,
            "first_s": run.first_seconds,
            "made_s": made_s,
            "launch_ms": again.launch_ms,
            "error": error,
            "backends": backends,
        }

    def _made(self, way: Way) -> tuple[Any, float | None, list[str]]:
        """The MODEL, the seconds that quantizing took, and who computes its layers."""
        import comfy.sd

        from ..nodes.host.taq import attention as taq_attention
        from ..nodes.host.taq.model import QuantConfig, quantize_model
        from ..nodes.host.taq.patcher import TAQPatcher
        from ..taq_kernels import PRESETS

        source = self.source
        if way.lora:
            source, _ = comfy.sd.load_lora_for_models(source, None, self.lora, 1.0, 0)
        if way.preset is None:
            return source, None, []
        started = time.perf_counter()
        config = QuantConfig(PRESETS[way.preset])
        made = quantize_model(source, config, lambda done, total: None)
        out = TAQPatcher.with_patches_of(source, made.patcher)
        taq_attention.install(out, way.protect, config.preset.attention)
        backends = {one.backend for one in made.report.parameters if one.computed != "float"}
        return out, time.perf_counter() - started, sorted(backends)

    def _sample(self, name: str) -> Any:
        from ..doctor.sampling import sample

        return sample(self.models[name], self.size, self.steps, self.text_width)


def _forget() -> None:
    """Unload all models, and give back what allocators keep."""
    import comfy.model_management

    comfy.model_management.unload_all_models()
    gc.collect()
    comfy.model_management.soft_empty_cache(True)


if __name__ == "__main__":
    main(sys.argv[1:])
