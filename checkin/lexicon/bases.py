"""How people name base models and kinds of model files."""

from __future__ import annotations

BASE_MODELS: dict[str, str] = {
    "sd15": r"(?:sd|stable[ -]?diffusion)[ -]?v?1[.,]?[45]|(?:sd|stable[ -]?diffusion)[ -]?1(?:\.x)?",
    "sdxl": r"sd[ -]?xl(?:[ -]?1\.0)?(?:[ -]?turbo)?|stable[ -]?diffusion[ -]?xl",
    "sd2": r"(?:sd|stable[ -]?diffusion)[ -]?v?2(?:[.,]?[01x])?",
    "sd3": r"(?:sd|stable[ -]?diffusion)[ -]?v?3(?:[.,]?5)?",
    "flux": r"flux(?:[ .]?[12])?(?:[ -]?(?:dev|schnell|kontext))?",
    "pony": r"pony[ -]?(?:diffusion|xl|v6)",
    "illustrious": r"illustrious(?:[ -]?xl)?",
    "qwen": r"qwen(?:[ -]?image)?",
    "wan": r"wan[ -]?2(?:\.\d)?",
    "chroma": r"chroma1?",
    "hunyuan": r"hunyuan(?:[ -]?(?:image|video|dit))?",
}

KINDS: dict[str, str] = {
    "lora": "lora",
    "locon": "lora",
    "lycoris": "lora",
    "checkpoint": "checkpoint",
    "ckpt": "checkpoint",
}
