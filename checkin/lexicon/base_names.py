"""How people name base models and kinds of model files."""

from __future__ import annotations

BASE_MODELS: dict[str, str] = {
    "sd15": r"(?:sd|stable[ -]?diffusion)[ -]?v?1[.,]?[45]|(?:sd|stable[ -]?diffusion)[ -]?1(?:\.x)?",
    "sdxl": r"sd[ -]?xl(?:[ -]?1\.0)?(?:[ -]?turbo)?|stable[ -]?diffusion[ -]?xl",
    "sd2": r"(?:sd|stable[ -]?diffusion)[ -]?v?2(?:[.,]?[01x])?",
    "sd35": r"(?:sd|stable[ -]?diffusion)[ -]?v?3[.,]?5",
    "sd3": r"(?:sd|stable[ -]?diffusion)[ -]?v?3",
    "flux2": r"flux[ .-]?2(?:[ -]?(?:dev|klein|pro))?",
    "flux1-kontext": r"(?:flux[ .-]?1?[ -]?)?kontext",
    "flux1-schnell": r"flux[ .-]?1?[ -]?schnell",
    "flux": r"flux(?:[ .-]?1)?(?:[ -]?dev)?",
    "pony": r"pony[ -]?(?:diffusion|xl|v6)",
    "noobai": r"noob[ -]?(?:ai|xl)(?:[ -]?xl)?",
    "illustrious": r"illustrious(?:[ -]?xl)?",
    "qwen": r"qwen(?:[ -]?image)?",
    "wan": r"wan[ -]?2(?:\.\d)?",
    "chroma": r"chroma1?",
    "z-image": r"z[ -]image(?:[ -]?turbo)?",
    "hidream": r"hi[ -]?dream",
    "kolors": r"kolors",
    "lumina": r"lumina(?:[ -]?2)?",
    "pixart": r"pix[ -]?art(?:[ -]?(?:alpha|sigma))?",
    "auraflow": r"aura[ -]?flow",
    "hunyuan": r"hunyuan(?:[ -]?(?:image|video|dit))?",
}

KINDS: dict[str, str] = {
    "lora": "lora",
    "locon": "lora",
    "lycoris": "lora",
    "checkpoint": "checkpoint",
    "ckpt": "checkpoint",
}
