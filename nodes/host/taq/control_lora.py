"""Control-LoRAs of a quantized UNet: ControlNets that take over the weights of the model itself."""

from __future__ import annotations

from functools import partial
from typing import Any

import comfy.utils
from comfy.controlnet import ControlLora
from comfy.model_patcher import ModelPatcher
from comfy.patcher_extension import WrappersMP
from comfy.quant_ops import QuantizedTensor

KEY = "personalq_control_lora"


def install(patcher: ModelPatcher) -> None:
    """Let Control-LoRAs take the weights of `patcher` and its clones as they are quantized."""
    patcher.remove_wrappers_with_key(WrappersMP.OUTER_SAMPLE, KEY)
    patcher.add_wrapper_with_key(WrappersMP.OUTER_SAMPLE, KEY, _with_quantized_weights)


def _with_quantized_weights(executor, *args, **kwargs):
    """OUTER_SAMPLE wrapper."""
    for conds in executor.class_obj.conds.values():
        for cond in conds:
            control = cond.get("control")
            while control is not None:
                if isinstance(control, ControlLora):
                    control.pre_run = partial(_pre_run, control)
                control = control.previous_controlnet
    return executor(*args, **kwargs)


def _pre_run(control: Any, model: Any, *args: Any) -> None:
    """Like the `pre_run` of `control`, which takes codes for weights.

    It gets the quantized weights in their place, which the host decodes to run a layer.
    """
    type(control).pre_run(control, model, *args)
    taken = dict(control.control_model.named_modules())
    for name, layer in model.diffusion_model.named_modules():
        weight, key = getattr(layer, "weight", None), f"{name}.weight"
        if (
            isinstance(weight, QuantizedTensor)
            and name in taken
            and key not in control.control_weights
        ):
            comfy.utils.set_attr_param(control.control_model, key, weight)
