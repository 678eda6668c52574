"""The user's recipes: models with their strengths, and a request, under a name.

Each is one small JSON file, which its owner may edit, copy to another machine, and share: it names
models as a workflow does, without paths.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...atomic_write import write_whole
from ..catalog.pinned import PinnedModels
from ..lexicon.sentences import say
from ..lexicon.text import one_line, printable

FOLDER = "recipes"
"""The folder in the settings folder that holds them."""
ENDING = ".recipe.json"
MAX_RECIPES = 1000
MAX_NAME_CHARS = 80
MAX_REQUEST_CHARS = 4000
MAX_FILE_BYTES = 64 * 1024


@dataclass(frozen=True)
class Recipe:
    """Models, and a request to begin with."""

    name: str
    request: str
    models: PinnedModels
    """For any request: they stay when the request is changed."""
    key: str = ""
    """The name of its file, without the ending; "" until it is kept."""

    @classmethod
    def of(cls, said: Mapping[str, Any], key: str = "") -> Recipe:
        """Read what `to_json` gives. Raises ValueError with a sentence for anything else."""
        name, request, lines = (said.get(one) for one in ("name", "request", "models"))
        if not (
            isinstance(name, str)
            and isinstance(request, str)
            and isinstance(lines, list)
            and all(isinstance(one, str) for one in lines)
        ):
            raise ValueError(say("This is no recipe: it has no name, request and models."))
        name, request = one_line(printable(name)), request.strip()
        models = PinnedModels.from_text("\n".join(one_line(one) for one in lines))
        if not name or models is None:
            raise ValueError(say("This is no recipe: it has no name, request and models."))
        if len(name) > MAX_NAME_CHARS or len(request) > MAX_REQUEST_CHARS:
            raise ValueError(
                say(
                    "A recipe's name has at most {name} characters, and its request {request:,}.",
                    name=MAX_NAME_CHARS,
                    request=MAX_REQUEST_CHARS,
                )
            )
        return cls(name, request, replace(models, request=None, answers=()), key)

    def to_json(self) -> dict[str, Any]:
        """As it stands in its file."""
        lines = [one.to_line() for one in self.models.models]
        return {"name": self.name, "request": self.request, "models": lines}


def recipes(settings: Path) -> list[Recipe]:
    """All recipes, in the order of their names; files that hold none are left out."""
    found = []
    for path in sorted((settings / FOLDER).glob(f"*{ENDING}"))[:MAX_RECIPES]:
        try:
            if path.stat().st_size <= MAX_FILE_BYTES:
                said = json.loads(path.read_bytes())
                found.append(Recipe.of(said, path.name.removesuffix(ENDING)))
        except (OSError, ValueError, RecursionError, AttributeError):
            continue
    return sorted(found, key=lambda one: (one.name.casefold(), one.key))


def keep(settings: Path, recipe: Recipe) -> Recipe:
    """Write a recipe: a new one into a file of its own, a changed one into its file.

    A name that another recipe has gets a number. Raises ValueError if there are too many.
    """
    others = [one for one in recipes(settings) if one.key != recipe.key]
    if len(others) >= MAX_RECIPES:
        raise ValueError(say("There are {number} recipes: delete one first.", number=len(others)))
    taken = {one.name.casefold() for one in others}
    names = (recipe.name, *(f"{recipe.name} ({number})" for number in range(2, MAX_RECIPES + 2)))
    name = next(one for one in names if one.casefold() not in taken)
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "recipe"
    kept = replace(recipe, name=name, key=recipe.key or f"{slug}-{secrets.token_hex(3)}")
    folder = settings / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(kept.to_json(), ensure_ascii=False, indent=2) + "\n"
    write_whole(folder / f"{kept.key}{ENDING}", text.encode())
    return kept


def delete(settings: Path, recipe: Recipe) -> None:
    """Delete the file of a recipe."""
    (settings / FOLDER / f"{recipe.key}{ENDING}").unlink(missing_ok=True)
