"""Checkpoint or LoRA, and of which base model, by the names and shapes of a file's tensors."""

from __future__ import annotations

import re
from itertools import takewhile

from ..lexicon.base_models import known_family, shares_layers
from ..lexicon.spelling import name_words
from .architectures import Shapes, base_model_of
from .model_file import Fields, ModelFile, Report
from .reader import Reader

LORA_TENSOR = re.compile(
    r"[._]lora\d?[._](?:A|B|down|up)(?:\.default)?(?:\.weight)?$"
    r"|\.lora_linear_layer\.(?:down|up)\.weight$"
    r"|\.(?:hada_w1_a|lokr_w1(?:_a)?|oft_blocks|dora_scale)$"
)
"""The end of a tensor's name in a LoRA, as kohya, PEFT, diffusers, XLabs and LyCORIS write it."""
_STORED = "personalq"
"""In the header of quantized weights that are stored beside models (taq_kernels/storage)."""
_OF_SDXL = {"pony", "illustrious", "noobai"}
"""Base models with the layers of SDXL, which only a file's name can tell from it."""
_IN_LORAS = {"ponyxl": "pony", "pdxl": "pony", "ilxl": "illustrious", "illustrious": "illustrious"}
_IN_LORAS |= {"noobxl": "noobai", "noobai": "noobai"}
"""How names of LoRAs write them; a LoRA called "pony" may be of an animal."""
_AT_THE_END = re.compile(
    r"[a-z0-9](?<!\bmy)(?<!\bour)[ _.-](?P<base>pony|ill?|noob)(?:[ _.-]?v?\d[\d._a-z]*)?$",
    re.IGNORECASE,
)
"""As the last word, before a version, "pony" is a base model: muscle_slider_pony_v2."""
_LAST = {"pony": "pony", "il": "illustrious", "ill": "illustrious", "noob": "noobai"}
_FOLDERS = _IN_LORAS | _LAST | {"illu": "illustrious", "illustriousxl": "illustrious"}
"""How folders are called in which people keep what is for one of them."""
_OF_COMFYUI = {"loras", "lora", "checkpoints", "diffusionmodels", "stablediffusion", "models"}
"""Folders around which nothing is of the models."""
_WHOLE = re.compile(
    r"(?:model\.)?diffusion_model\.|unet\.down_blocks\.|down_blocks\.|input_blocks\."
    r"|(?:net\.)?(?:double_blocks|joint_blocks|transformer_blocks|double_stream_blocks)\."
    r"|(?:net\.)?(?:head\.modulation$|cap_embedder\.|txtfusion\.|llm_adapter\."
    r"|blocks\.0\.adaln_modulation_self_attn\.)"
)
"""How tensors of a whole UNet or diffusion transformer begin, in a checkpoint or alone."""


def read(model: ModelFile, report: Report) -> Fields:
    """`kind` and `base_model`, if the tensors show them.

    A diffusion model in a file of its own is a checkpoint too: its other parts are found when it is
    loaded. Nothing for a VAE, a ControlNet, a text encoder or quantized weights that were stored.
    """
    shapes = model.header.shapes
    if _STORED in model.header.metadata:
        return {}
    if any(map(LORA_TENSOR.search, shapes)):
        return {"kind": "lora", "base_model": _of_lora(base_model_of(shapes), model)}
    if any(map(_WHOLE.match, shapes)) and not _is_control_net(shapes):
        return {"kind": "checkpoint", "base_model": _variant(base_model_of(shapes), model)}
    return {}


def _of_lora(base_model: str | None, model: ModelFile) -> str | None:
    """The variant of SDXL that a LoRA's name tells, where its trainer did not write down the base
    model's file.
    """
    if base_model != "sdxl" or model.header.metadata.get("ss_sd_model_name"):
        return base_model
    name = model.stem.casefold()
    told = (base for word, base in _IN_LORAS.items() if re.search(rf"(?<![a-z]){word}", name))
    last = _AT_THE_END.search(name)
    return next(told, _LAST[last["base"]] if last else _of_folder(model) or base_model)


def _of_folder(model: ModelFile) -> str | None:
    """The variant of SDXL that a folder of the file, or the one around that, is called by."""
    names = [re.sub(r"[\W_]+", "", folder.name.casefold()) for folder in model.path.parents[:2]]
    own = takewhile(lambda name: name not in _OF_COMFYUI, names)
    return next((_FOLDERS[name] for name in own if name in _FOLDERS), None)


def _variant(base_model: str | None, model: ModelFile) -> str | None:
    """The variant of a base model that a file's name tells: "flux1-dev-kontext" is "flux1-kontext".

    Names of whole checkpoints (SDXL) are free, so they tell only what nobody else writes into them:
    "waiNSFWIllustrious". A name of other layers tells nothing.
    """
    if shares_layers("sdxl", base_model):
        named = known_family(" ".join(name_words(model.stem)))
        if named in _OF_SDXL or named == "sdxl":
            return named
        return _of_folder(model) or base_model
    named = known_family(model.stem)
    return named if shares_layers(named, base_model) else base_model


def _is_control_net(shapes: Shapes) -> bool:
    starts = (
        "control_model.",
        "controlnet_",
        "input_hint_block.",
        "zero_convs.",
        "lora_controlnet",
    )
    return any(name.startswith(starts) for name in shapes)


READERS = (Reader("tensors", "safetensors", read, {"kind": 10, "base_model": 50}),)
