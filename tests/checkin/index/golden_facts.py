"""The cards and facts of a fixed set of models, which `golden_facts.json` holds.

After a change of the facts: raise FACTS_VERSION in checkin/index/store.py, then rewrite the file
with `python -P -m personalq.tests.checkin.index.golden_facts`.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import fields
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from personalq.checkin import Card
from personalq.checkin.catalog.card_facts import facts_of
from personalq.checkin.catalog.columns import MultiValueColumn
from personalq.checkin.catalog.facts import Columns, Facts
from personalq.checkin.catalog.subject_key import Match, SubjectKey
from personalq.checkin.index.repository import Repository
from personalq.checkin.index.store import FACTS_VERSION
from personalq.checkin.lexicon import (
    FUNCTION,
    MODEL_WORDS,
    PICTURE_WORDS,
    PLACES,
    STYLES,
    SUBJECTS,
    Phrase,
)
from personalq.tests.checkin import make_files as make

GOLDEN = Path(__file__).with_name("golden_facts.json")
_MODIFIED = datetime(2025, 5, 1, 12, tzinfo=UTC).timestamp()
_DATED = {"modelspec.date": "2025-04-11T09:30:00+00:00"}
_LEXICON: dict[str, Iterable[Phrase]] = {
    "taxonomy": SUBJECTS,
    "styles": STYLES,
    "places": PLACES,
    "words": [(word,) for word in sorted(FUNCTION | MODEL_WORDS | PICTURE_WORDS)],
}


def found_facts() -> dict[str, Any]:
    """What the fixed models, and the words of the lexicon, come to now."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve()
        _write_models(folder)
        repository = Repository.open(folder, embedder=None)
        columns = repository.catalogue().columns
        models = {
            card.id: {"card": _card(card, folder), "facts": _facts(columns, position)}
            for position, card in enumerate(repository.cards)
        }
    lexicon = {table: _digest(phrases) for table, phrases in _LEXICON.items()}
    return {"facts_version": FACTS_VERSION, "models": models, "lexicon": lexicon}


def _write_models(folder: Path) -> None:
    def lora(name: str, metadata: dict[str, str] | None = None, base: str = "sd15") -> Path:
        return make.make_lora(folder / f"{name}.safetensors", base, metadata)

    def described(name: str, sidecar: str) -> None:
        make.beside(lora(name), ".personalq.yaml", sidecar)

    make.make_checkpoint(folder / "v1-5-pruned-emaonly.safetensors")
    make.make_checkpoint(folder / "styles" / "inkpunk style v2.safetensors", "sdxl")
    lora("kohya/plushbear_v3", make.KOHYA)
    lora("modelspec", make.MODELSPEC | _DATED, "sdxl")
    lora("musubi", make.MUSUBI | _DATED)
    lora("onetrainer", make.ONETRAINER | _DATED, "sdxl")
    lora("ai_toolkit", make.AI_TOOLKIT)
    lora("swarm_header", make.SWARM_HEADER | _DATED)
    lora("additional_networks", make.ADDITIONAL_NETWORKS)
    make.beside(lora("civitai"), ".civitai.info", make.CIVITAI)
    make.beside(lora("lora_manager"), ".metadata.json", make.LORA_MANAGER)
    make.beside(lora("a1111"), ".json", make.A1111)
    make.beside(lora("stability_matrix"), ".cm-info.json", make.STABILITY_MATRIX)
    make.beside(lora("rgthree"), ".rgthree-info.json", make.RGTHREE)
    make.beside(lora("swarm"), ".swarm.json", make.SWARM)
    make.beside(lora("model_manager"), ".md", make.MODEL_MANAGER)
    make.beside(lora("alone/sks_dog"), ".preview.png")
    (folder / "alone" / "README.md").write_text(make.README, "utf-8")
    described(
        "pets/biscuit_v1.10",
        "triggers: [<biscuit-dog>, sks dog]\nsubjects: [corgi, dog]\nstyles: [realistic, snow]\n"
        "description: A red corgi with a notched ear\nversion: 1.10\nlineage: biscuit",
    )
    described("pets/biscuit_toon", "subjects: dog\nstyles: cartoon\nlineage: biscuit")
    described("pets/kiwi", "subjects: African grey parrot\ndescription: A grey bird on a perch")
    described("red_mini_cooper", "subjects: Mini Cooper\nstyles: [oil painting, high quality]")
    described("home", "subjects: [house, beach]\ntriggers: my house")
    described("washes", "styles: [aquarelle, soft]\ncreated_at: 2024-12-31T23:30:00+02:00")
    described("inky", "subjects: cat\nstyles: ink\ntriggers: inky cat")
    described("plain", "description: A poodle in the rain")
    described("signs", "subjects: '!'\ntriggers: saber_(fate)")
    described("called", "subjects: dog\nnames: [pickle, old boot]")
    for file in folder.rglob("*.*"):
        os.utime(file, (_MODIFIED, _MODIFIED))


def _card(card: Card, folder: Path) -> dict[str, Any]:
    """The card, with paths from the folder and times in UTC, so that it is the same everywhere."""
    values = card.as_dict()
    for name in ("path", "previews"):
        if name in values:
            values[name] = _relative(values[name], folder)
    if card.created_at:
        values["created_at"] = card.created_at.astimezone(UTC).isoformat()
    return values


def _relative(paths: str | list[str], folder: Path) -> str | list[str]:
    if isinstance(paths, list):
        return [str(_relative(path, folder)) for path in paths]
    return Path(paths).relative_to(folder).as_posix()


def _facts(columns: Columns, position: int) -> dict[str, Any]:
    """What each column holds of one card."""
    found: dict[str, Any] = {}
    for field in fields(Columns):
        column = getattr(columns, field.name)
        if isinstance(column, np.ndarray):
            found[field.name] = int(column[position])
        elif isinstance(column, MultiValueColumn):
            row = column.members[column.offsets[position] : column.offsets[position + 1]]
            found[field.name] = ", ".join(sorted(_shown(column.values[number]) for number in row))
        else:
            found[field.name] = column[position]
    return json.loads(json.dumps(found))


def _shown(value: Any) -> str:
    """A value of a column as text: "dog (exact)"."""
    if isinstance(value, SubjectKey):
        sense = "" if value.match is Match.KIND else f" ({value.match})"
        return " ".join(value.phrase) + sense
    return value if isinstance(value, str) else " ".join(value)


def _digest(phrases: Iterable[Phrase]) -> str:
    """A digest of the facts of cards with each phrase as subject, style and name."""
    digest = sha256()
    for phrase in sorted(phrases):
        text = " ".join(phrase)
        card = Card("-".join(phrase), subjects=(text,), styles=(text,), description=text)
        digest.update(json.dumps(_as_text(facts_of(card))).encode())
    return digest.hexdigest()[:16]


def _as_text(facts: Facts) -> list[list[str]]:
    """The facts with all sets in order; without the lineage, whose styles stand in `styles` too."""
    values = (getattr(facts, field.name) for field in fields(facts) if field.name != "lineage")
    return [
        sorted(map(_shown, value)) if isinstance(value, frozenset) else [repr(value)]
        for value in values
    ]


def main() -> None:
    """Rewrite the golden file; refused while FACTS_VERSION is that of other facts."""
    found = found_facts()
    if GOLDEN.exists():
        before = json.loads(GOLDEN.read_text("utf-8"))
        if before != found and before["facts_version"] == FACTS_VERSION:
            raise SystemExit("The facts changed: raise FACTS_VERSION in checkin/index/store.py.")
    GOLDEN.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
