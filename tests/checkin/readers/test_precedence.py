"""Test which reader wins: for each field of a card, the readers that fill it, best first."""

from __future__ import annotations

from pathlib import Path

import pytest

from personalq.checkin import readers
from personalq.checkin.readers import FOLDER_SIDECAR, READERS, SIDECAR_ENDINGS
from personalq.checkin.readers.merge import PRECEDENCE
from personalq.checkin.readers.reader import Reader

PICTURES = "metadata.json pictures civitai.info pictures rgthree pictures"
EXPECTED = {
    "triggers": (
        "sidecar swarm modelspec a1111 ssmd metadata.json rgthree civitai.info sd.next cm-info "
        "readme "
        "markdown usage_hint ai_toolkit text_hint kohya"
    ),
    "subjects": (
        "sidecar kohya metadata.json civitai.info sd.next cm-info rgthree swarm modelspec ssmd "
        "readme "
        "generated captions"
    ),
    "styles": (
        "sidecar metadata.json civitai.info sd.next cm-info rgthree swarm modelspec ssmd readme "
        "generated "
        "captions"
    ),
    "description": (
        "sidecar a1111 text swarm ssmd metadata.json civitai.info sd.next cm-info rgthree markdown "
        "modelspec kohya generated"
    ),
    "created_at": (
        "sidecar kohya swarm modelspec metadata.json civitai.info sd.next rgthree file_name "
        "file_time"
    ),
    "version": "sidecar file_name metadata.json civitai.info sd.next cm-info rgthree ssmd",
    "kind": (
        "sidecar tensors swarm modelspec kohya onetrainer metadata.json civitai.info sd.next "
        "cm-info "
        "rgthree"
    ),
    "base_model": (
        "sidecar swarm modelspec kohya onetrainer tensors metadata.json civitai.info sd.next "
        "cm-info "
        "rgthree readme markdown a1111"
    ),
    "base": "sidecar kohya onetrainer rgthree readme",
    "lineage": "sidecar",
    "sha256": "sidecar metadata.json rgthree cm-info civitai.info sd.next markdown",
    "previews": "sidecar file_name readme header_pictures",
    "strength": "sidecar metadata.json rgthree a1111 swarm civitai.info sd.next modelspec",
    "resolution": f"sidecar swarm modelspec cm-info {PICTURES}",
    "steps": f"sidecar cm-info {PICTURES}",
    "cfg": f"sidecar cm-info {PICTURES}",
    "sampler": f"sidecar cm-info {PICTURES}",
    "scheduler": f"sidecar cm-info {PICTURES}",
    "clip_skip": f"sidecar metadata.json {PICTURES}",
    "negative": f"sidecar a1111 {PICTURES}",
    "variants": "sidecar metadata.json rgthree civitai.info sd.next cm-info",
    "names": "sidecar",
    "title": "sidecar swarm metadata.json civitai.info sd.next cm-info rgthree modelspec kohya",
    "tags": "sidecar metadata.json civitai.info sd.next cm-info rgthree swarm modelspec",
    "captions": "sidecar captions",
    "origin": (
        "sidecar civitai.info sd.next metadata.json cm-info rgthree kohya onetrainer ai_toolkit "
        "modelspec"
    ),
}


def test_the_precedence_of_every_field() -> None:
    assert {field: " ".join(names) for field, names in PRECEDENCE.items()} == EXPECTED
    assert list(PRECEDENCE) == list(EXPECTED), "people see the names in this order"


def test_the_readers_in_the_order_in_which_they_read() -> None:
    assert [(reader.name, reader.source) for reader in READERS] == [
        ("sidecar", "sidecar"),
        ("generated", "generated"),
        ("modelspec", "safetensors"),
        ("usage_hint", "safetensors"),
        ("kohya", "safetensors"),
        ("captions", "captions"),
        ("ai_toolkit", "safetensors"),
        ("onetrainer", "safetensors"),
        ("ssmd", "safetensors"),
        ("header_pictures", "safetensors"),
        ("tensors", "safetensors"),
        ("swarm", "swarm.json"),
        ("a1111", "a1111"),
        ("text", "text"),
        ("text_hint", "text"),
        ("metadata.json", "metadata.json"),
        ("civitai.info", "civitai.info"),
        ("sd.next", "sd.next"),
        ("cm-info", "cm-info.json"),
        ("rgthree", "rgthree"),
        ("metadata.json pictures", "example pictures"),
        ("civitai.info pictures", "example pictures"),
        ("rgthree pictures", "example pictures"),
        ("markdown", "markdown"),
        ("readme", "readme"),
        ("file_name", "file name"),
        ("file_time", "file time"),
    ]


def test_the_sidecars_that_are_looked_for_in_the_order_of_their_stamps() -> None:
    """The index holds the stamps in this order: another one would read every model again."""
    assert SIDECAR_ENDINGS == (
        ".personalq.yaml",
        ".swarm.json",
        ".json",
        ".description.txt",
        ".txt",
        ".metadata.json",
        ".civitai.info",
        ".cm-info.json",
        ".safetensors.rgthree-info.json",
        ".sft.rgthree-info.json",
        ".md",
    )
    assert FOLDER_SIDECAR == "readme.md"


def test_every_file_with_readers_is_registered() -> None:
    folder = Path(str(readers.__file__)).parent
    declaring = {
        path.stem for path in folder.glob("*.py") if "\nREADERS = (" in path.read_text("utf-8")
    }
    assert declaring == {reader.read.__module__.rpartition(".")[2] for reader in READERS}


def test_a_reader_of_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValueError, match="reader notes: a card has no field trigger"):
        Reader("notes", "notes", lambda model, report: {}, {"trigger": 5})
