"""The base models: their ids, the names that people and tools use, and their parents."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .sentences import say
from .text import printable


@dataclass(frozen=True)
class BaseModel:
    """One base model.

    A model whose id begins with the id of another is a variant of it ("flux1" of "flux",
    "sd35-large" of "sd35"). Variants that do not share their LoRAs have ids of their own.
    """

    id: str
    """The id that cards and the index store."""
    label: str = ""
    """Its name for people; "" if they use the id."""
    aliases: str = ""
    """Regular expression of how tools write it, in lower case.

    Spaces stand for "-", "_", "." and "/". "" for a group of base models, which no tool writes.
    """
    parent: str | None = None
    """The base model that it was trained from and whose layers it shares."""
    spoken: str = ""
    """Regular expression of how people write it in a request, in lower case."""


BASE_MODELS = (
    BaseModel("pony-v7", "", r"pony ?(diffusion )?(xl )?v?7", parent="auraflow"),
    BaseModel(
        "pony",
        "Pony",
        r"\bpony|\bpdxl\b",
        parent="sdxl",
        spoken=r"pony[ -]?(?:diffusion|xl|v6)",
    ),
    BaseModel(
        "noobai",
        "NoobAI",
        r"noob ?(?:ai|xl)|^noob$",
        parent="illustrious",
        spoken=r"noob[ -]?(?:ai|xl)(?:[ -]?xl)?",
    ),
    BaseModel(
        "illustrious",
        "Illustrious",
        r"illustrious|\bilxl\b|^il$",
        parent="sdxl",
        spoken=r"illustrious(?:[ -]?xl)?",
    ),
    BaseModel("kolors", "", r"kolors", spoken=r"kolors"),
    BaseModel("cascade", "", r"cascade|wuerstchen"),
    BaseModel("svd", "", r"\bsvd\b|stable video"),
    BaseModel(
        "sdxl",
        "SDXL",
        r"sd ?xl|stable ?diffusion ?xl|^xl$",
        spoken=r"sd[ -]?xl(?:[ -]?1\.0)?(?:[ -]?turbo)?|stable[ -]?diffusion[ -]?xl",
    ),
    BaseModel("sd35-large", "SD 3.5 Large", r"(\bsd|stable ?diffusion) ?v?3 ?5(?:.*large|l\b)"),
    BaseModel("sd35-medium", "SD 3.5 Medium", r"(\bsd|stable ?diffusion) ?v?3 ?5(?:.*medium|m\b)"),
    BaseModel(
        "sd35",
        "SD 3.5",
        r"(\bsd|stable ?diffusion) ?v?3 ?5",
        spoken=r"(?:sd|stable[ -]?diffusion)[ -]?v?3[.,]?5",
    ),
    BaseModel(
        "sd3",
        "SD 3",
        r"(\bsd|stable ?diffusion) ?v?3m?\b",
        spoken=r"(?:sd|stable[ -]?diffusion)[ -]?v?3",
    ),
    BaseModel(
        "sd2",
        "SD 2",
        r"(\bsd|stable ?diffusion) ?v?2",
        spoken=r"(?:sd|stable[ -]?diffusion)[ -]?v?2(?:[.,]?[01x])?",
    ),
    BaseModel(
        "sd15",
        "SD 1.5",
        r"(\bsd|stable ?diffusion) ?v?1",
        spoken=(
            r"(?:sd|stable[ -]?diffusion)[ -]?v?1[.,]?[45]|(?:sd|stable[ -]?diffusion)[ "
            r"-]?1(?:\.x)?"
        ),
    ),
    BaseModel("flux2-klein-4b", "Flux.2 Klein 4B", r"klein.*\b4 ?b"),
    BaseModel("flux2-klein-9b", "Flux.2 Klein 9B", r"klein.*\b9 ?b"),
    BaseModel("flux2-klein", "Flux.2 Klein", r"flux ?2.*klein"),
    BaseModel("flux2", "Flux.2", r"flux ?2", spoken=r"flux[ .-]?2(?:[ -]?(?:dev|klein|pro))?"),
    BaseModel(
        "flux1-kontext",
        "Flux Kontext",
        r"flux.*kontext",
        parent="flux1",
        spoken=r"(?:flux[ .-]?1?[ -]?)?kontext",
    ),
    BaseModel("flux1-krea", "Flux Krea", r"flux.*krea", parent="flux1"),
    BaseModel(
        "flux1-schnell",
        "Flux schnell",
        r"flux.*(schnell|\bs$)|flux ?1 s\b",
        parent="flux1",
        spoken=r"(?:flux[ .-]?1?[ -]?)?schnell",
    ),
    BaseModel("flux1-fill", "Flux Fill", r"flux.*(fill|inpaint)"),
    BaseModel("flux1", "Flux.1", r"flux ?1|\bflux\b"),
    BaseModel("flux", "Flux", spoken=r"flux(?:[ .-]?1)?(?:[ -]?dev)?"),
    BaseModel("zeta-chroma", "", r"zeta ?chroma"),
    BaseModel("chroma-radiance", "Chroma Radiance", r"chroma ?radiance"),
    BaseModel("chroma", "Chroma", r"\bchroma", spoken=r"chroma1?"),
    BaseModel(
        "qwen-image-layered", "Qwen-Image Layered", r"qwen image layered", parent="qwen-image"
    ),
    BaseModel("qwen-image-edit", "Qwen-Image Edit", r"qwen.*edit", parent="qwen-image"),
    BaseModel("qwen-image-2", "", r"qwen (image )?2\b"),
    BaseModel("qwen-image", "Qwen-Image", r"qwen"),
    BaseModel("qwen", "", spoken=r"qwen(?:[ -]?image)?(?:[ -]?25(?:09|11|12))?"),
    BaseModel("wan22-5b", "Wan 2.2 5B", r"\bwan.*\b5b"),
    BaseModel("wan21-1.3b", "Wan 2.1 1.3B", r"\bwan.*\b1 3b"),
    BaseModel("wan22-14b", "Wan 2.2 14B", r"\bwan ?(video )?2 ?2.*14b", parent="wan"),
    BaseModel("wan21-14b", "Wan 2.1 14B", r"\bwan.*14b", parent="wan"),
    BaseModel("wan22", "Wan 2.2", r"\bwan ?(video )?2 ?2"),
    BaseModel("wan21", "Wan 2.1", r"\bwan ?(video )?2 ?1"),
    BaseModel("wan25", "", r"\bwan ?(video )?2 ?5"),
    BaseModel("wan", "Wan", r"\bwan\b", spoken=r"wan[ -]?2(?:\.\d)?"),
    BaseModel("hunyuan-video-1.5", "", r"hunyuan ?video ?(v)?1 ?5"),
    BaseModel("hunyuan-video", "", r"hunyuan ?video|framepack"),
    BaseModel("hunyuan-image", "", r"hunyuan ?image"),
    BaseModel("hunyuan-dit", "", r"hunyuan ?(1|dit)"),
    BaseModel("hunyuan", "", spoken=r"hunyuan(?:[ -]?(?:image|video|dit))?"),
    BaseModel("z-image-turbo", "Z-Image Turbo", r"z ?image.*turbo", parent="z-image"),
    BaseModel("z-image", "Z-Image", r"z ?image", spoken=r"z[ -]?image(?:[ -]?turbo)?"),
    BaseModel("hidream-o1", "", r"hi ?dream o1"),
    BaseModel("hidream", "HiDream", r"hi ?dream", spoken=r"hi[ -]?dream"),
    BaseModel("lumina", "Lumina 2", r"lumina", spoken=r"lumina(?:[ -]?2)?"),
    BaseModel("pixart-sigma", "", r"pixart.*(\be|sigma)\b"),
    BaseModel("pixart-alpha", "", r"pixart ?(a|alpha)\b"),
    BaseModel("pixart", "", r"pixart", spoken=r"pix[ -]?art(?:[ -]?(?:alpha|sigma))?"),
    BaseModel("auraflow", "", r"aura ?flow", spoken=r"aura[ -]?flow"),
    BaseModel("ltx2", "", r"ltx ?(?:v|video)? ?2(?! ?b\b)"),
    BaseModel("ltx", "", r"ltx"),
    BaseModel("krea2", "Krea 2", r"krea ?2", spoken=r"krea[ -]?2"),
    BaseModel("kandinsky5", "", r"kandinsky ?5"),
    BaseModel("ideogram4", "", r"ideogram"),
    BaseModel("omnigen2", "", r"omnigen ?2"),
    BaseModel("cogvideox", "", r"cogvideo"),
    BaseModel("mochi", "", r"mochi"),
    BaseModel(
        "anima",
        "Anima",
        r"\banima\b",
        spoken=r"(?:(?<=for )|(?<=on ))anima|anima(?= (?:lora|model|checkpoint|version|one)\b)",
    ),
    BaseModel("ernie", "", r"\bernie"),
    BaseModel("sana", "", r"\bsana\b"),
)
"""The order is that in which aliases are tried: the first one that matches counts."""
VIDEO = ("wan", "wan22-5b", "wan21-1.3b", "hunyuan-video", "ltx", "ltx2", "cogvideox", "mochi")
"""Base models that make videos."""
EDITS = ("flux1-kontext", "qwen-image-edit")
"""Base models that change a picture that is given to them."""
ANIME = ("illustrious", "anima")
"""Base models that draw anime."""
_IN_REQUESTS = (
    "sd15 sdxl sd2 sd35 sd3 flux2 flux1-kontext flux1-schnell flux pony noobai illustrious qwen "
    "wan chroma z-image hidream kolors lumina krea2 anima pixart auraflow hunyuan"
).split()
"""If a request names several base models, the first of these is meant."""
SPOKEN_BASE_MODELS = {
    one.id: one.spoken
    for one in sorted(
        (one for one in BASE_MODELS if one.spoken),
        key=lambda one: _IN_REQUESTS.index(one.id) if one.id in _IN_REQUESTS else len(_IN_REQUESTS),
    )
}
"""Id -> regular expression of its name in requests, in the order in which they are tried."""

_ALIASES = tuple((one.id, re.compile(one.aliases)) for one in BASE_MODELS if one.aliases)
_LABELS = {one.id: one.label for one in BASE_MODELS if one.label}
_PARENTS = {one.id: one.parent for one in BASE_MODELS if one.parent}
_DISTILLED = frozenset({"flux1-schnell"})
_TAKES_ITS_PARENTS = frozenset({"noobai"})
_SILENT = frozenset({"", "unknown", "other", "none", "null", "odor", "upscaler", "custom"})


def family(name: object) -> str | None:
    """The id of the base model that `name` means: "sd15" for "SD 1.5" and "sd_v1".

    It is also "sd15" for "stable-diffusion-v1/lora". A name that is not in the table becomes one
    lower-case word ("MyNet 3" is "mynet-3"); a name without meaning ("Unknown") gives None.
    """
    known = known_family(name)
    word = re.sub(r"[^\w.]+", "-", printable(str(name)[:200]).casefold())
    word = word.strip("-")[:40].strip("-")
    return known or (None if word in _SILENT else word)


def known_family(name: object) -> str | None:
    """`family` for a text that may name no base model, such as a file name.

    None for a text in which nothing of the table is found.
    """
    text = " ".join(re.split(r"[\W_]+", printable(str(name)[:200]).casefold())).strip()
    return next((known for known, pattern in _ALIASES if pattern.search(text)), None)


def label_of(base_model: str) -> str:
    """The name of a base model for people: "SD 1.5" for "sd15"; its id if it has none."""
    return _LABELS.get(base_model, base_model)


def spoken(base_model: str | None) -> str:
    """The name of a base model in a sentence, also of one that is not known."""
    return label_of(base_model) if base_model else say("another base model")


def covers(wanted: str, name: str | None) -> bool:
    """Whether `name` is `wanted`, a variant of it, or was trained from one of these.

    "sdxl" covers "pony"; "flux" and "flux2" cover "flux2-klein-4b".
    """
    while name:
        if name == wanted or (name.startswith(wanted) and not name[len(wanted)].isalpha()):
            return True
        name = _PARENTS.get(name)
    return False


def takes_loras_of(wanted: str, name: str | None) -> bool:
    """Whether a distilled base model `wanted` is drawn with LoRAs for `name`, as it has few own."""
    return wanted in _DISTILLED and name == _PARENTS[wanted]


def parent_of(name: str) -> str | None:
    """The base model with whose LoRAs one is drawn for which there are none: Illustrious for
    NoobAI.
    """
    return _PARENTS[name] if name in _TAKES_ITS_PARENTS else None


def shares_layers(name: str | None, other: str | None) -> bool:
    """Whether a LoRA for one base model fits the layers of the other.

    False if one of them is not known.
    """
    return bool(name and other) and _root(name or "") == _root(other or "")


def line_of(name: str) -> list[str]:
    """A base model, the one that it was trained from, and so on: noobai, illustrious, sdxl."""
    line = [name]
    while line[-1] in _PARENTS:
        line.append(_PARENTS[line[-1]])
    return line


def _root(name: str) -> str:
    return line_of(name)[-1]
