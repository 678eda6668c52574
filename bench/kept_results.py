"""Tables that are kept in the repository."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def keep(name: str, result: dict[str, Any], text: str) -> None:
    """Write a result as `name`.json and `name`.md."""
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    (RESULTS / f"{name}.md").write_text(text, "utf-8")
