"""Test the files of a library: every kind, base and broken state, copies, sidecars and times."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from safetensors import SafetensorError, safe_open

from personalq.bench.libraries.files import write
from personalq.checkin import Repository
from personalq.checkin.index.repository import EmptyRepository
from personalq.tests.bench.libraries.made_up import file, trained

WITH_CARDS = ("lora", "checkpoint", "diffusion_model")
WITHOUT_CARDS = ("embedding", "vae", "controlnet", "upscaler")
BASES = {"sd15": "sd15", "sd2": "sd2", "sdxl": "sdxl", "flux": "flux1", "sd3": "sd3"}
"""Base in a line -> what readers call it."""


def write_one(folder: Path, **line: Any) -> Path:
    write([file("a/one.safetensors", **line)], folder)
    return folder / "a" / "one.safetensors"


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("kind", WITH_CARDS + WITHOUT_CARDS)
def test_every_kind_and_base_is_a_readable_file(tmp_path: Path, kind: str, base: str) -> None:
    path = write_one(tmp_path, kind=kind, base=base)
    with safe_open(path, "numpy") as model:
        assert list(model.keys())


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("kind", WITH_CARDS)
def test_readers_see_kind_and_base(tmp_path: Path, kind: str, base: str) -> None:
    write_one(tmp_path, kind=kind, base=base)
    (card,) = Repository.open(tmp_path, embedder=None).cards
    assert card.kind == ("lora" if kind == "lora" else "checkpoint")
    assert card.base_model == BASES[base]


@pytest.mark.parametrize("kind", WITHOUT_CARDS)
def test_other_kinds_are_no_models_to_draw_with(tmp_path: Path, kind: str) -> None:
    write_one(tmp_path, kind=kind)
    with pytest.raises(EmptyRepository):
        Repository.open(tmp_path, embedder=None)


@pytest.mark.parametrize("broken", ["truncated", "garbage", "pickle", "empty"])
def test_a_broken_file_is_there_and_cannot_be_read(tmp_path: Path, broken: str) -> None:
    path = write_one(tmp_path, broken=broken, header=trained("sks dog", "long ago"))
    assert path.is_file()
    with pytest.raises(SafetensorError), safe_open(path, "numpy") as model:
        model.keys()


def test_a_header_and_sidecars_are_what_readers_find(tmp_path: Path) -> None:
    sidecars = [
        {"suffix": ".civitai.info", "json": {"name": "v1", "model": {"name": "Größe"}}},
        {"suffix": ".txt", "text": "a wet dog"},
        {"suffix": ".preview.png"},
    ]
    header = trained("sks dog", "long ago") | {"ss_epoch": 3, "ss_seed": None}
    path = write_one(tmp_path, header=header, sidecars=sidecars)
    with safe_open(path, "numpy") as model:
        metadata = model.metadata()
    assert json.loads(metadata["ss_tag_frequency"]) == header["ss_tag_frequency"]
    assert metadata["ss_epoch"] == "3"
    assert "ss_seed" not in metadata
    (card,) = Repository.open(tmp_path, embedder=None).cards
    assert (card.triggers, card.title, card.description) == (("sks dog",), "Größe v1", "a wet dog")
    assert [Path(preview).name for preview in card.previews] == ["one.preview.png"]


def test_a_copy_has_the_bytes_of_its_original_and_its_own_time(tmp_path: Path) -> None:
    copy = file("a/copy.safetensors", 20, same_bytes_as="b/original.safetensors")
    write([copy, file("b/original.safetensors", 3)], tmp_path)
    original = tmp_path / "b" / "original.safetensors"
    assert (tmp_path / "a" / "copy.safetensors").read_bytes() == original.read_bytes()
    days = [
        (tmp_path / name).stat().st_mtime
        for name in ("a/copy.safetensors", "b/original.safetensors")
    ]
    assert days[0] - days[1] == 17 * 24 * 3600
