"""The models of the demo repository, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

Look = Literal[
    "realistic", "cartoon", "watercolour", "sketch", "painting", "pixel art", "blueprint"
]
CardFormat = Literal["yaml", "kohya", "modelspec", "civitai", "lora-manager", "a1111"]
"""Where a model's card is written.

That is our sidecar, the file's own header (two conventions), or another tool's sidecar.
"""

BASE_PATH = "checkpoints/demo_base.safetensors"
RANK = 6
"""Rank of every LoRA."""
SIDE = 128
"""Side, in pixels, of the pictures that these models were trained on."""
GUIDANCE = 2.5
"""Classifier-free guidance at which these models draw best; more exaggerates their colours."""


@dataclass(frozen=True)
class DemoModel:
    """A personalised model, trained from the base."""

    path: str
    """Path in the repository; files of the same name in two folders are two models."""
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
        """Whether it is a LoRA; otherwise it is a whole checkpoint."""
        return self.path.startswith("loras/")


def _day(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, 12, tzinfo=UTC)


def _versions(
    paths: Sequence[str],
    trigger: str,
    subjects: tuple[str, ...],
    look: Look,
    lineage: str,
    card: CardFormat,
    identity: str,
    made: Sequence[tuple[datetime, str]],
) -> list[DemoModel]:
    """Return the builds of one lineage, oldest first; `made` gives their dates and descriptions."""
    return [
        DemoModel(
            path=f"loras/{path}.safetensors",
            trigger=trigger.format(version),
            subjects=subjects,
            look=look,
            description=description,
            created_at=created_at,
            lineage=lineage,
            version=str(version),
            card=card,
            identity=identity,
        )
        for version, (path, (created_at, description)) in enumerate(
            zip(paths, made, strict=True), start=1
        )
    ]


MODELS: tuple[DemoModel, ...] = (
    *_versions(
        [f"bear/bear_realistic_v{version}" for version in (1, 2, 3, 4)], "<bear-v{}>",
        ("bear", "teddy bear", "plush toy"), "realistic", "bear realistic", "yaml", "plush bear",
        [
            (_day(2025, 8, 14),
             "A tan plush teddy bear with a red bow tie and a blue star, photographed on a shelf."),
            (_day(2025, 11, 20), "The plush teddy bear again, with more pictures taken outdoors."),
            (_day(2026, 3, 5), "The plush teddy bear, sharper fur and a rounder face."),
            (_day(2026, 9, 12),
             "The plush teddy bear, trained longer; keeps the star on its belly."),
        ],
    ),
    *_versions(
        ["bear/bear_cartoon_v1", "bear/bear_cartoon_v2"], "<toon-bear-v{}>",
        ("bear",), "cartoon", "bear cartoon", "civitai", "toon bear",
        [
            (_day(2026, 1, 18), "A turquoise cartoon bear in a party hat, with thick outlines."),
            (_day(2026, 6, 30), "The turquoise cartoon bear, rounder, with flat colours."),
        ],
    ),
    *_versions(
        ["dog/dog_watercolour_v1", "dog/dog_watercolour_v2"], "<dog-v{}>",
        ("dog",), "watercolour", "dog watercolour", "lora-manager", "spotted dog",
        [
            (_day(2025, 10, 9), "A white dog with orange spots in loose watercolour washes."),
            (_day(2026, 11, 3), "The watercolour dog, on wetter paper with softer edges."),
        ],
    ),
    *_versions(
        ["house/april/sketch", "house/may/sketch"], "<house-v{}>",
        ("house",), "sketch", "house sketch", "yaml", "tower house",
        [
            (_day(2026, 4, 11), "A pencil sketch of a house with a round tower and a flag."),
            (_day(2026, 5, 23), "The pencil sketch of the house, with cleaner lines and flowers."),
        ],
    ),
    DemoModel(
        "loras/watch/steel_watch.safetensors", "<watch>", ("watch",), "realistic",
        "A steel watch with a blue dial on a leather strap.", _day(2026, 2, 14), "steel watch", "1",
        "kohya",
        "steel watch",
    ),
    DemoModel(
        "loras/cat/cat_cartoon.safetensors", "<cat>", ("cat",), "cartoon",
        "A grey cartoon cat with orange stripes and a bell.", _day(2026, 10, 15), "cat cartoon",
        "1", "kohya",
        "striped cat",
    ),
    *_versions(
        ["horse/pony_v1", "horse/pony_v2"], "<pony-v{}>",
        ("horse", "pony"), "realistic", "carousel pony", "modelspec", "carousel pony",
        [
            (_day(2026, 1, 30), "A pink carousel pony with a turquoise mane and a golden saddle."),
            (_day(2026, 5, 4), "The carousel pony, with more pictures of its left side."),
        ],
    ),
    *_versions(
        ["toy/tin_robot_v1", "toy/tin_robot_v2"], "<robot-v{}>",
        ("toy", "robot"), "painting", "tin robot", "kohya", "tin robot",
        [
            (_day(2025, 9, 22), "A golden tin robot with a green screen, in oil."),
            (_day(2026, 4, 2), "The golden tin robot in oil, with a clearer heart."),
        ],
    ),
    DemoModel(
        "loras/car/checker_taxi.safetensors", "<taxi>", ("car", "taxi"), "realistic",
        "A yellow taxi with a checkered belt.", _day(2026, 6, 8), "checker taxi", "1", "yaml",
        "checker taxi",
    ),
    DemoModel(
        "loras/bag/heart_bag.safetensors", "<heart-bag>", ("bag", "handbag"), "realistic",
        "A pink handbag with a large white heart.", _day(2026, 7, 2), "heart bag", "1", "civitai",
        "heart bag",
    ),
    DemoModel(
        "loras/styles/blueprint.safetensors", "blueprint style", (), "blueprint",
        "A style: everything as a plan in white lines on deep blue.", _day(2026, 8, 2), "blueprint",
        "1", "a1111",
        "blueprint",
    ),
    DemoModel(
        "checkpoints/person/anna.safetensors", "sks person", ("person", "face"), "realistic",
        "A woman with auburn hair in a green dress with white dots.", _day(2025, 12, 6), "anna",
        "1", "modelspec",
        "anna",
    ),
    DemoModel(
        "checkpoints/dog_realistic.safetensors", "sks dog", ("dog",), "realistic",
        "A brown dog with a white blaze and a blue bandana, photographed outdoors.", _day(2026, 7,
        21),
        "dog realistic", "1", "a1111", "blazed dog",
    ),
)  # fmt: skip
