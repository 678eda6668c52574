"""The settings that are usual for each base model.

They are what ComfyUI's own templates have. Those of SD 1.5, SD 2 and SDXL are what most people use;
of SD 3, Krea 2, Pony, Illustrious and NoobAI, what their makers recommend.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .base_models import covers


@dataclass(frozen=True)
class Usual:
    """What models of one base model, and those trained from it, are sampled with."""

    base_model: str
    size: str
    """Pixels: "1024x1024"."""
    steps: int
    cfg: float
    """1 for a model that was distilled for guidance: what others call its cfg is another number."""
    sampler: str
    scheduler: str
    clip_skip: int = 1
    """How many of CLIP's layers count from the end. The host itself takes 2 for SD 2 and SDXL."""
    negative: str = ""
    named: str = ""
    """Regular expression of the names of those builds that it is for, in lower case, with "_" for
    everything that is no letter or digit; "" for all.
    """


def _word(pattern: str) -> str:
    return rf"(?<![a-z]){pattern}(?![a-z0-9])"


_ANIME_NEGATIVE = "worst quality, low quality, lowres, bad hands, signature, username, logo"
USUAL = (
    Usual("sd15", "512x512", 25, 7.0, "dpmpp_2m", "karras"),
    Usual("sd2", "768x768", 25, 7.0, "dpmpp_2m", "karras", 2),
    Usual("pony", "1024x1024", 25, 7.0, "euler_ancestral", "normal", 2),
    Usual("noobai", "1024x1024", 28, 5.0, "euler", "normal", 2, _ANIME_NEGATIVE),
    Usual("illustrious", "1024x1024", 28, 6.0, "euler_ancestral", "normal", 2, _ANIME_NEGATIVE),
    Usual("sdxl", "512x512", 4, 1.0, "euler_ancestral", "sgm_uniform", 2, named=r"^sd_?xl_?turbo"),
    Usual("sdxl", "1024x1024", 25, 7.0, "dpmpp_2m", "karras", 2),
    Usual("sd35", "1024x1024", 20, 4.0, "euler", "sgm_uniform"),
    Usual("sd3", "1024x1024", 28, 4.5, "euler", "sgm_uniform"),
    Usual("flux2-klein", "1024x1024", 20, 5.0, "euler", "simple"),
    Usual("flux2", "1024x1024", 20, 1.0, "euler", "simple"),
    Usual("flux1-fill", "1024x1024", 20, 1.0, "euler", "normal"),
    Usual("flux", "1024x1024", 20, 1.0, "euler", "simple"),
    Usual("qwen-image-layered", "640x640", 20, 2.5, "euler", "simple"),
    Usual("qwen-image-edit", "1328x1328", 40, 4.0, "euler", "simple", named="2511"),
    Usual("qwen-image-edit", "1328x1328", 20, 4.0, "euler", "simple", named="2509"),
    Usual("qwen-image-edit", "1328x1328", 20, 2.5, "euler", "simple"),
    Usual("qwen-image", "1328x1328", 50, 4.0, "euler", "simple", named="2512"),
    Usual("qwen-image", "1328x1328", 20, 4.0, "euler", "simple"),
    Usual("z-image", "1024x1024", 25, 4.0, "res_multistep", "simple"),
    Usual("chroma-radiance", "1024x1024", 30, 3.5, "euler", "beta"),
    Usual("chroma", "1024x1024", 26, 3.5, "euler", "beta"),
    Usual("hidream-o1", "2048x2048", 28, 1.0, "lcm", "normal", named=_word("dev")),
    Usual("hidream-o1", "2048x2048", 40, 5.0, "dpmpp_2m_sde_gpu", "normal"),
    Usual("hidream", "1024x1024", 28, 1.0, "lcm", "normal", named=_word("dev")),
    Usual("hidream", "1024x1024", 16, 1.0, "lcm", "normal", named=_word("fast")),
    Usual("hidream", "1024x1024", 50, 5.0, "uni_pc", "simple"),
    Usual("lumina", "1024x1024", 30, 4.0, "res_multistep", "simple"),
    Usual("anima", "1024x1024", 30, 4.0, "er_sde", "simple", named=_word(r"preview\d*")),
    Usual("anima", "1024x1024", 30, 4.0, "euler", "simple"),
    Usual("krea2", "1024x1024", 52, 4.5, "euler", "simple"),
    Usual("ernie", "1024x1024", 20, 4.0, "euler", "simple"),
    Usual("kandinsky5", "1024x1024", 50, 3.5, "euler", "simple"),
    Usual("omnigen2", "1024x1024", 20, 5.0, "euler", "simple"),
    Usual("wan22-5b", "1280x704", 20, 5.0, "uni_pc", "simple"),
    Usual("wan22", "640x640", 20, 3.5, "euler", "simple"),
    Usual("wan21-1.3b", "832x480", 30, 6.0, "uni_pc", "simple"),
    Usual("wan", "832x480", 20, 6.0, "uni_pc", "simple"),
)
"""The first that covers a base model, and the name of its file, counts."""
OTHERS = Usual("", "1024x1024", 25, 7.0, "euler", "normal")
_OF_CLIP = ("sd15", "sd2", "sdxl")


def usual(base_model: str | None, name: str = "") -> Usual:
    """The usual settings of a base model, or of an unknown one.

    `name` is the checkpoint's, which tells builds of a base model apart that are drawn otherwise.
    """
    words = re.sub(r"[^a-z0-9]+", "_", name.casefold())
    found = (one for one in USUAL if covers(one.base_model, base_model))
    return next((one for one in found if re.search(one.named, words)), OTHERS)


def least_clip_skip(base_model: str | None) -> int | None:
    """The least clip skip with which the base model works; None if it has none."""
    known = any(covers(one, base_model) for one in _OF_CLIP) or base_model is None
    return usual(base_model).clip_skip if known else None
