"""The settings of a model's example pictures, as sidecars with Civitai's data list them.

A picture's `meta` has `sampler`, `cfgScale`, `steps`, `clipSkip`, `negativePrompt` and `Size`, and
other keys of A1111's infotext. rgthree writes some of them into the picture itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..lexicon.samplers import sampler_and_scheduler, scheduler
from .civitai_info import ENDING as CIVITAI_INFO
from .json_file import member, objects, read_object
from .lora_manager import ENDING as LORA_MANAGER
from .model_file import Fields, ModelFile, Report
from .reader import Reader
from .rgthree import ENDINGS as RGTHREE

SOURCE = "example pictures"
MAX_PICTURES = 50
"""Pictures that are looked at."""
_KEYS = {
    "steps": ("steps", "Steps"),
    "cfg": ("cfgScale", "cfg", "CFG scale"),
    "clip_skip": ("clipSkip", "Clip skip"),
    "negative": ("negativePrompt", "negative"),
    "resolution": ("Size", "size"),
}
_LIMITS: Mapping[str, Callable[[str], bool]] = {
    "steps": lambda text: text.isdecimal() and 1 <= int(text) <= 150,
    "cfg": lambda text: 0 < _number(text) <= 30,
    "clip_skip": lambda text: text.lstrip("-").isdecimal() and 1 <= abs(int(text)) <= 12,
    "resolution": lambda text: all(
        side.isdecimal() and int(side) % 8 == 0 and 256 <= int(side) <= 2048
        for side in text.split("x", 1)
    ),
    "negative": bool,
}
"""What a value must be to count: a picture's metadata may hold anything."""


def settings_of(pictures: object) -> Fields:
    """The card fields that most of the pictures agree on.

    The sampler is the one that most were drawn with; the rest is what most of its pictures have.
    Of several that are as frequent, the first one counts.
    """
    metas = [_meta(one) for one in objects(pictures)[:MAX_PICTURES]]
    drawn = [(meta, pair) for meta in metas if (pair := _sampler(meta))[0]]
    found: Fields = {}
    if drawn:
        best = _most_common(pair for _, pair in drawn)
        found["sampler"], found["scheduler"] = best
        metas = [meta for meta, pair in drawn if pair == best]
    for field, keys in _KEYS.items():
        said = (_value(meta, keys) for meta in metas)
        if values := [text for text in said if _LIMITS[field](text)]:
            found[field] = _most_common(values)
    return found


def _meta(picture: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = picture.get("meta")
    if isinstance(meta, dict):
        inner = meta.get("meta")  # some answers of Civitai's API have it one level deeper
        return inner if isinstance(inner, dict) else meta
    return picture


def _sampler(meta: Mapping[str, Any]) -> tuple[str | None, str | None]:
    found, with_sampler = sampler_and_scheduler(meta.get("sampler") or meta.get("Sampler"))
    named = meta.get("Schedule type") or meta.get("scheduler")
    return found, with_sampler or (scheduler(named) if named else None)


def _value(meta: Mapping[str, Any], keys: Iterable[str]) -> str:
    said = next((meta[key] for key in keys if meta.get(key) not in (None, "")), "")
    return str(said).strip() if isinstance(said, str | int | float) else ""


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _most_common(values: Iterable[Any]) -> Any:
    return Counter(values).most_common(1)[0][0]


def _read_civitai(model: ModelFile, report: Report) -> Fields:
    return settings_of(read_object(model.sidecars[CIVITAI_INFO]).get("images"))


def _read_lora_manager(model: ModelFile, report: Report) -> Fields:
    """The pictures that the user added come first."""
    civitai = member(read_object(model.sidecars[LORA_MANAGER]), "civitai")
    return settings_of(
        [*objects(member(civitai, "customImages")), *objects(member(civitai, "images"))]
    )


def _read_rgthree(model: ModelFile, report: Report) -> Fields:
    data = read_object(next(model.sidecars[one] for one in RGTHREE if one in model.sidecars))
    return settings_of(member(data, "raw", "civitai", "images") or data.get("images"))


def _reader(
    name: str, read: Callable[[ModelFile, Report], Fields], rank: int, *ends: str
) -> Reader:
    fields = ("sampler", "scheduler", *_KEYS)
    return Reader(f"{name} pictures", SOURCE, read, dict.fromkeys(fields, rank), ends)


READERS = (
    _reader("metadata.json", _read_lora_manager, 200, LORA_MANAGER),
    _reader("civitai.info", _read_civitai, 210, CIVITAI_INFO),
    _reader("rgthree", _read_rgthree, 220, *RGTHREE),
)
