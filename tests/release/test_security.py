"""Test that SECURITY.md lists all doors."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_address_is_listed() -> None:
    routes = (ROOT / "nodes" / "host" / "web" / "routes.py").read_text(encoding="utf-8")
    routes = routes.replace("{_A_RECIPE}", "/personalq/cards/recipe:{id}")
    routes = routes.replace("(_A_RECIPE)", '("/personalq/cards/recipe:{id}")')
    there = {
        f"{method.upper()} {path}"
        for method, path in re.findall(r'routes\.(get|post)\(f?"([^"]+)"\)', routes)
    }
    listed = set()
    for line in (ROOT / "SECURITY.md").read_text(encoding="utf-8").splitlines():
        if found := re.match(r"\| `(GET|POST) /personalq", line):
            paths = re.findall(r"`(?:GET |POST )?(/personalq[^`]*)`", line.split("|")[1])
            listed |= {f"{found[1]} {path}" for path in paths}
    assert listed == there
    assert len(there) > 20
