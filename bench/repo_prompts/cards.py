"""The repository of the benchmark: 20 concepts, 50 versions each."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from .concepts import CONCEPTS, PLACES, Concept, Variant

NOW = datetime(2025, 5, 15, 12, 0, tzinfo=UTC)
"""A Thursday; the newest cards are from the day before."""
VERSIONS = 50
LINEAGES = 5
"""Lineages of each concept."""


@dataclass(frozen=True)
class Lineage:
    """A variant of a concept in one look, and perhaps in one place.

    Its cards are builds of one lineage.
    """

    concept: Concept
    variant: Variant
    look: str
    place: str | None

    @property
    def name(self) -> str:
        """Concept, variant, look and place, joined by slashes."""
        return "/".join(filter(None, (self.concept.name, self.variant.name, self.look, self.place)))


@dataclass(frozen=True)
class Build:
    """A card, with the structure from which it was made and the ground truth follows."""

    id: str
    lineage: Lineage
    version: int
    made: datetime
    base_model: str

    def as_card(self) -> dict[str, Any]:
        """Return the card as one line of a cards.jsonl."""
        one = self.lineage
        return {
            "id": self.id,
            "triggers": [f"<{one.concept.name}-v{self.version}>"],
            "subjects": [one.concept.name, one.variant.name],
            "styles": [one.look, *filter(None, [one.place])],
            "description": f"{one.variant.description}.",
            "created_at": self.made.isoformat(),
            "version": str(self.version),
            "base_model": self.base_model,
            "kind": "checkpoint",
            "lineage": one.name,
            "sha256": hashlib.sha256(self.id.encode()).hexdigest(),
        }


def make_cards(seed: int) -> list[Build]:
    """Return all 1,000 builds: v1 to v50 of each concept, about one a week.

    The builds of a concept belong to five lineages in mixed order.
    """
    chance = random.Random(f"cards {seed}")
    return [build for concept in CONCEPTS for build in _builds(concept, chance)]


def _builds(concept: Concept, chance: random.Random) -> list[Build]:
    lineages = _lineages(concept, chance)
    order = lineages * (VERSIONS // LINEAGES)
    chance.shuffle(order)
    latest = NOW.replace(hour=0) - timedelta(days=chance.randint(1, 9))
    made = latest - timedelta(days=7 * (VERSIONS - 1))
    bases = {lineage: chance.choice(("sd15", "sdxl")) for lineage in lineages}
    builds = []
    for version, lineage in enumerate(order, 1):
        moment = made + timedelta(
            days=7 * (version - 1) + chance.randint(-2, 0), minutes=chance.randint(480, 1320)
        )
        name = hashlib.sha256(
            f"{concept.name} {version} {moment.isoformat()}".encode()
        ).hexdigest()[:12]
        builds.append(
            Build(name, lineage, version, min(moment, NOW - timedelta(hours=13)), bases[lineage])
        )
    return builds


def _lineages(concept: Concept, chance: random.Random) -> list[Lineage]:
    """Return five different (variant, look) pairs; realistic ones were trained in some place."""
    pairs = [(variant, look) for variant in concept.variants for look in concept.looks]
    chosen = chance.sample(pairs, LINEAGES)
    return [
        Lineage(concept, variant, look, chance.choice(PLACES) if look == "realistic" else None)
        for variant, look in chosen
    ]
