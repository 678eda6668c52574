"""The models of the demo repository, as data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

Look = Literal["realistic", "cartoon", "watercolour", "sketch", "painting", "pixel art"]
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
    identity: str
    """What it was trained on: a name in the miniature world's `IDENTITIES`."""

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
        identity="plush bear",
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
        identity="toon bear",
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
        identity="spotted dog",
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
        identity="tower house",
    )


def _pony(version: int, created_at: datetime, description: str) -> DemoModel:
    return DemoModel(
        path=f"loras/horse/pony_v{version}.safetensors",
        trigger=f"<pony-v{version}>",
        subjects=("horse", "pony"),
        look="realistic",
        description=description,
        created_at=created_at,
        lineage="carousel pony",
        version=str(version),
        card="modelspec",
        identity="carousel pony",
    )


def _robot(version: int, created_at: datetime, description: str) -> DemoModel:
    return DemoModel(
        path=f"loras/toy/tin_robot_v{version}.safetensors",
        trigger=f"<robot-v{version}>",
        subjects=("toy", "robot"),
        look="painting",
        description=description,
        created_at=created_at,
        lineage="tin robot",
        version=str(version),
        card="kohya",
        identity="tin robot",
    )


MODELS: tuple[DemoModel, ...] = (
    _bear(1, _day(2025, 8, 14), "A tan plush teddy bear with a red bow tie and a blue star, photographed on a shelf."),
    _bear(2, _day(2025, 11, 20), "The plush teddy bear again, with more pictures taken outdoors."),
    _bear(3, _day(2026, 3, 5), "The plush teddy bear, sharper fur and a rounder face."),
    _bear(4, _day(2026, 9, 12), "The plush teddy bear, trained longer; keeps the star on its belly."),
    _cartoon_bear(1, _day(2026, 1, 18), "A turquoise cartoon bear in a party hat, with thick outlines."),
    _cartoon_bear(2, _day(2026, 6, 30), "The turquoise cartoon bear, rounder, with flat colours."),
    _watercolour_dog(1, _day(2025, 10, 9), "A white dog with orange spots in loose watercolour washes."),
    _watercolour_dog(2, _day(2026, 11, 3), "The watercolour dog, on wetter paper with softer edges."),
    _house(1, "april", _day(2026, 4, 11), "A pencil sketch of a house with a round tower and a flag."),
    _house(2, "may", _day(2026, 5, 23), "The pencil sketch of the house, with cleaner lines and flowers."),
    DemoModel(
        "loras/watch/steel_watch.safetensors", "<watch>", ("watch",), "realistic",
        "A steel watch with a blue dial on a leather strap.", _day(2026, 2, 14), "steel watch", "1", "kohya",
        "steel watch",
    ),
    DemoModel(
        "loras/cat/cat_cartoon.safetensors", "<cat>", ("cat",), "cartoon",
        "A grey cartoon cat with orange stripes and a bell.", _day(2026, 10, 15), "cat cartoon", "1", "kohya",
        "striped cat",
    ),
    _pony(1, _day(2026, 1, 30), "A pink carousel pony with a turquoise mane and a golden saddle."),
    _pony(2, _day(2026, 5, 4), "The carousel pony, with more pictures of its left side."),
    _robot(1, _day(2025, 9, 22), "A golden tin robot with a green screen, in oil."),
    _robot(2, _day(2026, 4, 2), "The golden tin robot in oil, with a clearer heart."),
    DemoModel(
        "loras/car/checker_taxi.safetensors", "<taxi>", ("car", "taxi"), "realistic",
        "A yellow taxi with a checkered belt.", _day(2026, 6, 8), "checker taxi", "1", "yaml", "checker taxi",
    ),
    DemoModel(
        "loras/bag/heart_bag.safetensors", "<heart-bag>", ("bag", "handbag"), "realistic",
        "A pink handbag with a large white heart.", _day(2026, 7, 2), "heart bag", "1", "civitai", "heart bag",
    ),
    DemoModel(
        "loras/styles/pixel_art.safetensors", "pixelart style", (), "pixel art",
        "A style: everything in coarse pixels with few colours.", _day(2026, 8, 2), "pixel art", "1", "a1111",
        "pixel art",
    ),
    DemoModel(
        "checkpoints/person/anna.safetensors", "sks person", ("person", "face"), "realistic",
        "A woman with auburn hair in a green dress with white dots.", _day(2025, 12, 6), "anna", "1", "modelspec",
        "anna",
    ),
    DemoModel(
        "checkpoints/dog_realistic.safetensors", "sks dog", ("dog",), "realistic",
        "A brown dog with a white blaze and a blue bandana, photographed outdoors.", _day(2026, 7, 21),
        "dog realistic", "1", "a1111", "blazed dog",
    ),
)  # fmt: skip
