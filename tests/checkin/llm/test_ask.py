"""Test the vendors' real clients on a local server: answers, and every kind of failure."""

from __future__ import annotations

import json
import logging
import time

import pytest

from personalq.checkin.llm import Deadline, NoAnswer, Profile, Prompt, ask
from personalq.checkin.llm.ask import INTERRUPTED
from personalq.checkin.llm.replies import MAX_TOKENS
from personalq.tests.checkin.llm import server
from personalq.tests.checkin.llm.server import Asked, Reply, serving, through

pytest.importorskip(
    "google.genai", reason="google-genai is not installed: python quickstart.py test installs it"
)
pytest.importorskip(
    "openai", reason="openai is not installed: python quickstart.py test installs it"
)

KEY = "sk-very-secret-1234567890"
SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
    "additionalProperties": False,
}
PROMPT = Prompt("You count.", "How many?")
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 16
PROTOCOLS = ("gemini", "openai")
SAYS = {"gemini": server.gemini, "openai": server.openai}


@pytest.fixture(autouse=True)
def key(monkeypatch):
    for name in (
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "GOOGLE_GEMINI_BASE_URL",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PERSONALQ_API_KEY_TEST", KEY)


def profile(protocol: str, url: str) -> Profile:
    return Profile(
        "test", protocol, "gemini-3.5-flash-lite", f"{url}/v1" if protocol == "openai" else url
    )


def asking(protocol: str, url: str, seconds: float = 30.0, prompt: Prompt = PROMPT) -> dict:
    return ask(profile(protocol, url), prompt, SCHEMA, Deadline(seconds), None)


def test_the_time_begins_with_the_first_question():
    deadline = Deadline(0.05)
    time.sleep(0.1)
    assert deadline.left() == pytest.approx(0.05)
    time.sleep(0.1)
    with pytest.raises(NoAnswer, match="within"):
        deadline.left()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_answer(protocol):
    with serving([SAYS[protocol]({"n": 3})]) as local:
        assert asking(protocol, local.url) == {"n": 3}
        [asked] = local.asked
    assert KEY not in asked.path
    assert KEY in asked.headers.get("x-goog-api-key", asked.headers.get("authorization", ""))


def test_gemini_is_held_to_the_schema_and_thinks_little():
    with serving([server.gemini({"n": 3})]) as local:
        asking("gemini", local.url)
        [asked] = local.asked
    config = asked.body["generationConfig"]
    assert config["responseJsonSchema"]["required"] == ["n"]
    assert config["thinkingConfig"] == {"thinking_level": "MINIMAL"}
    assert "temperature" not in config
    assert asked.path.endswith("gemini-3.5-flash-lite:generateContent")


def test_older_gemini_gets_a_thinking_budget():
    with serving([server.gemini({"n": 3})]) as local:
        old = Profile("paper", "gemini", "gemini-2.5-flash", local.url)
        ask(old, PROMPT, SCHEMA, Deadline(30), None)
        assert local.asked[0].body["generationConfig"]["thinkingConfig"] == {"thinking_budget": 0}


@pytest.mark.parametrize(
    ("model", "thinking"),
    [
        ("models/gemini-2.5-flash", {"thinking_budget": 0}),
        ("gemini-2.5-pro", {"thinking_budget": 128}),
        ("gemini-2.0-flash", None),
        ("gemini-3.1-pro-preview", {"thinking_level": "LOW"}),
        ("gemini-3.7-flash", {"thinking_level": "LOW"}),
        ("gemini-flash-lite-latest", {"thinking_level": "MINIMAL"}),
    ],
)
def test_each_gemini_thinks_as_little_as_it_can(model, thinking):
    with serving([server.gemini({"n": 3})]) as local:
        ask(Profile("paper", "gemini", model, local.url), PROMPT, SCHEMA, Deadline(30), None)
        assert local.asked[0].body["generationConfig"].get("thinkingConfig") == thinking


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_pictures_travel_along(protocol):
    with serving([SAYS[protocol]({"n": 1})]) as local:
        asking(protocol, local.url, prompt=Prompt("You look.", "What?", (PNG,)))
        sent = str(local.asked[0].body)
    assert "image/png" in sent
    assert "iVBORw0KGgo" in sent


@pytest.mark.parametrize("refused", [1, 2])
def test_a_server_that_knows_no_schema_is_asked_more_simply(refused):
    no = Reply(b'{"error": {"message": "Either json_schema or grammar"}}', 400)
    with serving([*[no] * refused, server.openai('Sure! {"n": 7} is my answer.')]) as local:
        assert asking("openai", local.url) == {"n": 7}
        forms = [asked.body.get("response_format", {}).get("type") for asked in local.asked]
    assert forms == ["json_schema", "json_object", None][: refused + 1]


def test_another_server_hears_nothing_of_the_users_organization(monkeypatch):
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "of-mine")
    with serving([server.openai({"n": 3})]) as local:
        asking("openai", local.url)
        assert "of-mine" not in local.asked[0].headers.values()


def test_a_model_of_openai_behind_another_address_is_limited_in_its_words():
    def gpt_5(asked: Asked) -> Reply:
        no = Reply(b'{"error": {"message": "max_tokens is not supported with this model"}}', 400)
        return no if "max_tokens" in asked.body else server.openai({"n": 7})

    with serving(gpt_5) as local:
        assert asking("openai", local.url) == {"n": 7}
        assert local.asked[-1].body["max_completion_tokens"] == MAX_TOKENS


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"n": 7}\n```',
        '{"n": 7}\n{"n": 7}',
        '{"n": 7}}',
        '{"n": 7}\n\nThat is {n} of the schema.',
    ],
)
def test_the_first_object_of_a_reply_is_its_answer(protocol, text):
    with serving([SAYS[protocol](text)]) as local:
        assert asking(protocol, local.url) == {"n": 7}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_model_has_room_to_think_before_it_answers(protocol):
    def thinks(asked: Asked) -> Reply:
        room = asked.body.get("max_tokens") or asked.body["generationConfig"]["maxOutputTokens"]
        cut_off = {"gemini": "MAX_TOKENS", "openai": "length"}[protocol]
        return SAYS[protocol]({"n": 7}) if room > 2000 + 100 else SAYS[protocol]("", cut_off)

    with serving(thinks) as local:
        assert asking(protocol, local.url) == {"n": 7}


@pytest.mark.parametrize(
    "content",
    [
        '<think>Is it {"n": 1}? No</think>\n{"n": 7}',
        [
            {"type": "thinking", "thinking": [{"type": "text", "text": 'Is it {"n": 1}? No'}]},
            {"type": "text", "text": '{"n": 7}'},
        ],
    ],
    ids=["in the text", "in parts"],
)
def test_thoughts_are_no_answer(content):
    choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": content}}
    reply = Reply(json.dumps({"choices": [choice]}).encode())
    with serving([reply]) as local:
        assert asking("openai", local.url) == {"n": 7}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("status", [429, 503, 529])
def test_a_busy_server_is_asked_again(protocol, status):
    with serving([Reply(status=status), SAYS[protocol]({"n": 2})]) as local:
        assert asking(protocol, local.url) == {"n": 2}
        assert len(local.asked) == 2


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_retries_end(protocol):
    with serving([Reply(status=503)]) as local:
        with pytest.raises(NoAnswer, match="status 503"):
            asking(protocol, local.url)
        assert len(local.asked) == 3


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_wait_longer_than_the_deadline_is_not_waited(protocol):
    with serving([Reply(status=429, headers={"retry-after": "600"})]) as local:
        start = time.monotonic()
        with pytest.raises(NoAnswer, match="status 429"):
            asking(protocol, local.url, seconds=60)  # in which a busy machine imports the client
        assert time.monotonic() - start < 30
        assert len(local.asked) == 1


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "reply", [Reply(wait=3), Reply(b'{"a": "' + b"x" * 400, drops=0.01)], ids=["silent", "drips"]
)
def test_the_deadline_holds(protocol, reply):
    with serving([reply]) as local:
        start = time.monotonic()
        with pytest.raises(NoAnswer):
            asking(protocol, local.url, seconds=0.5)
        assert time.monotonic() - start < 1.0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_dead_port(protocol):
    with serving([Reply()]) as local:
        url = local.url
    with pytest.raises(NoAnswer, match="cannot be reached"):
        asking(protocol, url, seconds=3)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_is_wrong_with_a_connection_is_said(protocol):
    with serving([Reply()]) as local:
        url = local.url.replace("http:", "https:")
        with pytest.raises(NoAnswer, match=r"cannot be reached \(\[SSL"):
            asking(protocol, url, seconds=5)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_proxy_is_asked_for_a_server_on_this_machine(protocol, monkeypatch):
    with serving([Reply(status=502)]) as proxy, serving([SAYS[protocol]({"n": 3})]) as local:
        through(proxy.url, monkeypatch)
        assert asking(protocol, local.url) == {"n": 3}
        assert not proxy.asked


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_proxy_that_a_client_cannot_use_is_said(protocol, monkeypatch):
    for name in ("all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "socks://127.0.0.1:9")
    with pytest.raises(NoAnswer, match=r"its client failed: .*proxy URL .*socks://127\.0\.0\.1:9"):
        asking(protocol, "https://llm.example")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_redirect_is_not_followed(protocol):
    with serving([SAYS[protocol]({"n": 9})]) as elsewhere:
        redirect = Reply(status=307, headers={"location": elsewhere.url})
        with serving([redirect]) as local, pytest.raises(NoAnswer):
            asking(protocol, local.url)
        assert not elsewhere.asked


@pytest.mark.parametrize(
    ("protocol", "reply", "said"),
    [
        ("gemini", server.gemini('{"n": ', "MAX_TOKENS"), "cut off"),
        ("gemini", server.gemini("no JSON at all"), "no JSON"),
        ("gemini", Reply(b'{"promptFeedback": {"blockReason": "SAFETY"}}'), "refused the request"),
        ("gemini", Reply(b'{"candidates": []}'), "empty"),
        ("gemini", Reply(b'{"candidates": [{"finishReason": "SAFETY"}]}'), r"empty \(safety\)"),
        ("gemini", Reply(b"<html>hello</html>"), "no valid reply|empty"),
        (
            "gemini",
            Reply(b'{"error": {"code": 400, "message": "API key not valid"}}', 400),
            "key was refused",
        ),
        ("openai", server.openai('{"n": ', "length"), "cut off"),
        ("openai", server.openai("no JSON at all"), "no JSON"),
        ("openai", server.openai("", "content_filter"), "refused the request"),
        ("openai", server.openai(""), "empty"),
        ("openai", Reply(b'{"choices": []}'), "empty"),
        ("openai", Reply(b"<html>hello</html>"), "no valid reply|empty"),
        ("openai", Reply(b'{"error": {"message": "bad key"}}', 401), "key was refused"),
        (
            "openai",
            Reply(b'{"error": {"message": "No such model."}}', 404),
            "404 and said: No such model$",
        ),
        ("openai", Reply(b"404 page not found", 404), "404 and said: 404 page not found$"),
        ("openai", Reply(b"<html>no</html>", 404), "refused with status 404$"),
        (
            "openai",
            Reply(b'{"error": {"message": "Not in\\nyour country"}}', 403),
            "Not in your country",
        ),
        (
            "openai",
            Reply(b'{"error": {"message": "It sees nothing"}}', 400),
            "400 and said: It sees",
        ),
        ("openai", Reply(b'{"error": "Unexpected endpoint"}'), "200 and said: Unexpected endpoint"),
        ("openai", Reply(b'{"error": {"message": "No credit", "code": 402}}'), "said: No credit"),
        ("openai", Reply(b"hello", headers={"content-type": "text/html"}), "no valid reply"),
        (
            "gemini",
            Reply(b'{"error": {"code": 400, "message": "Not here."}}', 400),
            "said: Not here$",
        ),
        ("gemini", Reply(b"<html>no</html>", 404), "refused with status 404$"),
        ("gemini", server.gemini({"m": 1}), "lacks n"),
        ("openai", server.openai([1, 2]), "no JSON"),
        ("openai", server.openai('<think>Is it {"n": 1}? No', "length"), r"empty \(cut off\)"),
    ],
)
def test_answers_that_are_none(protocol, reply, said):
    with serving([reply]) as local, pytest.raises(NoAnswer, match=said):
        asking(protocol, local.url)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("status", [400, 401, 403, 429, 500])
def test_the_key_is_in_no_log_and_no_error(protocol, status, caplog):
    caplog.set_level(logging.DEBUG)
    echo = Reply(
        f'{{"error": {{"code": {status}, "message": "key {KEY} is bad"}}}}'.encode(), status
    )
    with serving([echo]) as local, pytest.raises(NoAnswer) as caught:
        asking(protocol, local.url)
    assert KEY not in str(caught.value) + repr(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    assert KEY not in "".join(record.getMessage() for record in caplog.records)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_long_reason_is_cut_after_the_key_is_taken_out(protocol):
    message = "x" * 245 + KEY + "y" * 400
    body = json.dumps({"error": {"code": 404, "message": message}}).encode()
    with serving([Reply(body, 404)]) as local, pytest.raises(NoAnswer) as caught:
        asking(protocol, local.url)
    assert len(str(caught.value)) == 300
    assert KEY[:4] not in str(caught.value)


def test_an_interrupted_run_waits_for_no_answer():
    class Interrupted(Exception):
        pass

    def stop() -> None:
        raise Interrupted

    before = INTERRUPTED.set(stop)
    try:
        with serving([Reply(wait=5)]) as local, pytest.raises(Interrupted):
            asking("openai", local.url)
    finally:
        INTERRUPTED.reset(before)


def test_an_interrupted_run_does_not_wait_to_ask_again():
    class Interrupted(Exception):
        pass

    answered: list[float] = []

    def busy(asked: Asked) -> Reply:
        answered.append(time.monotonic())
        return Reply(b"{}", 503, {"retry-after": "4"})

    def stop() -> None:
        if answered and time.monotonic() - answered[0] > 0.3:
            raise Interrupted

    before = INTERRUPTED.set(stop)
    try:
        with serving(busy) as local, pytest.raises(Interrupted):
            asking("openai", local.url)
    finally:
        INTERRUPTED.reset(before)
    assert time.monotonic() - answered[0] < 3
