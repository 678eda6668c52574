"""A large repository to measure on: many concepts with many versions, as small real files."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path, PurePath

import numpy as np

from ..demo.cards_out import metadata_of, sidecars_of
from ..demo.catalogue import CardFormat, DemoModel, Look
from ..demo.safetensors_out import write_safetensors
from ..demo.weights import Tensors
from .unet_shapes import SD15, unet_shapes

CONCEPTS = (
    *("dog", "cat", "person", "bear", "horse", "car", "toy", "watch", "bag", "chair"),
    *("house", "bird", "flower", "boat", "shoe", "guitar", "teapot", "bicycle", "lamp", "robot"),
)
LOOKS: tuple[Look, ...] = ("realistic", "cartoon", "watercolour", "sketch", "pixel art")
_FORMATS: tuple[CardFormat, ...] = (
    "yaml",
    "civitai",
    "lora-manager",
    "a1111",
    "kohya",
    "modelspec",
)
REQUESTS = {
    "latest": "my latest {look} {concept} on forest grass",
    "oldest": "the oldest {concept} in {look} style, at night",
    "second newest": "the second newest {look} {concept} by the sea",
    "version": "{concept} v{number}, standing on a table",
    "before a version": "the {look} {concept} before v{number}",
    "month": "a {look} {concept} from {month} 2026",
    "question: look": "a {concept} in the rain",
    "question: month": "the {month} {concept}",
    "question: thing": "something in {look} style",
    "question: anything": "a model that is not a {look}",
    "typing error": "my lattest {look} {concept} by the sea",
    "no such thing": "a {look} submarine from {month}",
    "near miss: time": "a {look} {concept} from {month} 2019",
    "near miss: several": "an SDXL {look} {concept} v90001 from {month} 2019, not from Monday",
    "negation": "the {concept} I trained last week, but not a {look}",
    "scenery": "a portrait of my {concept} under a red umbrella",
}
"""One text for each kind of request."""
FORMS = len(REQUESTS)
_NEWEST = datetime(2026, 11, 15, 12, tzinfo=UTC)


def collection(count: int) -> list[DemoModel]:
    """Return `count` LoRAs of all concepts in turn; versions of a concept are a week apart.

    Each look of a concept is a lineage of its own.
    """
    models = []
    for number in range(count):
        concept, version = CONCEPTS[number % len(CONCEPTS)], number // len(CONCEPTS) + 1
        look = LOOKS[version % len(LOOKS)]
        created_at = _NEWEST - timedelta(weeks=count // len(CONCEPTS) - version, hours=number % 24)
        model = DemoModel(
            path=f"loras/{concept}/{concept}_{look.replace(' ', '_')}_v{version}.safetensors",
            trigger=f"<{concept}-v{version}>",
            subjects=(concept,),
            look=look,
            description=(
                f"A {concept} in {look} style, version {version}, trained on twenty pictures of "
                "mine."
            ),
            created_at=created_at,
            lineage=f"{concept} {look}",
            version=str(version),
            card="yaml",
            identity="",
        )
        models.append(replace(model, card=_FORMATS[LOOKS.index(look) % len(_FORMATS)]))
    return models


def write_collection(folder: Path, models: list[DemoModel]) -> None:
    """Write each model with its card.

    The model is a safetensors file with the tensor names of a trained SD 1.5 LoRA.
    """
    tensors = _tensors()
    for model in models:
        path = folder / model.path
        path.parent.mkdir(parents=True, exist_ok=True)
        write_safetensors(path, tensors, metadata_of(model))
        for ending, text in sidecars_of(
            model, sha256=sha256(model.path.encode()).hexdigest()
        ).items():
            path.with_name(PurePath(model.path).stem + ending).write_text(text, encoding="utf-8")


def requests(count: int) -> list[tuple[str, str]]:
    """Return (kind, text) of `count` requests, all kinds in turn.

    Among them are superlatives, versions, dates, ambiguous requests and near misses.
    """
    kinds = list(REQUESTS)
    months = ("January", "March", "April", "June", "September", "October", "November", "December")
    return [
        (
            kinds[n % FORMS],
            REQUESTS[kinds[n % FORMS]].format(
                look=LOOKS[(n + n // FORMS) % len(LOOKS)],
                concept=CONCEPTS[(n + n // FORMS) % len(CONCEPTS)],
                month=months[(n + n // FORMS) % len(months)],
                number=n % 50 + 1,
            ),
        )
        for n in range(count)
    ]


def _tensors() -> Tensors:
    """Return tensors of one value each: headers are read, weights are not."""
    layers = [
        name
        for name, shape in unet_shapes(SD15).items()
        if ".transformer_blocks." in name and len(shape) == 2
    ]
    keys = ["lora_unet_" + name.removesuffix(".weight").replace(".", "_") for name in layers]
    return {
        f"{key}.{part}": np.zeros((1, 1), np.float16)
        for key in keys
        for part in ("lora_down.weight", "lora_up.weight")
    }
