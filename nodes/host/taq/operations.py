"""The host's layer classes for a quantized UNet: its own mixed-precision Linear, and a Conv2d that
it does not have.

Both hold their weight as a comfy-kitchen QuantizedTensor, so the host moves, offloads and counts
it. LoRAs bypass them; another patch that is added later is applied to the dequantized weight,
which is quantized again.
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
from ....taq_kernels.layouts.formats import FORMATS
from ....taq_kernels.spec import Activations
from ....taq_kernels.storage.state_dict import quant_entry, read_entry
from .bypass_branches import Branch
from .text_projections import TextProjections


class Branches:
    """A layer with bypass branches (`bypass_branches.branches_on`)."""

    branches: Sequence[Branch] = ()

    def forward(self, input, *args, **kwargs):
        """What the layer returns, and what its branches add to it."""
        out = super().forward(input, *args, **kwargs)  # type: ignore[misc]
        for branch in self.branches:
            out = branch(input, out)
        return out


class TextLinear(comfy.ops.manual_cast.Linear):
    """Projects the prompt, once: it stays where it is loaded (main memory, or its file) and visits
    the GPU only for that. So do its patches of any kind, which are added to it then.
    """

    offloaded = True
    branches: Sequence[tuple] = ()
    """The host's patches of the weight (`bypass_branches.branches_on`)."""
    projections: TextProjections
    """Of the whole model."""

    def _apply(self, fn, recurse=True):
        return self

    def forward(self, input, *args, **kwargs):
        """As `project`, once for a text of this value: whoever calls this does so at every step."""
        return self.projections.get(self, self.branches, input, self.project)

    def project(self, input):
        """Input [..., C] -> [..., C'] by the weight with its patches."""
        if not self.branches:
            return super().forward(input)
        weight = self.weight.to(
            input.device, torch.float32, copy=True
        )  # the host adds patches in place
        weight = comfy.lora.calculate_weight(list(self.branches), weight, "text projection")
        return torch.nn.functional.linear(input, weight.to(input.dtype))


class QuantizedMoves:
    """Moves a layer whose weight is a QuantizedTensor, whether the host does so in inference mode
    or out of it.

    It runs nodes in that mode and frees memory without it; a QuantizedTensor made in one cannot
    become a Parameter in the other, so the layer holds ordinary tensors only.
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
    """Loads and saves a weight in a layout that the host's own loader does not know; `comfy_quant`
    beside the weight in the state dict names it.
    """

    quant_format: str | None = None
    layout_type: str | None = None
    weight: Any  # a Parameter, around a QuantizedTensor where quantized
    bias: Any

    def _form(self) -> tuple[torch.dtype, tuple[int, ...]]:
        """Dtype and shape of the weight that is to be loaded."""
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
        """As of any module, with the entries of the quantized weight."""
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
            x, padding = quantized_ops.padded(self, input)
            return quantized_ops.conv2d(
                x, weight, bias, self.activations, self.stride, padding, self.dilation, self.groups
            )

    def convert_weight(self, weight, inplace=False, **kwargs):
        """Float weight, for the host to add a LoRA to."""
        return weight.dequantize() if isinstance(weight, QuantizedTensor) else weight

    def set_weight(self, weight, inplace_update=False, seed=None, return_weight=False, **kwargs):
        """Take back what the host made of `convert_weight`'s result, quantized as before
        (stochastic rounding).
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
    """Weight, quantized as it is stored, and bias of `layer` where `input` is."""
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


def operations(compute_dtype: torch.dtype, activations: Activations) -> type:
    """Layer classes for the host's `custom_operations`."""
    host: Any = comfy.ops.mixed_precision_ops({}, compute_dtype)

    class HostLinear(OwnFormats, QuantizedMoves, host.Linear):
        """The host's Linear, its products by whoever computes them on this device."""

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
