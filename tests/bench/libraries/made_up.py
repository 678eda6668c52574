"""A made-up library of a few files, with requests whose answers are plain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

NOW = "2026-05-17T12:00:00+00:00"
DOG_1, DOG_2, CAT, COPY = (
    f"loras/{name}.safetensors" for name in ("moss_v1", "moss_v2", "nelson", "copies/nelson")
)


def file(path: str, day: int = 1, **others: Any) -> dict[str, Any]:
    """One line of models.jsonl; by default a LoRA for SD 1.5 without header and sidecars."""
    line = {"path": path, "kind": "lora", "base": "sd15", "mtime": f"2026-05-{day:02}T10:00:00Z"}
    return line | {"header": None, "sidecars": [], "broken": None, "same_bytes_as": None} | others


def trained(words: str, comment: str) -> dict[str, Any]:
    """The header of a training on pictures with the caption `words`."""
    return {
        "ss_network_module": "networks.lora",
        "ss_training_comment": comment,
        "ss_dataset_dirs": {f"10_{words}": {"n_repeats": 10, "img_count": 12}},
        "ss_tag_frequency": {f"10_{words}": {words: 12, "grass": 6}},
    }


FILES = [
    file(DOG_1, 1, header=trained("mss dog", "first try")),
    file(DOG_2, 9, header=trained("mss dog", "the good one, wet fur")),
    file(CAT, 5, header=trained("nlsn cat", "asleep on the radiator")),
    file(COPY, 6, same_bytes_as=CAT),
    file("vae/soft.safetensors", kind="vae"),
]


def request(name: str, text: str, *accepted: tuple[str, list[str]]) -> dict[str, Any]:
    """One line of requests.jsonl."""
    accept = [{"outcome": outcome, "models": models} for outcome, models in accepted]
    about = {"kind": "subject", "difficulty": "easy", "why": "it is plain", "accept": accept}
    return {"id": name, "request": text} | about


REQUESTS = [
    request("one", "my cat on the sofa", ("select", [CAT])),
    request("two", "my latest dog in the snow", ("select", [DOG_2])),
    request("three", "a submarine", ("no_match", [])),
]
HISTORY = [
    {"when": "2026-05-10T10:00:00Z", "model": CAT},
    {"when": "2026-05-11T10:00:00Z", "model": "vae/soft.safetensors"},
]


def write_archive(path: Path, requests: list[dict[str, Any]] | None = None) -> None:
    """Write the library as an archive like those in bench/libraries/open."""
    parts = {
        "models.jsonl": FILES,
        "requests.jsonl": REQUESTS if requests is None else requests,
        "history.jsonl": HISTORY,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with ZipFile(path, "w") as archive:
        about = {"name": path.stem, "persona": "nobody", "now": NOW}
        archive.writestr("library.json", json.dumps(about))
        for name, lines in parts.items():
            archive.writestr(name, "\n".join(map(json.dumps, lines)))


def write_languages(path: Path, requests: dict[str, list[dict[str, Any]]]) -> None:
    """Write requests in other languages: name of a file, such as "de/first" -> its lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with ZipFile(path, "w") as archive:
        for name, lines in requests.items():
            archive.writestr(f"{name}.jsonl", "\n".join(map(json.dumps, lines)))
