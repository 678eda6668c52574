"""Test what our routes write about a model."""

from __future__ import annotations

import hashlib
import json

import pytest

pytestmark = pytest.mark.usefixtures("read_anew")
BEAR = "bear-bear_realistic_v3"
JSON = {"Content-Type": "application/json"}


def test_an_edit_writes_the_sidecar_line_by_line(ask, sidecar, demo_repository):
    files = {
        file: file.stat().st_mtime_ns
        for file in demo_repository.rglob("*")
        if file.is_file() and file != sidecar
    }
    sidecar.write_text("# my notes\n" + sidecar.read_text())
    text = "<img src=x onerror=alert(1)> a bear"
    status, card, _ = ask(
        "POST", f"/personalq/cards/{BEAR}", {"description": text, "styles": ["oil", "realistic"]}
    )
    assert status == 200
    assert card["fields"]["description"] == {"value": text, "source": "sidecar"}
    assert card["fields"]["styles"]["value"] == ["oil", "realistic"]
    written = sidecar.read_text()
    assert written.startswith("# my notes\n")
    assert "triggers" in written
    assert files == {file: file.stat().st_mtime_ns for file in files}, "no other file is touched"
    assert [one["id"] for one in ask("GET", "/personalq/cards?style=oil")[1]["cards"]] == [BEAR]
    _, card, _ = ask("POST", f"/personalq/cards/{BEAR}", {"description": None})
    assert card["fields"]["description"]["source"] != "sidecar"


def test_a_model_is_called_by_one_more_name_and_by_one_less(ask, sidecar):
    sidecar.write_text("# my notes\n" + sidecar.read_text() + "names: [bruno]\n")
    path = f"/personalq/cards/{BEAR}/names"
    status, card, _ = ask("POST", path, {"add": "pickle"})
    assert status == 200
    assert card["fields"]["names"] == {"value": ["bruno", "pickle"], "source": "sidecar"}
    assert sidecar.read_text().startswith("# my notes\n")
    written = sidecar.read_bytes()
    assert ask("POST", path, {"add": "Pickle"})[1]["fields"]["names"]["value"][1:] == ["pickle"]
    assert sidecar.read_bytes() == written, "it is called so already"
    _, card, _ = ask("POST", path, {"remove": "pickle"})
    assert card["fields"]["names"]["value"] == ["bruno"]
    _, card, _ = ask("POST", path, {"remove": "bruno"})
    assert card["fields"]["names"] == {"value": [], "source": None}
    assert "names" not in sidecar.read_text()


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"add": 1},
        {"add": "<lora:evil:1>"},
        {"add": "x" * 41},
        {"add": ""},
        {"names": ["pickle"]},
        {"add": "pickle", "remove": "bruno"},
    ],
)
def test_other_changes_of_names_are_refused_and_nothing_is_written(ask, sidecar, body):
    before = sidecar.read_bytes()
    status, answer, _ = ask("POST", f"/personalq/cards/{BEAR}/names", body)
    assert status == 400
    assert answer["error"]
    assert sidecar.read_bytes() == before


def test_a_sidecar_that_is_no_file_is_said_with_the_next_step(ask, sidecar):
    before = sidecar.read_bytes()
    sidecar.unlink()
    sidecar.mkdir()
    try:
        status, answer, _ = ask("POST", f"/personalq/cards/{BEAR}", {"lineage": "x"})
    finally:
        sidecar.rmdir()
        sidecar.write_bytes(before)
    assert status == 400
    assert str(sidecar.parent) not in answer["error"]
    assert "it is a folder or a pipe. Correct it or move it away" in answer["error"]


@pytest.mark.parametrize(
    "body",
    [
        {"path": "/etc/passwd"},
        {"previews": ["/etc/passwd"]},
        {"sha256": "a" * 64},
        {"lineage": "x", "generated": {}},
        {"triggers": "<lora:evil:1>"},
        {"triggers": ["<lora:evil:1>"]},
        {"triggers": [1]},
        {"subjects": {"a": 1}},
        {"description": ["a"]},
        {"description": "x" * 3000},
        {"lineage": 7},
        {"lineage": ""},
        [],
        "text",
        None,
        b"{",
        b"[" * 60_000,
        b"\xff",
    ],
)
def test_an_edit_of_anything_else_is_refused_and_nothing_is_written(ask, sidecar, body):
    before = sidecar.read_bytes()
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    status, answer, _ = ask("POST", f"/personalq/cards/{BEAR}", data)
    assert status == 400
    assert answer["error"]
    assert sidecar.read_bytes() == before


def test_a_hash_is_known_once_it_was_computed(ask, demo_repository):
    one = "car-checker_taxi"
    file = demo_repository / "loras" / "car" / "checker_taxi.safetensors"
    status, card, _ = ask("POST", f"/personalq/cards/{one}/hash", {})
    assert status == 200
    assert card["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert card["size"] == file.stat().st_size
    assert ask("GET", f"/personalq/cards/{one}")[1]["sha256"] == card["sha256"]
    assert ask("POST", "/personalq/rescan", {})[0] == 200
    assert ask("GET", f"/personalq/cards/{one}")[1]["sha256"] == card["sha256"]


def test_a_hash_in_a_sidecar_is_not_shown_as_known(ask, sidecar):
    sidecar.write_text(sidecar.read_text() + f"sha256: {'a' * 64}\n")
    ask("POST", "/personalq/rescan", {})
    assert ask("GET", f"/personalq/cards/{BEAR}")[1]["sha256"] is None


def test_the_lineage_is_shown_without_the_key_that_is_made_of_it(ask, sidecar):
    sidecar.write_text("triggers: [<bear-v3>]\n")
    ask("POST", "/personalq/rescan", {})
    assert ask("GET", f"/personalq/cards/{BEAR}")[1]["fields"]["lineage"] == {
        "value": "bear realistic",
        "source": "file name",
    }


@pytest.mark.parametrize(
    ("change", "read"),
    [
        ({"version": "v3.1"}, "3.1"),
        ({"base_model": "SDXL 1.0"}, "sdxl"),
        ({"base": "my_mix"}, "my_mix"),
        ({"lineage": "teddy"}, "teddy"),
    ],
)
def test_what_the_user_says_of_a_build_is_read_back(ask, sidecar, change, read):
    (name,) = change
    _, card, _ = ask("POST", f"/personalq/cards/{BEAR}", change)
    assert card["fields"][name] == {"value": read, "source": "sidecar"}


def test_the_day_that_the_user_says_is_the_day_that_is_read(ask, sidecar):
    _, card, _ = ask("POST", f"/personalq/cards/{BEAR}", {"created_at": "2026-04-01"})
    assert card["fields"]["created_at"]["value"] == card["created"] == "2026-04-01"
    status, answer, _ = ask("POST", f"/personalq/cards/{BEAR}", {"created_at": "soon"})
    assert (status, "soon" in answer["error"]) == (400, True)
