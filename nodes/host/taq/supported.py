"""The models that TAQ supports."""

from __future__ import annotations

from comfy.model_patcher import ModelPatcher
from comfy.patcher_extension import WrappersMP
from comfy.quant_ops import QuantizedTensor
from comfy_api.torch_helpers.torch_compile import COMPILE_KEY
from torch._dynamo.eval_frame import OptimizedModule

from ....checkin.lexicon.sentences import say
from ....taq_kernels.families import SUPPORTED, ModelFamily, family_of_host
from .architectures import architecture_of
from .architectures.architecture import Architecture


def architecture_and_family(source: ModelPatcher) -> tuple[Architecture, ModelFamily]:
    """The architecture and the family of a MODEL.

    Raises ValueError for others, with the supported models and what to use instead.
    """
    found = _architecture_and_family(source)
    if found is None:
        raise ValueError(_unknown(source))
    return found


def family_of_model(source: ModelPatcher) -> ModelFamily:
    """The family of a MODEL. Raises ValueError like `architecture_and_family`."""
    return architecture_and_family(source)[1]


def refuse_unsupported(source: ModelPatcher) -> None:
    """Raise ValueError if TAQ cannot quantize the MODEL."""
    if why := reason_against(source):
        raise ValueError(why)


def reason_against(source: ModelPatcher) -> str | None:
    """Why TAQ cannot quantize the MODEL: compiled, of an unknown family, or quantized already.

    Bytes that another pack's layers decode, as of GGUF files, are quantized too.
    """
    if _is_compiled(source):
        return say(
            "This model is compiled (torch.compile) before TAQ Quantize Model, so it would run "
            "as it is, not quantized. Put the node that compiles it after TAQ."
        )
    if _architecture_and_family(source) is None:
        return _unknown(source)
    weights = source.get_model_object("diffusion_model").parameters()
    if any(isinstance(one, QuantizedTensor) or not one.is_floating_point() for one in weights):
        return say(
            "This model is quantized already. Connect the full-precision model: TAQ keeps the "
            "trigger exact only when it starts from the original weights."
        )
    return None


def _architecture_and_family(source: ModelPatcher) -> tuple[Architecture, ModelFamily] | None:
    family = family_of_host(source.model.model_config)
    architecture = architecture_of(source.get_model_object("diffusion_model"))
    return (architecture, family) if architecture and family else None


def _unknown(source: ModelPatcher) -> str:
    return say(
        "TAQ does not support this model ({model}). It runs {families}. Run this model "
        "without TAQ; if it is too large for your graphics card, load its fp8 file "
        "instead, if it has one.",
        model=type(source.model.model_config).__name__,
        families=SUPPORTED,
    )


def _is_compiled(source: ModelPatcher) -> bool:
    """Whether sampling runs a compiled module, which is bound to the weights of `source`."""
    return COMPILE_KEY in source.wrappers.get(WrappersMP.APPLY_MODEL, {}) or any(
        isinstance(patch, OptimizedModule) for patch in source.object_patches.values()
    )
