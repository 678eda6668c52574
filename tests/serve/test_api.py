"""Test the HTTP interface on real files: who may ask, how it is watched, and the page."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra serve is not installed (docs/development.md)")
pytest.importorskip("sqlalchemy", reason="SQLAlchemy comes with ComfyUI")

from fastapi.testclient import TestClient

from personalq.serve.api import make_app
from personalq.serve.front import Front
from personalq.serve.job import Job
from personalq.serve.store import Store
from personalq.tests.serve.service import make_models, make_plan

HOME = "http://127.0.0.1:8190"
BEAR = {"request": "my cartoon bear on the beach", "seed": 1}


@pytest.fixture
def front(tmp_path: Path) -> Iterator[Front]:
    make_models(tmp_path / "models")
    plan = make_plan(tmp_path, most_waiting=2)
    store = Store(plan.database)
    yield Front(plan, store)
    store.close()


@pytest.fixture
def client(front: Front) -> TestClient:
    return TestClient(make_app(front), base_url=HOME)


def draw(front: Front, job: str, seen: threading.Event) -> None:
    """What a dispatcher does with a job; it ends once it was `seen`."""
    front.store.claim("me", 9, 60)
    front.store.begin(job, "me")
    front.store.progress(job, "me", 1, 2)
    assert seen.wait(60)
    front.store.progress(job, "me", 2, 2)
    front.store.finish(job, "image/png", b"picture")


def test_from_a_request_to_its_picture(
    front: Front, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, look, drawing = threading.Event(), front.job, []

    def looked(*asked: Any) -> Job:
        found = look(*asked)
        if found.state == "drawing":
            drawing.append(found)
        if len(drawing) == 2:  # the first look may be for the right to watch
            seen.set()
        return found

    job = client.post("/v1/requests", json=BEAR).json()["job"]
    early = client.get(f"/v1/jobs/{job['id']}/picture")
    assert early.status_code == 404
    assert int(early.headers["Retry-After"]) >= 1
    monkeypatch.setattr(front, "job", looked)
    painter = threading.Thread(target=draw, args=(front, job["id"], seen))
    painter.start()
    with client.stream("GET", f"/v1/jobs/{job['id']}/events") as events:
        assert events.headers["content-type"].startswith("text/event-stream")
        told = [json.loads(line[6:]) for line in events.iter_lines() if line.startswith("data: ")]
    painter.join()
    assert told[-1]["state"] == "done"
    assert {"drawing", "done"} <= {one["state"] for one in told}
    picture = client.get(told[-1]["picture"])
    assert (picture.content, picture.headers["content-type"]) == (b"picture", "image/png")


def test_busy_is_503_with_a_time_to_come_again(client: TestClient) -> None:
    for _ in range(2):
        assert client.post("/v1/requests", json=BEAR).status_code == 200
    busy = client.post("/v1/requests", json=BEAR)
    assert busy.status_code == 503
    assert int(busy.headers["Retry-After"]) >= 1
    assert "2 jobs wait" in busy.json()["detail"]


def test_a_token_is_asked_for_once_there_is_one(front: Front, client: TestClient) -> None:
    secret = front.tokens.make("anna")
    none = client.post("/v1/requests", json=BEAR)
    assert none.status_code == 401
    assert none.headers["WWW-Authenticate"] == "Bearer"
    mine = {"Authorization": f"Bearer {secret}"}
    job = client.post("/v1/requests", json=BEAR, headers=mine).json()["job"]["id"]
    other = {"Authorization": f"Bearer {front.tokens.make('bert')}"}
    for address in (f"/v1/jobs/{job}", f"/v1/jobs/{job}/events", f"/v1/jobs/{job}/picture"):
        assert client.get(address).status_code == 401
        assert client.get(address, headers=other).status_code == 404
    assert client.get(f"/v1/jobs/{job}", headers=mine).status_code == 200


def test_behind_a_proxy_with_a_name_of_its_own(front: Front, client: TestClient) -> None:
    named = {"Host": "studio.example"}
    assert client.get("/", headers=named).status_code == 403
    mine = named | {"Authorization": f"Bearer {front.tokens.make('anna')}"}
    assert client.get("/", headers=named).status_code == 200
    assert client.post("/v1/requests", json=BEAR, headers=named).status_code == 401
    assert client.post("/v1/requests", json=BEAR, headers=mine).status_code == 200


def test_behind_a_proxy_that_changes_the_host(front: Front, client: TestClient) -> None:
    page = {"Origin": "https://studio.example", "Authorization": f"Bearer {front.tokens.make('a')}"}
    ours, others = ({"Sec-Fetch-Site": site} for site in ("same-origin", "same-site"))
    assert client.post("/v1/requests", json=BEAR, headers=page | ours).status_code == 200
    assert client.post("/v1/requests", json=BEAR, headers=page | others).status_code == 403
    assert client.post("/v1/requests", json=BEAR, headers=page).status_code == 403


def test_without_a_token_nobody_else_may_ask(tmp_path: Path) -> None:
    make_models(tmp_path / "models")
    plan = make_plan(tmp_path, local=False)
    store = Store(plan.database)
    open_to_all = TestClient(make_app(Front(plan, store)), base_url="http://studio:8190")
    assert open_to_all.post("/v1/requests", json=BEAR).status_code == 401
    store.close()


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example:8190"},
        {"Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "null"},
        {"Origin": "http://evil.example", "Sec-Fetch-Site": "same-origin"},  # through a proxy
        {"Origin": "http://[::1"},
        {"Host": "[::1"},
    ],
)
def test_pages_of_others_are_refused(
    front: Front, client: TestClient, headers: dict[str, str]
) -> None:
    assert client.post("/v1/requests", json=BEAR, headers=headers).status_code == 403
    assert front.store.unfinished() == 0


def test_only_json_of_bounded_size_is_read(client: TestClient) -> None:
    plain = client.post(
        "/v1/requests", content=json.dumps(BEAR), headers={"Content-Type": "text/plain"}
    )
    assert plain.status_code == 422
    long = client.post("/v1/requests", json={"request": "a" * 70_000})
    assert long.status_code == 413
    assert client.post("/v1/requests", json={**BEAR, "chosen": "x"}).status_code == 422
    assert client.post("/v1/requests", json={**BEAR, "id": "../../etc"}).status_code == 422


@pytest.mark.parametrize(
    "body",
    [
        '{"request": "my bear", "seed": NaN}',
        '{"request": "my bear", "seed": 1e999}',
        '{"request": "my bear \\ud800", "id": "order-0001"}',
        '{"request": "my bear", "answers": ["\\ud800"]}',
        '{"request": "my bear", "\\ud800": "\\ud800"}',
        '{"request": ["\\ud800"]}',
    ],
)
def test_what_json_cannot_hold_is_refused(front: Front, client: TestClient, body: str) -> None:
    refused = client.post(
        "/v1/requests", content=body, headers={"Content-Type": "application/json"}
    )
    assert refused.status_code == 422
    assert refused.json()["detail"]
    assert front.store.unfinished() == 0


def test_sentences_are_in_the_language_of_who_asks(front: Front, client: TestClient) -> None:
    german = {"Accept-Language": "de-DE,de;q=0.9"}
    empty = client.post("/v1/requests", json={"request": " "}, headers=german)
    assert empty.json()["detail"] == "Sag in `request`, was du willst."
    job = client.post("/v1/requests", json=BEAR).json()["job"]["id"]
    front.store.fail(job, "5 painters ended while they drew this.")
    told = client.get(f"/v1/jobs/{job}", headers=german).json()["error"]
    assert told == "5 Worker sind ausgefallen, während sie dies zeichneten."
    gone = client.get(f"/v1/jobs/{job}/picture", headers=german)
    assert (gone.status_code, gone.json()["detail"]) == (410, told)


def test_the_page_and_the_description(client: TestClient) -> None:
    page = client.get("/", headers={"Accept-Language": "fr"})
    assert 'lang="fr"' in page.text
    assert "Que voulez-vous" in page.text
    assert "$" not in page.text
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    for name in ("page.js", "page.css"):
        assert client.get(f"/page/{name}").status_code == 200
    assert client.get("/page/index.html").status_code == 404
    described = client.get("/openapi.json").json()["paths"]
    assert set(described) == {
        "/v1/requests",
        "/v1/jobs/{job_id}",
        "/v1/jobs/{job_id}/events",
        "/v1/jobs/{job_id}/picture",
    }
    assert 'href="openapi.json"' in page.text
    assert {client.get(one).status_code for one in ("/docs", "/redoc")} == {404}, "foreign scripts"
    assert client.get("/healthz").json() == {"state": "up"}
