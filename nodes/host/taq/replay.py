"""Replays a step of the UNet as one CUDA graph.

A quantized UNet launches thousands of short kernels in a step, and on a fast GPU to launch them
takes longer than to run them. A step that launches the same kernels on the same tensors as the
steps before it is recorded once, and then replayed by one launch.

All that may change from step to step is part of a call's signature, or is copied into the
recording. Where other code takes part in a step, nothing is recorded. It is on only where the
environment variable `ON` says so.
"""

from __future__ import annotations

import logging
import os
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import comfy.model_management
import torch
from comfy.model_patcher import ModelPatcher
from torch import Tensor, nn

from ....taq_kernels.backends import registry
from .step import KEY

RECORDED_ON = {"cuda"}
"""Kinds of devices (`registry.Machine`)."""
ON = "PERSONALQ_REPLAY"
"""The environment variable that turns recording on: 1."""
LAUNCHED = 2
"""How often a call is launched before it is recorded: kernels are compiled and caches filled."""
CAPACITY = 4
"""Recordings of one setting: two sizes of pictures, with both prompts in one call or in two."""

_AROUND = {
    "block",
    "callbacks",
    "cond_or_uncond",
    "original_shape",
    "prefetch_dynamic_vbars",
    "sample_sigmas",
    "sigmas",
    "transformer_index",
    "uuids",
    "wrappers",
}
"""Options of the host that change no kernel of a UNet; wrappers and callbacks run around it."""
_PATCHES = {"patches", "patches_replace"}
_OURS = "personalq_"

Call = Callable[..., Tensor]


class Recording(Protocol):
    """A recorded call."""

    @property
    def nbytes(self) -> int:
        """Bytes of the memory that its kernels use."""

    def replay(self, tensors: Sequence[Tensor]) -> Tensor:
        """The output for `tensors`, which take the places of the recorded ones."""


class CudaRecording:
    """A CUDA graph of a call."""

    def __init__(self, call: Call, tensors: Sequence[Tensor]) -> None:
        self._given = [tensor.clone() for tensor in tensors]
        device = tensors[0].device
        before = torch.cuda.memory_reserved(device)
        self._graph = torch.cuda.CUDAGraph()
        # thread_local: meanwhile other threads of the host may use the device, as for previews.
        with (
            torch.cuda.device(device),
            torch.cuda.graph(self._graph, capture_error_mode="thread_local"),
        ):
            self._out = call(*self._given)
        self.nbytes = max(0, torch.cuda.memory_reserved(device) - before)

    def replay(self, tensors: Sequence[Tensor]) -> Tensor:
        """See `Recording`."""
        for own, given in zip(self._given, tensors, strict=True):
            own.copy_(given)
        self._graph.replay()
        return self._out.clone()


@dataclass
class _Known:
    """What is known of a signature."""

    keeps: list[Any]
    """What the kernels read, and what ids in the signature stand for: here it is not freed."""
    launched: int = 0
    recording: Recording | None = None
    layers: list[nn.Module] = field(default_factory=list)


class Replays:
    """The recordings of one setting of a model; side memory counts and clears them."""

    limited = False
    """They are dropped only with the model, not for a prompt."""

    def __init__(self, record: Callable[[Call, Sequence[Tensor]], Recording] = CudaRecording):
        self._record = record
        self._known: OrderedDict[Hashable, _Known] = OrderedDict()
        self._refused = False

    def run(
        self,
        call: Call,
        tensors: Sequence[Tensor],
        key: Hashable,
        keeps: Callable[[], list[Any]],
        patcher: ModelPatcher,
    ) -> Tensor:
        """The output of `call(*tensors)`, launched or replayed.

        Only the values of `tensors` change between calls with the same `key`. `keeps()` are the
        objects whose memory the kernels read, and those whose ids are in the key.
        """
        known = self._find((key, *((one.shape, one.dtype) for one in tensors)), keeps)
        if known.recording is None and known.launched >= LAUNCHED and not self._refused:
            self._try(known, call, tensors, keeps, patcher)
        if known.recording is None or any(map(_watched, known.layers)):
            known.launched += 1
            return call(*tensors)
        return known.recording.replay(tensors)

    def _find(self, signature: Hashable, keeps: Callable[[], list[Any]]) -> _Known:
        if signature not in self._known:
            self._known[signature] = _Known(keeps())
            if len(self._known) > CAPACITY:
                self._known.popitem(last=False)
        self._known.move_to_end(signature)
        return self._known[signature]

    def _try(
        self,
        known: _Known,
        call: Call,
        tensors: Sequence[Tensor],
        keeps: Callable[[], list[Any]],
        patcher: ModelPatcher,
    ) -> None:
        if reason := refusal(tensors[0].device):
            return self._refuse(reason)
        layers = list(patcher.model.diffusion_model.modules())[1:]
        if any(map(_watched, layers)) or not _fits(patcher, tensors[0]):
            return
        try:
            known.recording = self._record(call, tensors)
        except RuntimeError as error:  # of a kernel, a driver or an allocator that cannot do it
            self._refuse(str(error).partition("\n")[0])
        else:
            known.keeps, known.layers = keeps(), layers

    def _refuse(self, reason: str) -> None:
        self._refused = True
        logging.warning("PersonalQ: steps are not replayed, only launched: %s", reason)

    @property
    def nbytes(self) -> int:
        """Bytes of all recordings."""
        found = (known.recording for known in self._known.values())
        return sum(recording.nbytes for recording in found if recording is not None)

    def evict(self) -> bool:
        """Drop nothing; returns False."""
        return False

    def clear(self) -> None:
        """Drop all recordings."""
        self._known.clear()


def can_replay(patcher: ModelPatcher, x: Tensor, options: Mapping[str, Any]) -> bool:
    """Whether a step of `patcher`'s model for `x` depends on its tensors alone.

    Its weights must be on the device, and no other code in its layers or in `transformer_options`.
    """
    return (
        registry.machine(x.device).kind in RECORDED_ON
        and torch.is_inference_mode_enabled()
        and not torch.compiler.is_compiling()
        and os.environ.get(ON) == "1"
        and not patcher.model.model_lowvram
        and patcher.injections.keys() <= {KEY}
        and not any(name.startswith("diffusion_model.") for name in patcher.object_patches)
        and all(_harmless(name, value) for name, value in options.items())
    )


def refusal(device: torch.device) -> str:
    """Why no step can be recorded on `device` whatever it is; "" = it can.

    CUDA's own allocator gives a recording memory that exists only while it runs. Triton takes it
    for a CPU's, and a recording that fails ends the process.
    """
    if device.type == "cuda" and torch.cuda.get_allocator_backend() != "native":
        return "they need PyTorch's own allocator: start ComfyUI with --disable-cuda-malloc"
    return ""


def _harmless(name: str, value: Any) -> bool:
    if name in _PATCHES:
        return not any(value.values())
    return name in _AROUND or name.startswith(_OURS)


def _watched(layer: nn.Module) -> bool:
    """Whether other code sees or changes what goes into or comes out of `layer`."""
    return bool(layer._forward_hooks or layer._forward_pre_hooks)


def _fits(patcher: ModelPatcher, x: Tensor) -> bool:
    """Whether a recording's memory is free: that of one more call of `x`."""
    free = comfy.model_management.get_free_memory(x.device)
    return free > patcher.memory_required(list(x.shape))
