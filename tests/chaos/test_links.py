"""Test that a link in the models folder gives nothing but the card of a model that it leads to."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from personalq.tests.checkin import make_files as make
from personalq.tests.fuzz.attack import Attack

from .test_doors import _JSON, _sent

SECRET = "the-secret-of-somebody"
_PICTURE = (255, 0, 128)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder that is nobody's business: texts, pictures, and a model with its own sidecars."""
    for name in ("plain.txt", "notes.md", ".bashrc", "model.txt"):
        (tmp_path / name).write_text(f"description: {SECRET}\n")
    about = {"images": [{"meta": {"prompt": SECRET}}], "description": SECRET, "modelId": 7}
    (tmp_path / "data.json").write_text(json.dumps(about))
    (tmp_path / "pictures").mkdir()
    Image.new("RGB", (64, 64), _PICTURE).save(tmp_path / "pictures" / "picture.png")
    make.make_lora(tmp_path / "model.safetensors", metadata={"modelspec.title": "A linked model"})
    shutil.copy(tmp_path / "pictures" / "picture.png", tmp_path / "model.png")
    return tmp_path


@pytest.fixture
def links(host: Any, outside: Path) -> Iterator[Path]:
    """Links of every kind into that folder, beside one whole model and one that is a link."""
    folder = host.models / "loras" / "hostile"
    model = make.make_lora(folder / "whole.safetensors")
    (folder / "linked.safetensors").symlink_to(outside / "model.safetensors")
    (folder / "text.safetensors").symlink_to(outside / "plain.txt")
    (folder / "device.safetensors").symlink_to("/dev/zero")
    for stem in ("whole", "linked"):
        for ending in (".civitai.info", ".metadata.json", ".safetensors.rgthree-info.json"):
            (folder / (stem + ending)).symlink_to(outside / "data.json")
        for ending in (".txt", ".description.txt", ".personalq.yaml", ".md"):
            (folder / (stem + ending)).symlink_to(outside / "plain.txt")
        for ending in (".preview.png", ".png", ".jpg"):
            (folder / (stem + ending)).symlink_to(outside / "pictures" / "picture.png")
    (folder / "README.md").symlink_to(outside / "notes.md")
    (folder / "inner").mkdir()
    named = make.make_lora(folder / "inner" / "named.safetensors")
    (folder / "inner" / "pictures").symlink_to(outside / "pictures")
    make.beside(named, ".personalq.yaml", "previews: [pictures/picture.png, ../whole.png]")
    yield model
    shutil.rmtree(folder)


def test_a_link_gives_a_card_at_most(host: Any, links: Path, outside: Path) -> None:
    attack = Attack("links out of the models folder", most_seconds=10)
    status, said = _sent(host, "POST", "/personalq/rescan", b"{}", _JSON)
    assert status == 200
    seen = [said]
    before = {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()}
    found = _cards(host)
    assert {card["name"] for card in found} == {"whole", "linked", "named"}
    number = 0
    for card in found:
        one = f"/personalq/cards/{card['id']}"
        picture = f"/personalq/thumbnails/{card['id']}"
        for method, path, body in (
            ("GET", one, None),
            ("GET", picture, None),
            ("GET", f"{picture}?number=1&large=1", None),
            ("POST", one, {"description": "mine"}),
            ("POST", f"{one}/names", {"add": "mine"}),
            ("POST", f"{one}/hash", {}),
            ("POST", f"{one}/words", {"request": "a"}),
            ("POST", "/personalq/preview", {"request": f"the {card['name']} model"}),
        ):
            with attack.case(number):
                data = None if body is None else json.dumps(body).encode()
                status, said = _sent(host, method, path, data, _JSON if data else {})
                assert status < 500, (path, said[:200])
                seen.append(said)
                if "thumbnails" in path and status == 200:
                    attack.broke("foreign_files", number, f"a picture at {path}")
            number += 1
    for said in seen:
        if SECRET.encode() in said or str(outside).encode() in said:
            attack.broke("foreign_files", number, said[:200].decode())
    after = {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()}
    if before != after:
        attack.broke("foreign_files", number, "something was written there")
    attack.finish()


def _cards(host: Any) -> list[dict[str, Any]]:
    said = _sent(host, "GET", "/personalq/cards?text=hostile", None, {})[1]
    everything = json.loads(said)["cards"]
    return [card for card in everything if "hostile" in card["id"]]
