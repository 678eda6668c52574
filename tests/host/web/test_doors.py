"""Test whom our routes refuse."""

from __future__ import annotations

import pytest

from personalq.nodes.host.web.same_origin import is_local, is_own_host

pytestmark = pytest.mark.usefixtures("read_anew")
BEAR = "bear-bear_realistic_v3"
JSON = {"Content-Type": "application/json"}


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


def test_our_page_may_change_things_behind_a_proxy_that_names_itself(ask, settings_file):
    proxied = {"Host": "10.0.0.5:8188", "Origin": "https://studio.example"}
    own = JSON | proxied | {"Sec-Fetch-Site": "same-origin"}
    assert ask("POST", "/personalq/settings", {"prefer": "speed"}, own)[0] == 200
    assert settings_file.exists()
    assert ask("POST", "/personalq/settings", {"prefer": "speed"}, JSON | proxied)[0] == 403


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


def test_the_refusal_of_a_name_says_how_it_is_let_in(ask, monkeypatch):
    _, answer, _ = ask("GET", "/personalq/cards", b"", {"Host": "studio.example"})
    assert "--enable-cors-header and this address" in answer["error"]
    routes = pytest.importorskip("personalq.nodes.host.web.spoken_routes", reason="no ComfyUI here")
    monkeypatch.setattr(routes.args, "enable_cors_header", "https://Studio.example")
    assert is_own_host("studio.example", routes._listened())
    assert not is_own_host("evil.example", routes._listened())


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
    ("platform", "path", "command"),
    [
        ("linux", "/m/my loras/a.safetensors", ["xdg-open", "/m/my loras"]),
        ("darwin", "/m/loras/a.safetensors", ["open", "-R", "/m/loras/a.safetensors"]),
        ("win32", r"C:\Jane Doe\a b.sft", r'explorer /select,"C:\Jane Doe\a b.sft"'),
        ("win32", r"D:/models\loras/a.sft", r'explorer /select,"D:\models\loras\a.sft"'),
    ],
)
def test_how_a_folder_is_opened(platform, path, command):
    opener = pytest.importorskip(
        "personalq.nodes.host.models.open_folder", reason="no ComfyUI here"
    )
    assert opener._command(path, platform) == command
