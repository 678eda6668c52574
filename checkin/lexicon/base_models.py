"""One name for each base model, from the many that tools write."""

from __future__ import annotations

import re

from .text import printable

_RULES = (
    ("pony-v7", r"pony ?(diffusion )?(xl )?v?7"),
    ("pony", r"\bpony"),
    ("noobai", r"noob ?ai"),
    ("illustrious", r"illustrious"),
    ("kolors", r"kolors"),
    ("cascade", r"cascade|wuerstchen"),
    ("svd", r"\bsvd\b|stable video"),
    ("sdxl", r"sd ?xl|stable diffusion ?xl"),
    ("sd35-large", r"(\bsd|stable diffusion) ?v?3 ?5.*large"),
    ("sd35-medium", r"(\bsd|stable diffusion) ?v?3 ?5.*medium"),
    ("sd35", r"(\bsd|stable diffusion) ?v?3 ?5"),
    ("sd3", r"(\bsd|stable diffusion) ?v?3\b"),
    ("sd2", r"(\bsd|stable diffusion) ?v?2"),
    ("sd15", r"(\bsd|stable diffusion) ?v?1"),
    ("flux2-klein-4b", r"klein.*\b4 ?b"),
    ("flux2-klein-9b", r"klein.*\b9 ?b"),
    ("flux2-klein", r"flux ?2.*klein"),
    ("flux2", r"flux ?2"),
    ("flux1-kontext", r"flux.*kontext"),
    ("flux1-krea", r"flux.*krea"),
    ("flux1-schnell", r"flux.*(schnell|\bs$)|flux ?1 s\b"),
    ("flux1-fill", r"flux.*(fill|inpaint)"),
    ("flux1", r"flux ?1|\bflux\b"),
    ("zeta-chroma", r"zeta ?chroma"),
    ("chroma-radiance", r"chroma ?radiance"),
    ("chroma", r"\bchroma"),
    ("qwen-image-layered", r"qwen image layered"),
    ("qwen-image-edit", r"qwen.*edit"),
    ("qwen-image-2", r"qwen (image )?2\b"),
    ("qwen-image", r"qwen"),
    ("wan22-5b", r"\bwan.*\b5b"),
    ("wan21-1.3b", r"\bwan.*\b1 3b"),
    ("wan22-14b", r"\bwan ?(video )?2 ?2.*14b"),
    ("wan21-14b", r"\bwan.*14b"),
    ("wan22", r"\bwan ?(video )?2 ?2"),
    ("wan21", r"\bwan ?(video )?2 ?1"),
    ("wan25", r"\bwan ?(video )?2 ?5"),
    ("wan", r"\bwan\b"),
    ("hunyuan-video-1.5", r"hunyuan ?video ?(v)?1 ?5"),
    ("hunyuan-video", r"hunyuan ?video|framepack"),
    ("hunyuan-image", r"hunyuan ?image"),
    ("hunyuan-dit", r"hunyuan ?(1|dit)"),
    ("z-image-turbo", r"z ?image.*turbo"),
    ("z-image", r"z ?image"),
    ("hidream-o1", r"hi ?dream o1"),
    ("hidream", r"hi ?dream"),
    ("lumina", r"lumina"),
    ("pixart-alpha", r"pixart ?(a|alpha)\b"),
    ("pixart-sigma", r"pixart.*(\be|sigma)\b"),
    ("pixart", r"pixart"),
    ("auraflow", r"aura ?flow"),
    ("ltx2", r"ltx ?v? ?2|ltx video 2"),
    ("ltx", r"ltx"),
    ("krea2", r"krea ?2"),
    ("kandinsky5", r"kandinsky ?5"),
    ("ideogram4", r"ideogram"),
    ("omnigen2", r"omnigen ?2"),
    ("cogvideox", r"cogvideo"),
    ("mochi", r"mochi"),
    ("anima", r"\banima\b"),
    ("ernie", r"\bernie"),
    ("sana", r"\bsana\b"),
)
"""(our name, what other names of it look like once "-", "_", "." and "/" are spaces); the first
that fits counts.
"""

_KNOWN = tuple((name, re.compile(pattern)) for name, pattern in _RULES)
_SILENT = frozenset({"", "unknown", "other", "none", "odor", "upscaler", "custom"})
_MADE_FROM = {"pony": "sdxl", "illustrious": "sdxl", "noobai": "illustrious", "pony-v7": "auraflow"}
"""Families that were trained from another one, so far that people keep them apart; the layers are
the same.
"""


def family(name: object) -> str | None:
    """Our name of the base model that `name` means: "sd15" for "SD 1.5", "sd_v1" and
    "stable-diffusion-v1/lora".

    Variants that do not share their LoRAs have names of their own ("flux2-klein-4b"). A name
    outside the table becomes one lower-case word ("MyNet 3" is "mynet-3"); one that says nothing
    ("Unknown") gives None.
    """
    known = known_family(name)
    word = re.sub(r"[^\w.]+", "-", printable(str(name)[:200]).casefold()).strip("-")[:40].strip("-")
    return known or (None if word in _SILENT else word)


def known_family(name: object) -> str | None:
    """`family`, of a text that may name no base model at all, like a file name: None for what is
    not in the table.
    """
    text = " ".join(re.split(r"[\W_]+", printable(str(name)[:200]).casefold())).strip()
    return next((known for known, pattern in _KNOWN if pattern.search(text)), None)


def covers(wanted: str, name: str | None) -> bool:
    """Whether `name` is `wanted` or a kind of it: "sdxl" covers "pony", "flux" and "flux2" cover
    "flux2-klein-4b".
    """
    while name:
        if name == wanted or (name.startswith(wanted) and not name[len(wanted)].isalpha()):
            return True
        name = _MADE_FROM.get(name)
    return False


def shares_layers(name: str | None, other: str | None) -> bool:
    """Whether a LoRA for one base model fits the layers of the other; False where one of them is
    not known.
    """
    return bool(name and other) and _root(name or "") == _root(other or "")


def _root(name: str) -> str:
    while name in _MADE_FROM:
        name = _MADE_FROM[name]
    return "flux1" if name.startswith("flux1-") and name != "flux1-fill" else name
