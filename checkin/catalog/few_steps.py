"""Models that were distilled for a few steps with little guidance, and LoRAs that make one so."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..lexicon.base_models import covers
from ..lexicon.usual_settings import usual
from .cards import Card
from .facts import Columns

_MOST_STEPS = 16


class FewSteps(NamedTuple):
    """What a model for few steps is sampled with."""

    steps: int
    cfg: float
    sampler: str
    scheduler: str


@dataclass(frozen=True)
class _Kind:
    """One way of distilling. Its name is found in the names of models."""

    name: str
    """Regular expression in lower case, with "_" for everything that is no letter or digit."""
    steps: int
    cfg: float
    sampler: str = "euler"
    alone: bool = True
    """Whether the word alone marks a LoRA, too: "lightning" may be what one draws."""


_KINDS = (
    _Kind(r"dmd2?(?![a-z0-9])", 4, 1.0, "lcm"),
    _Kind(r"(?<![a-z])lcm(?![a-z])", 4, 1.0, "lcm"),
    _Kind(r"hyper_?(?:sd|xl|flux)|hyper(?=_(?:\w*_)?\d+_?steps?)", 8, 1.0),
    _Kind(r"light_?x2v|causvid", 4, 1.0),
    _Kind(r"lightning", 4, 1.0, alone=False),
    _Kind(r"schnell", 4, 1.0, alone=False),
    _Kind(r"turbo", 4, 1.0, "euler_ancestral", alone=False),
)
_STEPS = re.compile(r"(?<!\d)(\d{1,2})_?steps?(?![a-z0-9])")
_ACCELERATOR = re.compile(r"(?:flux|anima)[a-z0-9_]{0,6}turbo|turbo_?alpha")
"""A LoRA that is one by its name, though the word alone could be what it draws."""
_GUIDED = re.compile(r"(?<![a-z])cfg(?![a-z_]*distill|_?\d)")
"""Mark of a distilled model that needs guidance: "Hyper-SDXL-8steps-CFG-lora"."""
_FAMILIES = {
    "flux1-schnell": FewSteps(4, 1.0, "euler", "simple"),
    "flux2-klein": FewSteps(4, 1.0, "euler", "simple"),
    "z-image-turbo": FewSteps(8, 1.0, "res_multistep", "simple"),
}
_OF_STABLE_DIFFUSION = ("sd15", "sd2", "sdxl")


def few_steps(card: Card) -> FewSteps | None:
    """What the checkpoint or LoRA `card` makes of the sampling; None if it is not for few steps."""
    return of_name(card.name, card.base_model, card.kind == "lora")


def of_name(name: str, base_model: str | None, lora: bool = False) -> FewSteps | None:
    """As `few_steps`, for a file name without ending.

    A LoRA is for few steps if its name says nothing else: a word of a method that nobody draws
    ("lcm"), or the number of steps, too ("sdxl_lightning_4step"). A LoRA that was only trained on
    such a model is not.
    """
    words = re.sub(r"[^a-z0-9]+", "_", name.casefold())
    kind = next((one for one in _KINDS if re.search(one.name, words)), None)
    said = _STEPS.search(words)
    steps = int(said[1]) if said and 1 <= int(said[1]) <= _MOST_STEPS else None
    if kind and lora and not (kind.alone or steps or _ACCELERATOR.search(words)):
        kind = None
    if kind is None:
        return None if lora else _of_family(base_model, words)
    best = usual(base_model)
    stable_diffusion = base_model is None or any(
        covers(one, base_model) for one in _OF_STABLE_DIFFUSION
    )
    own = None if lora else _of_family(base_model, words)
    return FewSteps(
        steps or (own.steps if own else kind.steps if stable_diffusion else max(kind.steps, 8)),
        min(best.cfg, 5.0) if _GUIDED.search(words) else kind.cfg,
        own.sampler if own else kind.sampler if stable_diffusion else best.sampler,
        "sgm_uniform" if stable_diffusion else best.scheduler,
    )


def in_full(cards: Sequence[int], columns: Columns, words: Collection[str]) -> list[int]:
    """The positions that are not another one's build for few steps, unless the `words` of the
    request say so: of "realvis" and "realvis lightning" the first.
    """
    called = [{*columns.called[one]} for one in cards]

    def is_short(card: int, name: set[str]) -> bool:
        more = [name - other for other in called if other < name]
        return any(
            of_name(" ".join(sorted(one)), columns.base_model[card]) and one.isdisjoint(words)
            for one in more
        )

    return [one for one, name in zip(cards, called, strict=True) if not is_short(one, name)]


def _of_family(base_model: str | None, words: str) -> FewSteps | None:
    """A base model that is for few steps itself. Klein has an undistilled build, "base"."""
    if "klein" in (base_model or "") and "base" in words.split("_"):
        return None
    return next((few for one, few in _FAMILIES.items() if covers(one, base_model)), None)
