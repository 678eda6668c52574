"""Pairs of the demo's subject LoRAs, and the request for a picture of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...demo.catalogue import MODELS, DemoModel
from ...demo.world.caption import PLACE_WORDS
from ...demo.world.identities import IDENTITIES
from ...demo.world.personal_caption import personal_caption
from ...demo.world.scene import personal_scene


@dataclass(frozen=True)
class Pair:
    """One picture of two subjects, the first on the left."""

    models: tuple[DemoModel, DemoModel]
    request: str
    """In the words of captions, which say a look, too: these models were trained with them."""
    seed: int

    @property
    def name(self) -> str:
        """The triggers of both."""
        return " and ".join(model.trigger for model in self.models)


def newest_loras() -> list[DemoModel]:
    """The newest build of each subject LoRA of the demo."""
    return list(
        {
            model.lineage: model
            for model in MODELS
            if model.is_lora and IDENTITIES[model.identity].noun
        }.values()
    )


def pairs(count: int, seed: int) -> list[Pair]:
    """The first `count` pairs of a random order of all ordered pairs; the LoRAs take turns."""
    order = np.random.default_rng(seed).permutation(len(newest_loras()))
    loras = [newest_loras()[place] for place in order]
    distances = range(1, len(loras))
    turns = [(i, (i + by) % len(loras)) for by in distances for i in range(len(loras))]
    if count > len(turns):
        raise ValueError(f"there are {len(turns)} pairs of the demo's LoRAs; ask for fewer")
    return [
        _pair((loras[a], loras[b]), 1000 * seed + number)
        for number, (a, b) in enumerate(turns[:count])
    ]


def _pair(models: tuple[DemoModel, DemoModel], seed: int) -> Pair:
    """Both subjects in the same random place."""
    rng = np.random.default_rng(seed)
    place = str(rng.choice(list(PLACE_WORDS)))
    left, right = (
        personal_caption(
            replace(personal_scene(model.identity, rng), environment=place), model.trigger, rng
        )
        for model in models
    )
    before, trigger, _ = left.partition(models[0].trigger)
    return Pair(models, f"{before}{trigger} and {right}", seed)


def shows_both(pair: Pair, halves: Sequence[str], any_order: bool) -> bool:
    """Whether the identities that the judge sees in the halves are those of the pair."""
    wanted = [model.identity for model in pair.models]
    return list(halves) == wanted or (any_order and list(halves) == wanted[::-1])
