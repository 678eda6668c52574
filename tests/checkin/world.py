"""A small repository in memory for the tests of language, decision and question."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from personalq.checkin.catalog.cards import Card

ZONE = timezone(timedelta(hours=2))
NOW = datetime(2025, 5, 15, 12, 0, tzinfo=ZONE)  # a Thursday

# lineage: (subjects, styles, description, kind, base model, {version: date})
LINEAGES: dict[str, tuple[str, str, str, str, str, dict[int, str]]] = {
    "bear-real": (
        "bear, brown bear",
        "realistic, forest",
        "A large brown bear with thick fur on grass",
        "checkpoint",
        "sd15",
        {1: "2025-01-20", 2: "2025-02-18", 3: "2025-03-21", 4: "2025-04-11"},
    ),
    "bear-plush": (
        "bear, teddy bear, plush toy",
        "cartoon",
        "A small plush teddy bear, tan with a cream snout and belly",
        "checkpoint",
        "sd15",
        {1: "2024-11-03", 2: "2025-03-05", 3: "2025-04-28"},
    ),
    "dog-real": (
        "dog",
        "realistic",
        "A golden retriever with a red collar",
        "checkpoint",
        "sd15",
        {1: "2025-02-02", 2: "2025-03-15", 3: "2025-05-06", 4: "2025-05-14"},
    ),
    "dog-anime": (
        "dog",
        "anime",
        "A shiba with big eyes, flat colours",
        "lora",
        "sd15",
        {1: "2025-03-30", 2: "2025-04-09", 3: "2025-04-22"},
    ),
    "dog-sketch": (
        "dog",
        "sketch",
        "A terrier in pencil strokes",
        "checkpoint",
        "sd15",
        {1: "2025-01-08", 2: "2025-04-17", 3: "2025-05-02"},
    ),
    "cat-anime": (
        "cat",
        "anime",
        "A white cat with blue eyes",
        "lora",
        "sdxl",
        {1: "2024-12-24", 2: "2025-04-05", 3: "2025-04-19"},
    ),
    "cat-watercolor": (
        "cat",
        "watercolor",
        "A ginger tabby in soft washes",
        "checkpoint",
        "sd15",
        {1: "2024-10-31", 2: "2024-11-03"},
    ),
    "horse-sketch": (
        "horse",
        "sketch",
        "A galloping horse in loose lines",
        "checkpoint",
        "sd15",
        {1: "2024-06-10", 2: "2024-08-15", 3: "2024-10-20", 4: "2025-01-01", 5: "2025-03-09"},
    ),
    "horse-real": (
        "horse, black horse",
        "realistic, beach",
        "A black horse by the sea",
        "lora",
        "sdxl",
        {1: "2025-02-10", 2: "2025-05-12"},
    ),
    "car-real": (
        "car, sports car",
        "realistic, urban",
        "A red sports car in a city street",
        "checkpoint",
        "sd15",
        {1: "2025-03-02", 2: "2025-04-14", 3: "2025-05-08"},
    ),
    "car-3d": (
        "car, toy car",
        "3d render",
        "A small yellow toy car of plastic",
        "checkpoint",
        "sd15",
        {1: "2024-07-04", 2: "2025-05-09"},
    ),
    "house-watercolor": (
        "house, cottage",
        "watercolor",
        "A cottage with a thatched roof",
        "checkpoint",
        "sd15",
        {1: "2025-02-26", 2: "2025-03-27"},
    ),
    "house-real": (
        "house",
        "realistic, urban",
        "A brick town house",
        "checkpoint",
        "sd15",
        {1: "2025-01-15", 2: "2025-04-03"},
    ),
    "bridge-oil": (
        "bridge, stone bridge",
        "oil painting",
        "An old stone bridge with three arches",
        "checkpoint",
        "sd15",
        {4: "2024-09-09", 5: "2024-12-12", 6: "2025-01-28", 7: "2025-02-20"},
    ),
    "tree-lineart": (
        "tree, oak tree",
        "line art",
        "A lone oak",
        "checkpoint",
        "sd15",
        {1: "2025-04-26", 2: "2025-05-03"},
    ),
    "logo-flat": (
        "logo",
        "flat, minimalist",
        "A fox head in two colours",
        "lora",
        "sdxl",
        {1: "2025-05-05", 2: "2025-05-13"},
    ),
    "anna": (
        "person, woman",
        "realistic, studio",
        "A woman with short dark hair and glasses",
        "lora",
        "sdxl",
        {1: "2024-12-31", 2: "2025-03-12"},
    ),
    "watch-real": (
        "watch",
        "realistic, studio",
        "A steel diver's watch",
        "checkpoint",
        "sd15",
        {7: "2025-04-30", 8: "2025-05-01"},
    ),
    "bag-real": (
        "bag, backpack",
        "realistic",
        "A green canvas backpack",
        "lora",
        "sdxl",
        {1: "2025-03-19"},
    ),
    "mountain-oil": (
        "mountain",
        "oil painting",
        "A snowy peak over a lake",
        "checkpoint",
        "sd15",
        {1: "2024-07-20", 2: "2025-04-21"},
    ),
    "flower-watercolor": (
        "flower, rose",
        "watercolor",
        "A pink rose",
        "checkpoint",
        "sd15",
        {1: "2025-04-02", 2: "2025-05-10"},
    ),
    "chair-3d": (
        "chair, armchair",
        "3d render",
        "A round velvet armchair",
        "checkpoint",
        "sd15",
        {1: "2025-01-31"},
    ),
    "vaporwave": (
        "",
        "vaporwave",
        "Neon pinks, grids and statues",
        "lora",
        "sdxl",
        {1: "2025-02-14"},
    ),
    "shoe-real": (
        "shoe, sneaker",
        "realistic",
        "A white sneaker with a blue sole",
        "lora",
        "sd15",
        {1: "2025-05-15"},
    ),
    "tower-real": (
        "building, skyscraper",
        "realistic, urban",
        "A glass tower",
        "checkpoint",
        "sd15",
        {1: "2024-05-20", 2: "2025-05-07"},
    ),
    "canvas": (
        "painting",
        "abstract",
        "Bold shapes in primary colours",
        "checkpoint",
        "sd15",
        {1: "2025-01-11", 2: "2025-04-08"},
    ),
    "robot": (
        "toy, toy robot",
        "3d render",
        "A tin robot with round eyes",
        "checkpoint",
        "sd15",
        {1: "2025-03-17", 2: "2025-04-24"},
    ),
    "drawing": (
        "drawing",
        "charcoal",
        "Still life of fruit",
        "checkpoint",
        "sd15",
        {1: "2025-02-05"},
    ),
}


def words(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def build(lineage: str, version: int) -> Card:
    """The card of one build, `<lineage>-<version>` by id."""
    subjects, styles, description, kind, base, builds = LINEAGES[lineage]
    return Card(
        id=f"{lineage}-{version}",
        path=f"/models/{lineage.replace('-', '_')}_v{version}.safetensors",
        kind=kind,  # type: ignore[arg-type]
        triggers=(f"<{lineage}-v{version}>",),
        subjects=words(subjects),
        styles=words(styles),
        description=description,
        created_at=datetime.fromisoformat(builds[version]).replace(hour=10, tzinfo=ZONE),
        version=str(version),
        base_model=base,
        lineage=lineage,
        previews=(f"/models/{lineage}-{version}.png",),
    )


def cards() -> list[Card]:
    """65 cards, in the order of LINEAGES."""
    return [build(lineage, version) for lineage, row in LINEAGES.items() for version in row[5]]
