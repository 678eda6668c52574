"""Test our routes: what they show, what they change, and whom they refuse."""

from __future__ import annotations

import asyncio
import json

import pytest

from personalq.atomic_write import FileInUse

BEAR = "bear-bear_realistic_v3"
JSON = {"Content-Type": "application/json"}


@pytest.fixture(autouse=True)
def read_anew(ask):
    """Other tests change the repository on the disk."""
    assert ask("POST", "/personalq/rescan", {})[0] == 200


def test_cards_are_found_by_words_and_filters(ask, total):
    _, everything, _ = ask("GET", "/personalq/cards")
    assert everything["total"] == total
    assert [card["created"] for card in everything["cards"]] == sorted(
        (card["created"] for card in everything["cards"]), reverse=True
    )
    found = ask("GET", "/personalq/cards?text=toon&subject=bear&since=2026-06-30&until=2026-06-30")[
        1
    ]
    assert [(card["name"], card["words"]) for card in found["cards"]] == [
        ("bear_cartoon_v2", "<toon-bear-v2>")
    ]
    assert (
        ask("GET", f"/personalq/cards?offset={total - 1}")[1]["cards"] == everything["cards"][-1:]
    )


def test_what_the_filters_offer(ask, total):
    _, about, _ = ask("GET", "/personalq/repository")
    assert about["total"] == total
    assert ["sd15", total] in about["filters"]["base_model"]
    assert ["bear", 6] in about["filters"]["subject"]
    assert ["sketch", 2] in about["filters"]["style"]


@pytest.mark.parametrize(
    "query", ["path=/etc", "offset=-1", "offset=x", "since=yesterday", "until=9999-99-99"]
)
def test_strange_queries_are_refused(ask, query):
    status, answer, _ = ask("GET", f"/personalq/cards?{query}")
    assert status == 400
    assert answer["error"]


def test_a_card_says_where_each_field_came_from(ask):
    _, card, _ = ask("GET", f"/personalq/cards/{BEAR}")
    assert card["fields"]["triggers"] == {"value": ["<bear-v3>"], "source": "sidecar"}
    assert card["fields"]["lineage"]["source"] in ("sidecar", "file name")
    assert card["facts"]["kind"]["value"] == "lora"
    assert "/" not in json.dumps([card["id"], card["name"], card["words"], card["chosen"]])


def test_a_picture_is_a_small_copy_and_no_other_file(ask):
    status, picture, headers = ask("GET", f"/personalq/thumbnails/{BEAR}")
    assert status == 200
    assert picture[:4] == b"RIFF"
    assert headers["Content-Type"] == "image/webp"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert ask("GET", "/personalq/thumbnails/demo_base")[:2] == (204, b""), "it has none"


STRANGE_IDS = [
    "nobody",
    "..",
    "../../etc/passwd",
    "..%2F..%2Fetc%2Fpasswd",
    "%2Fetc%2Fpasswd",
    "..%5C..%5Cwin.ini",
    "bear%2Fbear_realistic_v3",
    "bear-bear_realistic_v3%00",
    "bear-bear_realistic_v3.personalq.yaml",
]


@pytest.mark.parametrize("one", STRANGE_IDS)
def test_only_ids_of_cards_name_anything(ask, one):
    for method, path in (("GET", "cards"), ("GET", "thumbnails"), ("POST", "cards")):
        status, answer, _ = ask(
            method, f"/personalq/{path}/{one}", {"lineage": "x"} if method == "POST" else None
        )
        assert status in (404, 405), (method, path)
        assert b"root:" not in (answer if isinstance(answer, bytes) else b"")


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


def test_a_sidecar_that_cannot_be_written_is_said_with_the_next_step(ask, sidecar):
    before = sidecar.read_bytes()
    sidecar.unlink()
    sidecar.mkdir()  # which no account may overwrite with a file
    try:
        status, answer, _ = ask("POST", f"/personalq/cards/{BEAR}", {"lineage": "x"})
    finally:
        sidecar.rmdir()
        sidecar.write_bytes(before)
    assert status == 500
    assert str(sidecar.parent) not in answer["error"]
    assert "let ComfyUI write" in answer["error"]


def test_a_sidecar_that_another_program_has_open_is_said_as_it_is():
    answering = pytest.importorskip("personalq.nodes.host.web.answering", reason="no ComfyUI here")

    def held():
        raise FileInUse("bear.personalq.yaml is open in another program: close it there")

    answer = asyncio.run(answering.answer(held))
    assert answer.status == 409
    assert json.loads(answer.text) == {
        "error": "bear.personalq.yaml is open in another program: close it there."
    }


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


CHANGES = [
    (f"/personalq/cards/{BEAR}", {"lineage": "x"}),
    (f"/personalq/cards/{BEAR}/names", {"add": "x"}),
    ("/personalq/settings", {"prefer": "speed"}),
    ("/personalq/embedder", {}),
]
CHANGES += [("/personalq/rescan", {})]


@pytest.mark.parametrize(("path", "body"), CHANGES)
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "none"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content-Type": "multipart/form-data; boundary=application/json"}, 415),
        ({"Host": "models.example", "Origin": "https://evil.example"}, 403),
        ({"Content-Length": "70000"}, 413),
    ],
)
def test_changes_are_taken_from_our_own_page_alone(
    ask, sidecar, settings_file, path, body, headers, status
):
    before = sidecar.read_bytes()
    assert ask("POST", path, body, JSON | headers)[0] == status
    assert sidecar.read_bytes() == before
    assert not settings_file.exists()


@pytest.mark.parametrize("path", [path for path, _ in CHANGES if "cards" not in path])
def test_nothing_is_changed_by_get(ask, path, settings_file):
    status, _, _ = ask("GET", f"{path}?prefer=speed")
    assert status in (200, 404, 405)
    assert not settings_file.exists()


def test_our_own_page_may_change_things(ask, host, settings_file):
    own = JSON | {"Origin": host.url, "Sec-Fetch-Site": "same-origin"}
    status, answer, _ = ask("POST", "/personalq/settings", {"prefer": "speed", "questions": 1}, own)
    assert status == 200
    assert (answer["values"]["prefer"], answer["values"]["questions"]) == (
        "speed",
        1,
    )
    assert settings_file.read_text() == "prefer: speed\nquestions: '1'\n"
