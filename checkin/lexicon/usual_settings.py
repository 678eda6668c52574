"""The settings that are usual for each base model.

Those of split models are what ComfyUI's own templates have; Pony, Illustrious and NoobAI those
that their makers recommend.
"""

from __future__ import annotations

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


_ANIME_NEGATIVE = "worst quality, low quality, lowres, bad hands, signature, username, logo"
USUAL = (
    Usual("sd15", "512x512", 25, 7.0, "dpmpp_2m", "karras"),
    Usual("sd2", "768x768", 25, 7.0, "dpmpp_2m", "karras", 2),
    Usual("pony", "1024x1024", 25, 7.0, "euler_ancestral", "normal", 2),
    Usual("noobai", "1024x1024", 28, 5.0, "euler", "normal", 2, _ANIME_NEGATIVE),
    Usual("illustrious", "1024x1024", 28, 6.0, "euler_ancestral", "normal", 2, _ANIME_NEGATIVE),
    Usual("sdxl", "1024x1024", 25, 7.0, "dpmpp_2m", "karras", 2),
    Usual("sd35", "1024x1024", 28, 4.5, "euler", "sgm_uniform"),
    Usual("sd3", "1024x1024", 28, 4.5, "euler", "sgm_uniform"),
    Usual("flux2-klein", "1024x1024", 20, 5.0, "euler", "simple"),
    Usual("flux2", "1024x1024", 20, 1.0, "euler", "simple"),
    Usual("flux", "1024x1024", 25, 1.0, "euler", "simple"),
    Usual("qwen-image", "1328x1328", 20, 2.5, "euler", "simple"),
    Usual("z-image", "1024x1024", 25, 4.0, "res_multistep", "simple"),
    Usual("chroma", "1024x1024", 26, 4.0, "euler", "beta"),
    Usual("hidream", "1024x1024", 50, 5.0, "uni_pc", "simple"),
    Usual("lumina", "1024x1024", 30, 4.0, "res_multistep", "simple"),
    Usual("anima", "1024x1024", 30, 4.0, "euler", "simple"),
    Usual("wan", "832x480", 20, 6.0, "uni_pc", "simple"),
)
"""The first that covers a base model counts."""
OTHERS = Usual("", "1024x1024", 25, 7.0, "euler", "normal")
_OF_CLIP = ("sd15", "sd2", "sdxl")


def usual(base_model: str | None) -> Usual:
    """The usual settings of a base model, or of an unknown one."""
    return next((one for one in USUAL if covers(one.base_model, base_model)), OTHERS)


def least_clip_skip(base_model: str | None) -> int | None:
    """The least clip skip with which the base model works; None if it has none."""
    known = any(covers(one, base_model) for one in _OF_CLIP) or base_model is None
    return usual(base_model).clip_skip if known else None
