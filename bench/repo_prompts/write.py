"""Write the benchmark into files."""

from __future__ import annotations

import json
from pathlib import Path

from .cards import NOW, make_cards
from .queries import make_queries


def write(folder: Path, seed: int) -> Path:
    """Write cards.jsonl, queries.jsonl and about.json; the same seed gives the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    builds = make_cards(seed)
    queries = make_queries(builds, seed)
    _lines(folder / "cards.jsonl", [build.as_card() for build in builds])
    _lines(folder / "queries.jsonl", [query.as_instance() for query in queries])
    (folder / "about.json").write_text(
        json.dumps({"now": NOW.isoformat(), "seed": seed}) + "\n", "utf-8"
    )
    return folder


def _lines(path: Path, rows: list[dict]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
