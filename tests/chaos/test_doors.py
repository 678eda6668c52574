"""Test the doors of a real ComfyUI: whom they let in, what bodies do, and many who ask at once."""

from __future__ import annotations

import http.client
import json
import os
import random
import threading
import time
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

import pytest

from personalq.nodes.host.web.same_origin import refusal
from personalq.tests.fuzz.attack import Attack

pytest.importorskip("aiohttp", reason="no ComfyUI here")
_JSON = {"Content-Type": "application/json"}
_CHANGES = ("/personalq/settings", "/personalq/rescan", "/personalq/recipes")
BODIES, AT_ONCE, CLIENTS, REQUESTS = 500, 200, 8, 6

STRANGERS: list[dict[str, str]] = [
    _JSON | {"Origin": "http://evil.example"},
    _JSON | {"Origin": "null"},
    _JSON | {"Origin": "http://127.0.0.1"},
    _JSON | {"Origin": "http://localhost:1"},
    _JSON | {"Origin": "http://127.0.0.1:9"},
    _JSON | {"Origin": "file://"},
    _JSON | {"Sec-Fetch-Site": "cross-site"},
    _JSON | {"Sec-Fetch-Site": "same-site"},
    _JSON | {"Sec-Fetch-Site": "none"},
    _JSON | {"Sec-Fetch-Site": ""},
    {"Content-Type": "text/plain"},
    {"Content-Type": "application/x-www-form-urlencoded"},
    {"Content-Type": "multipart/form-data"},
    {"Content-Type": "text/plain; application/json"},
    {},
    _JSON | {"Host": "evil.example"},
    _JSON | {"Host": "evil.example", "Origin": "http://evil.example"},
    _JSON | {"Host": "127.0.0.1.evil.example", "Sec-Fetch-Site": "same-origin"},
    _JSON | {"Host": "[::1"},
]
UNREADABLE = ("http://127.0.0.1:99999", "http://[::1", "http://127.0.0.1:port")
REBOUND = (
    "evil.example",
    "evil.example:8188",
    "localhost.evil.example",
    "127.0.0.1.nip.io",
    "x@evil",
    "",
)
_READ = (
    "/personalq/cards",
    "/personalq/settings",
    "/personalq/card?line=bear",
)


def _sent(
    host: Any, method: str, path: str, body: bytes | None, headers: dict[str, str]
) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(urlsplit(host.url).netloc, timeout=60)
    try:
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_strangers_change_and_read_nothing(host: Any) -> None:
    attack = Attack("19 header sets and DNS rebinding", most_seconds=10, clock=time.monotonic)
    assert len(STRANGERS) == 19
    before = _sent(host, "GET", "/personalq/settings", None, {})[1]
    for number, headers in enumerate(STRANGERS):
        for path in _CHANGES:
            with attack.case(number):
                status, _ = _sent(host, "POST", path, b'{"history": false}', headers)
                assert 400 <= status < 500, (headers, status)
    for number, named in enumerate(REBOUND, len(STRANGERS)):
        for path in _READ:
            with attack.case(number):
                status, said = _sent(host, "GET", path, None, {"Host": named})
                assert status in (400, 403), (named, path, status)
                assert b"bear" not in said
    assert _sent(host, "GET", "/personalq/settings", None, {})[1] == before
    attack.finish()


def test_what_the_host_stumbles_over_reaches_none_of_our_doors(host: Any) -> None:
    """Its own check of every address reads these origins first, and raises (server.py,
    origin_only_middleware): its answer there is the same.
    """
    attack = Attack("origins that ComfyUI's own check cannot read", most_seconds=10)
    before = _sent(host, "GET", "/personalq/settings", None, {})[1]
    for number, origin in enumerate(UNREADABLE):
        headers = _JSON | {"Origin": origin}
        for path in _CHANGES:
            with attack.case(number):
                ours = _sent(host, "POST", path, b'{"history": false}', headers)
                theirs = _sent(host, "POST", "/queue", b"{}", headers)
                assert ours == theirs, "the host answers, before us"
                assert ours[0] >= 400
                said = refusal(headers | {"Host": "127.0.0.1:8188", "Content-Length": "2"})
                assert said == (403, "Only a page of this server may change this.")
    assert _sent(host, "GET", "/personalq/settings", None, {})[1] == before
    attack.finish()


def _body(chance: random.Random) -> bytes:
    values: list[Any] = [
        None,
        True,
        -1,
        1e308,
        10**30,
        "",
        "x" * 5000,
        "\ud800",
        "\0",
        [],
        {},
        [[[]]],
        {"a": {}},
        "bear",
        "../../etc/passwd",
        "²",
    ]
    keys = (
        "request repository base_model chosen answers connected whole_prompt when_unsure name "
        "models "
        "favourite triggers description previews created_at prefer history reasoner questions "
        "picture "
        "prompt replace before names add remove language"
    ).split()
    if chance.random() < 0.2:
        return chance.choice(
            [b"", b"{", b"[" * 60_000, b"\xff", b"null", b"[]", b'{"a":1e999}', b"9" * 9000]
        )
    said = {chance.choice(keys): chance.choice(values) for _ in range(chance.randint(0, 5))}
    return json.dumps(said).encode()


def test_bodies_are_answered_with_a_sentence(host: Any) -> None:
    attack = Attack("bodies", most_seconds=10, clock=time.monotonic)
    card = "/personalq/cards/%s"
    paths = (
        "/personalq/preview",
        "/personalq/recipes",
        "/personalq/language",
        card % "x",
        card % "x/names",
        card % "x/favourite",
        card % "x/words",
        card % "x/preview",
        card % "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/personalq/cards?until=9999-12-31",
        "/personalq/cards?offset=%C2%B2",
        "/personalq/cards?text=%00",
        "/personalq/thumbnails/..%2f..%2fetc",
        "/personalq/card?line=%00",
    )
    for number in attack.numbers(BODIES):
        chance = attack.random(number)
        path = chance.choice(paths)
        method = "GET" if "?" in path or "thumbnails" in path else "POST"
        with attack.case(number):
            body = _body(chance) if method == "POST" else None
            status, said = _sent(host, method, path, body, _JSON if body is not None else {})
            assert status < 500, (path, status, said[:200])
            assert b"Traceback" not in said
            assert str(host.base_directory).encode() not in said, "an absolute path"
    attack.finish()


def _all(works: Iterable[Any]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_two_hundred_ask_at_once(host: Any) -> None:
    attack = Attack("200 requests at once", most_seconds=60, clock=time.monotonic)
    answers: list[int] = []

    def ask() -> None:
        answers.append(_sent(host, "GET", "/personalq/cards?text=bear", None, {})[0])

    with attack.case(0, of=AT_ONCE):
        _all(ask for _ in range(AT_ONCE))
        assert answers == [200] * AT_ONCE
    attack.finish()


def test_no_answer_is_another_clients(host: Any) -> None:
    attack = Attack("8 clients x 6 requests", most_seconds=60, clock=time.monotonic)
    asked = (
        "bear realistic v3 on grass",
        "bear cartoon v1 on grass",
        "my latest heart bag",
        "bear realistic v2 in snow",
        "bear realistic v1 at the beach",
        "the newest dog",
    )

    def preview(request: str) -> Any:
        body = json.dumps({"request": request}).encode()
        status, said = _sent(host, "POST", "/personalq/preview", body, _JSON)
        assert status == 200, said
        answer = json.loads(said)
        return {key: value for key, value in answer.items() if key in ("outcome", "prompt", "card")}

    alone = {request: preview(request) for request in asked}
    found: list[tuple[str, Any]] = []

    def client(number: int) -> None:
        order = list(asked)
        random.Random(number).shuffle(order)
        found.extend((request, preview(request)) for request in order)

    with attack.case(0, of=CLIENTS * REQUESTS):
        _all(lambda number=number: client(number) for number in range(CLIENTS))
        assert len(found) == CLIENTS * REQUESTS
        assert all(alone[request] == answer for request, answer in found)
    attack.finish()


def test_the_node_stays_whatever_lies_in_the_folders(host: Any) -> None:
    attack = Attack(
        "Repo Check-in in /object_info with broken folders", most_seconds=60, clock=time.monotonic
    )
    folder = host.models / "loras"
    link, strange = folder / "loop", os.fsencode(folder) + b"/\xff.safetensors"
    try:
        link.symlink_to(link)
        os.close(os.open(strange, os.O_CREAT))
        with attack.case(0):
            status, said = _sent(host, "GET", "/object_info", None, {})
            assert status == 200
            assert b"PersonalQCheckIn" in said
            status, said = _sent(host, "POST", "/personalq/rescan", b"{}", _JSON)
            assert b"its name is not UTF-8" in said
    finally:
        link.unlink()
        os.unlink(strange)
    attack.finish()
