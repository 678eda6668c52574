"""The models that TAQ supports."""

from __future__ import annotations

from comfy.ldm.modules.diffusionmodules.openaimodel import UNetModel
from comfy.model_patcher import ModelPatcher
from comfy.quant_ops import QuantizedTensor

from ....checkin.lexicon.sentences import say
from ....taq_kernels.families import SUPPORTED, ModelFamily, family_of_host


def family_of_model(source: ModelPatcher) -> ModelFamily:
    """The family of a MODEL. Raises ValueError, with the list of supported models, for others."""
    config, unet = source.model.model_config, source.get_model_object("diffusion_model")
    family = family_of_host(config)
    if family is None or not isinstance(unet, UNetModel):
        raise ValueError(
            say(
                "TAQ does not support this model ({model}). It runs the UNets of {families}. "
                "Connect such a model, or run this one without TAQ.",
                model=type(config).__name__,
                families=SUPPORTED,
            )
        )
    return family


def refuse_unsupported(source: ModelPatcher) -> None:
    """Raise ValueError if TAQ cannot quantize the MODEL: unknown family, or quantized already."""
    family_of_model(source)
    weights = source.get_model_object("diffusion_model").parameters()
    if any(isinstance(weight, QuantizedTensor) for weight in weights):
        raise ValueError(
            say(
                "This model is quantized already. Connect the full-precision model: TAQ keeps the "
                "trigger exact only when it starts from the original weights."
            )
        )
