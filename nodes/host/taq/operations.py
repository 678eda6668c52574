"""Layer classes for a quantized UNet in the host: the host's mixed-precision Linear, and a Conv2d
that the host does not have.

Both hold their weight as a QuantizedTensor of comfy-kitchen, so the host moves, offloads and counts
it. LoRAs bypass the weight. Any other patch that is added later is applied to the dequantized
weight, which is then quantized again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import comfy.lora
import comfy.ops
import torch
from comfy.quant_ops import QUANT_ALGOS, QuantizedTensor

from ....taq_kernels import quantized_ops
from ....taq_kernels.activations import simulated
from ....taq_kernels.backends.backend import Norm
from ....taq_kernels.layouts.formats import FORMATS
from ....taq_kernels.spec import Activations
from ....taq_kernels.storage.state_dict import quant_entry, read_entry
from .bypass_branches import Branch
from .text_projections import TextProjections


class Branches:
    """A layer with bypass branches (`bypass_branches.branches_on`)."""

    branches: Sequence[Branch] = ()

    def forward(self, input, *args, **kwargs):
        """Run the layer and add the outputs of its branches."""
        out = super().forward(input, *args, **kwargs)  # type: ignore[misc]
        for branch in self.branches:
            out = branch(input, out)
        return out


class Offloaded:
    """A layer of the text, which runs once for each prompt.

    Its weight stays where it was loaded (in main memory or its file) and is copied to the GPU only
    to run. So are its patches of any kind, which are then added to the weight and the bias.
    """

    offloaded = True
    weight: Any
    bias: Any
    branches: Sequence[tuple] = ()
    """The host's patches of the weight (`bypass_branches.branches_on`)."""
    bias_branches: Sequence[tuple] = ()
    """Those of the bias."""
    before_sampling = False
    """Whether it runs before the model is called, when the host prepares the prompts."""

    def _apply(self, fn, recurse=True):
        return self

    def patched(self, device: torch.device, dtype: torch.dtype) -> tuple[Any, Any]:
        """The weight and the bias with their patches."""
        parts = (self.weight, self.branches), (self.bias, self.bias_branches)
        weight, bias = (_patched(part, patches, device, dtype) for part, patches in parts)
        return weight, bias


def _patched(part: Any, patches: Sequence[tuple], device: torch.device, dtype: torch.dtype) -> Any:
    if part is None or not patches:
        return None if part is None else part.to(device, dtype)
    exact = part.to(device, torch.float32, copy=True)  # the host adds patches in place
    return comfy.lora.calculate_weight(list(patches), exact, "layer of the text").to(dtype)


class TextLinear(Offloaded, comfy.ops.manual_cast.Linear):
    """A projection of the prompt."""

    projections: TextProjections | None = None
    """The texts that were projected, shared by the whole model; None = none are cached."""

    def forward(self, input, *args, **kwargs):
        """Like `project`, but computed once for each text, because callers repeat it every step."""
        if self.projections is None:
            return self.project(input)
        patches = *self.branches, *self.bias_branches
        return self.projections.get(self, patches, input, self.project)

    def project(self, input):
        """Project input [..., C] to [..., C'] with the weight and its patches."""
        return torch.nn.functional.linear(input, *self.patched(input.device, input.dtype))


class TextEmbedding(Offloaded, comfy.ops.manual_cast.Embedding):
    """A table of the prompt's tokens, which are looked up where it is."""

    bias = None

    def _load_from_state_dict(self, *args):
        torch.nn.Module._load_from_state_dict(self, *args)  # the host's would make it anew

    def forward(self, input, out_dtype=None):
        """The rows [..., C] of the tokens `input` [...]."""
        weight, _ = self.patched(self.weight.device, self.weight.dtype)
        rows = torch.nn.functional.embedding(input.to(weight.device, torch.long), weight)
        return rows.to(input.device, out_dtype or weight.dtype)


class QuantizedMoves:
    """A layer whose quantized weight can be moved both inside and outside inference mode.

    The host runs nodes in inference mode but frees memory outside it. A QuantizedTensor made in one
    mode cannot become a Parameter in the other, so the layer holds only ordinary tensors.
    """

    _parameters: dict[str, torch.nn.Parameter | None]

    def _apply(self, fn, recurse=True):
        with torch.inference_mode(False):
            for name, parameter in self._parameters.items():
                if parameter is not None:
                    moved = fn(parameter)
                    ordinary = moved.clone() if moved.is_inference() else moved
                    self._parameters[name] = torch.nn.Parameter(ordinary, requires_grad=False)
        return self


class OwnFormats:
    """Loads and saves a weight in a layout that the host's own loader does not know.

    The layout is named by the `comfy_quant` entry of the state dict.
    """

    quant_format: str | None = None
    layout_type: str | None = None
    weight: Any  # a Parameter, of a QuantizedTensor if it is quantized
    bias: Any

    def _form(self) -> tuple[torch.dtype, tuple[int, ...]]:
        """Dtype and shape of the weight to load."""
        raise NotImplementedError

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing, unexpected, errors
    ):
        rest = state_dict, prefix, local_metadata, strict, missing, unexpected, errors
        entry = state_dict.get(f"{prefix}comfy_quant")
        settings = {} if entry is None else read_entry(entry)
        if not settings or settings["format"] in QUANT_ALGOS:
            return super()._load_from_state_dict(*rest)  # type: ignore[misc]
        del state_dict[f"{prefix}comfy_quant"]
        names = [key for key in state_dict if key.startswith(f"{prefix}weight")]
        tensors = {key.removeprefix(f"{prefix}weight"): state_dict.pop(key) for key in names}
        layout = FORMATS[settings["format"]]
        self.quant_format, self.layout_type = layout.format, layout.name
        weight = layout.load(tensors, *self._form(), settings)
        self.weight = torch.nn.Parameter(weight, requires_grad=False)
        torch.nn.Module._load_from_state_dict(self, *rest)  # type: ignore[arg-type]
        if strict:
            missing.remove(f"{prefix}weight")  # loaded above

    def state_dict(self, *args, destination=None, prefix="", **kwargs):
        """Like `state_dict` of any module, with the entries of the quantized weight."""
        if self.quant_format is None or self.quant_format in QUANT_ALGOS:
            return super().state_dict(*args, destination=destination, prefix=prefix, **kwargs)  # type: ignore[misc]
        out = {} if destination is None else destination
        out.update(self.weight.state_dict(f"{prefix}weight"))
        out[f"{prefix}comfy_quant"] = quant_entry(self.weight)
        if self.bias is not None:
            out[f"{prefix}bias"] = self.bias
        return out


class Conv2d(Branches, OwnFormats, QuantizedMoves, comfy.ops.manual_cast.Conv2d):
    """A convolution whose weight may be quantized."""

    activations: Activations

    def _form(self):
        return self.weight.dtype, tuple(self.weight.shape)

    def forward_comfy_cast_weights(self, input):
        """Convolve `input` [B, C, H, W] to [B, O, H', W']."""
        if (
            self.quant_format is None or self.weight_function
        ):  # patches of the host's low-VRAM mode need floats
            return super().forward_comfy_cast_weights(input)
        with _on_device(self, input) as (weight, bias):
            if self._convolved_by_others:
                pixels = simulated(input, self.activations, rows=1)
                return self._conv_forward(pixels, weight.dequantize().to(input.dtype), bias)
            x, padding = quantized_ops.padded(self, input)
            return quantized_ops.conv2d(
                x, weight, bias, self.activations, self.stride, padding, self.dilation, self.groups
            )

    @property
    def _convolved_by_others(self) -> bool:
        """Whether another pack replaced the convolution itself, as one for seamless textures does
        with torch's own, and puts back torch's.
        """
        function = getattr(self._conv_forward, "__func__", None)
        return function is not torch.nn.Conv2d._conv_forward

    def takes_norm(self, device: torch.device) -> bool:
        """Whether `after_norm` computes the layer on `device`.

        Branches need the normed input, and padding in circles and low-VRAM patches floats.
        """
        if self.quant_format is None or self.weight_function or self.branches:
            return False
        if self._convolved_by_others:
            return False
        return self.padding_mode == "zeros" and quantized_ops.takes_norm(
            self.weight, self.activations, self.groups, device
        )

    def after_norm(self, input, norm: Norm):
        """Convolve SiLU(GroupNorm(input)); input is [B, C, H, W]."""
        with _on_device(self, input) as (weight, bias):
            geometry = self.stride, self.padding, self.dilation, self.groups
            return quantized_ops.normed_conv2d(input, norm, weight, bias, *geometry)

    def convert_weight(self, weight, inplace=False, **kwargs):
        """The weight in floating point, so that the host can add a LoRA to it."""
        return weight.dequantize() if isinstance(weight, QuantizedTensor) else weight

    def set_weight(self, weight, inplace_update=False, seed=None, return_weight=False, **kwargs):
        """Set the weight that the host made from `convert_weight`'s result.

        It is quantized again if it was quantized, with stochastic rounding by `seed`.
        """
        if self.quant_format is not None:
            weight = self.weight.requantize_from_float(weight, stochastic_rounding=seed).to(
                self.weight.dtype
            )
        else:
            weight = weight.to(self.weight.dtype)
        if return_weight:
            return weight
        self.weight = torch.nn.Parameter(weight, requires_grad=False)


@contextmanager
def _on_device(layer, input) -> Iterator[tuple[Any, Any]]:
    """The weight, quantized as it is stored, and the bias of `layer` on the device of `input`.

    Where both are there already, the host would only look at them, longer than a kernel runs.
    """
    weight, bias = layer.weight, layer.bias
    if _is_ready(layer, weight, bias, input):
        yield weight, bias
        return
    weight, bias, stream = comfy.ops.cast_bias_weight(
        layer,
        dtype=layer.weight.dtype,
        device=input.device,
        bias_dtype=input.dtype,
        offloadable=True,
        want_requant=True,
    )
    yield weight, bias
    comfy.ops.uncast_bias_weight(layer, weight, bias, stream)


def _is_ready(layer: Any, weight: Any, bias: Any, input: torch.Tensor) -> bool:
    """Whether weight and bias of `layer` can be used for `input` as they are."""
    device = input.device
    if weight.device != device or layer.weight_function or layer.bias_function:
        return False
    return bias is None or (bias.device == device and bias.dtype == input.dtype)


def operations(compute_dtype: torch.dtype, activations: Activations) -> type:
    """Layer classes for the host's `custom_operations`."""
    host: Any = comfy.ops.mixed_precision_ops({}, compute_dtype)

    class HostLinear(OwnFormats, QuantizedMoves, host.Linear):
        """The host's Linear, with its products computed by the backend for the device."""

        def _form(self):
            return compute_dtype, self._orig_shape

        def forward(self, input, *args, **kwargs):
            if not isinstance(self.weight, QuantizedTensor) or self.weight_function:
                return super().forward(input, *args, **kwargs)
            with _on_device(self, input) as (weight, bias):
                return quantized_ops.linear(input, weight, bias, activations)

    linear = type("Linear", (Branches, HostLinear), {})
    conv = type("Conv2d", (Conv2d,), {"activations": activations})
    return type("TAQOperations", (host,), {"Linear": linear, "Conv2d": conv})
