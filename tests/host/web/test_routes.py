"""Test our routes: what they show, what they change, and whom they refuse."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json

import pytest
from PIL import Image

from personalq.atomic_write import FileInUse
from personalq.nodes.host.web.same_origin import is_local

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


def test_what_cannot_be_written_is_said_without_its_place():
    answering = pytest.importorskip("personalq.nodes.host.web.answering", reason="no ComfyUI here")

    def refuse():
        raise PermissionError(13, "Permission denied", "/home/somebody/models/a.yaml")

    said = asyncio.run(answering.answer(refuse))
    assert said.status == 500
    error = json.loads(said.body)["error"]
    assert error.startswith("Permission denied: let ComfyUI write into that folder")
    assert "somebody" not in error


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
    (f"/personalq/cards/{BEAR}/favourite", {"favourite": True}),
    (f"/personalq/cards/{BEAR}/hash", {}),
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


def test_a_search_says_why_and_what_no_model_has(ask):
    _, found, _ = ask("GET", "/personalq/cards?text=dgo%20watercolor")
    assert [card["name"] for card in found["cards"]] == ["dog_watercolour_v2", "dog_watercolour_v1"]
    assert found["cards"][0]["why"] == [["styles", "watercolour"]]
    assert (found["unmet"], found["near"]) == (["dgo"], [["dgo", ["dog"]]])


def test_cards_come_in_the_order_that_is_asked_for(ask):
    def names(query: str) -> list[str]:
        return [card["name"] for card in ask("GET", f"/personalq/cards?{query}")[1]["cards"]]

    assert names("text=oldest%20bear")[0] == "bear_realistic_v1"
    assert names("text=oldest%20bear&sort=newest")[0] == "bear_realistic_v4"
    by_name = names("sort=name")
    assert by_name == sorted(by_name, key=str.casefold)
    assert names("kind=checkpoint&folder=loras") == []
    assert set(names("folder=loras/house")) == set(names("folder=loras/house/april")) | set(
        names("folder=loras/house/may")
    )


@pytest.mark.parametrize("query", ["sort=size", "only=mine"])
def test_unknown_orders_are_refused(ask, query):
    status, answer, _ = ask("GET", f"/personalq/cards?{query}")
    assert status == 400
    assert query.split("=")[1] in answer["error"]


def test_a_favourite_is_kept_in_a_file_of_the_user(ask, settings_file):
    file = settings_file.with_name("favourites.yaml")
    path = f"/personalq/cards/{BEAR}/favourite"
    assert ask("POST", path, {"favourite": True})[0] == 200
    assert "favourites:" in file.read_text()
    marked = ask("GET", "/personalq/cards?only=favourites")[1]["cards"]
    assert [(card["id"], card["favourite"]) for card in marked] == [(BEAR, True)]
    assert ask("GET", f"/personalq/cards/{BEAR}")[1]["favourite"]
    assert ask("POST", path, {"favourite": False})[0] == 200
    assert ask("GET", "/personalq/cards?only=favourites")[1]["total"] == 0


def test_a_broken_file_of_favourites_hides_no_model_and_is_not_overwritten(
    ask, settings_file, total
):
    file = settings_file.with_name("favourites.yaml")
    file.write_text("favourites: {a: b}\n")
    try:
        assert ask("GET", "/personalq/cards")[1]["total"] == total
        status, answer, _ = ask("POST", f"/personalq/cards/{BEAR}/favourite", {"favourite": True})
        assert status == 400
        assert "favourites.yaml" in answer["error"]
        assert file.read_text() == "favourites: {a: b}\n"
    finally:
        file.unlink()


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
    assert card["fields"]["created_at"]["value"].startswith("2026-04-01T00:00:00")
    status, answer, _ = ask("POST", f"/personalq/cards/{BEAR}", {"created_at": "soon"})
    assert (status, "soon" in answer["error"]) == (400, True)


@pytest.mark.parametrize("headers", [{"Host": "192.168.1.5:8188"}, {"X-Forwarded-For": "1"}])
def test_a_folder_is_opened_for_a_page_on_this_machine_alone(ask, headers):
    status, answer, _ = ask("POST", f"/personalq/cards/{BEAR}/folder", {}, JSON | headers)
    assert status == 403
    assert "machine" in answer["error"]


@pytest.mark.parametrize("path", ["/personalq/cards", "/personalq/settings"])
@pytest.mark.parametrize(
    ("named", "status"),
    [("models.example", 403), ("[::1", 403), ("localhost:8188", 200), ("10.0.0.5:8188", 200)],
)
def test_a_page_whose_name_was_led_to_this_machine_reads_nothing(ask, path, named, status):
    assert ask("GET", path, b"", {"Host": named})[0] == status


@pytest.mark.parametrize(
    ("remote", "headers", "local"),
    [
        ("127.0.0.1", {"Host": "127.0.0.1:8188"}, True),
        ("::1", {"Host": "[::1]:8188"}, True),
        ("127.0.0.1", {"Host": "localhost"}, True),
        ("127.0.0.1", {"Host": "models.example"}, False),
        ("127.0.0.1", {"Host": "localhost", "Forwarded": "for=1.2.3.4"}, False),
        ("192.168.1.7", {"Host": "localhost"}, False),
        (None, {"Host": "localhost"}, False),
        ("127.0.0.1", {}, False),
    ],
)
def test_which_pages_are_on_this_machine(remote, headers, local):
    assert is_local(remote, headers) is local


@pytest.mark.parametrize(
    ("platform", "command"),
    [
        ("linux", ["xdg-open", "/m/loras"]),
        ("darwin", ["open", "-R", "/m/loras/a.safetensors"]),
        ("win32", ["explorer", "/select,/m/loras/a.safetensors"]),
    ],
)
def test_how_a_folder_is_opened(platform, command):
    opener = pytest.importorskip(
        "personalq.nodes.host.models.open_folder", reason="no ComfyUI here"
    )
    assert opener._command("/m/loras/a.safetensors", platform) == command


def test_a_large_picture_is_larger_and_a_missing_one_is_no_other(ask):
    def size(query: str) -> int:
        picture = ask("GET", f"/personalq/thumbnails/{BEAR}{query}")[1]
        return max(Image.open(io.BytesIO(picture)).size)

    assert size("?large=1") >= size("")
    for number in ("9", "-1", "x", "../0"):
        assert ask("GET", f"/personalq/thumbnails/{BEAR}?number={number}")[0] == 204
