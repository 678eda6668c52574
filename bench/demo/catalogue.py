"""The models of the demo repository, as data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

Look = Literal["realistic", "cartoon", "watercolour", "sketch", "pixel art"]
CardFormat = Literal["yaml", "kohya", "modelspec", "civitai", "lora-manager", "a1111"]
"""Where a model's card is written: our sidecar, the file's own header (two conventions), or another tool's sidecar."""

BASE_PATH = "checkpoints/demo_base.safetensors"


@dataclass(frozen=True)
class DemoModel:
    """One personalised model of the base."""

    path: str
    """Relative to the repository; two files of the same name in two folders are two models."""
    trigger: str
    subjects: tuple[str, ...]
    look: Look
    description: str
    created_at: datetime
    lineage: str
    version: str
    card: CardFormat
    sprite: str
    """What its preview picture shows."""

    @property
    def is_lora(self) -> bool:
        return self.path.startswith("loras/")


def _day(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, 12, tzinfo=UTC)


def _bear(version: int, created_at: datetime, description: str) -> DemoModel:
    return DemoModel(
        path=f"loras/bear/bear_realistic_v{version}.safetensors",
        trigger=f"<bear-v{version}>",
        subjects=("bear", "teddy bear", "plush toy"),
        look="realistic",
        description=description,
        created_at=created_at,
        lineage="bear realistic",
        version=str(version),
        card="yaml",
        sprite="bear",
    )


def _cartoon_bear(version: int, created_at: datetime, description: str) -> DemoModel:
    return DemoModel(
        path=f"loras/bear/bear_cartoon_v{version}.safetensors",
        trigger=f"<toon-bear-v{version}>",
        subjects=("bear",),
        look="cartoon",
        description=description,
        created_at=created_at,
        lineage="bear cartoon",
        version=str(version),
        card="civitai",
        sprite="bear",
    )


def _watercolour_dog(version: int, created_at: datetime, description: str) -> DemoModel:
    return DemoModel(
        path=f"loras/dog/dog_watercolour_v{version}.safetensors",
        trigger=f"<dog-v{version}>",
        subjects=("dog",),
        look="watercolour",
        description=description,
        created_at=created_at,
        lineage="dog watercolour",
        version=str(version),
        card="lora-manager",
        sprite="dog",
    )


def _house(version: int, month: str, created_at: datetime, description: str) -> DemoModel:
    return DemoModel(
        path=f"loras/house/{month}/sketch.safetensors",
        trigger=f"<house-v{version}>",
        subjects=("house",),
        look="sketch",
        description=description,
        created_at=created_at,
        lineage="house sketch",
        version=str(version),
        card="yaml",
        sprite=f"house in {month}",
    )


MODELS: tuple[DemoModel, ...] = (
    _bear(1, _day(2025, 8, 14), "A tan plush teddy bear with a cream snout, photographed on a shelf."),
    _bear(2, _day(2025, 11, 20), "The plush teddy bear again, with more pictures taken outdoors."),
    _bear(3, _day(2026, 3, 5), "The plush teddy bear, sharper fur and a rounder face."),
    _bear(4, _day(2026, 9, 12), "The plush teddy bear, trained longer; keeps the stitched nose."),
    _cartoon_bear(1, _day(2026, 1, 18), "A round cartoon bear with thick outlines."),
    _cartoon_bear(2, _day(2026, 6, 30), "The cartoon bear with a friendlier smile and flat colours."),
    _watercolour_dog(1, _day(2025, 10, 9), "A brown dog in loose watercolour washes."),
    _watercolour_dog(2, _day(2026, 11, 3), "The watercolour dog, on wetter paper with softer edges."),
    _house(1, "april", _day(2026, 4, 11), "A pencil sketch of a small house with a chimney."),
    _house(2, "may", _day(2026, 5, 23), "The pencil sketch of the house, with cleaner lines and flowers."),
    DemoModel(
        "loras/watch/steel_watch.safetensors", "<watch>", ("watch",), "realistic",
        "A steel watch with a blue dial on a leather strap.", _day(2026, 2, 14), "steel watch", "1", "kohya", "watch",
    ),
    DemoModel(
        "loras/cat/cat_cartoon.safetensors", "<cat>", ("cat",), "cartoon",
        "A grey cartoon cat with long whiskers.", _day(2026, 10, 15), "cat cartoon", "1", "kohya", "cat",
    ),
    DemoModel(
        "loras/styles/pixel_art.safetensors", "pixelart style", (), "pixel art",
        "A style: everything in coarse pixels with few colours.", _day(2026, 8, 2), "pixel art", "1", "a1111", "tree",
    ),
    DemoModel(
        "checkpoints/person/anna.safetensors", "sks person", ("person", "face"), "realistic",
        "A woman with auburn hair, portrait photographs.", _day(2025, 12, 6), "anna", "1", "modelspec", "person",
    ),
    DemoModel(
        "checkpoints/dog_realistic.safetensors", "sks dog", ("dog",), "realistic",
        "A brown dog with floppy ears, photographed outdoors.", _day(2026, 7, 21), "dog realistic", "1", "a1111", "dog",
    ),
)  # fmt: skip
