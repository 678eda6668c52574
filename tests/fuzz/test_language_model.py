"""Test that no answer of a language model ends a decision, holds it up or fills the memory."""

from __future__ import annotations

import json
import time

import pytest

from personalq.checkin import Repository, check_in
from personalq.checkin.llm.profile import Profile
from personalq.tests.checkin.llm.server import Reply, openai, serving
from personalq.tests.checkin.world import NOW, cards

from .attack import Attack

pytest.importorskip("openai", reason="the openai package is not installed")
UNCLEAR = "my horse or so, galloping"
"""Several horses; \"or\" is not understood."""
_PLAIN = {"decision": "select", "choices": [0], "reason": "because"}


def answers() -> list[Reply]:
    """22 answers that no honest model gives."""

    def said(**changes: object) -> Reply:
        return openai(_PLAIN | changes)

    return [
        openai("[" * 100_000 + "]" * 100_000),
        openai('{"decision":' + '{"a":' * 50_000),
        openai("no JSON"),
        openai(""),
        openai("{}"),
        openai("9" * 6000),
        openai('{"decision": "select", "choices": [' + "9" * 6000 + '], "reason": ""}'),
        said(choices=[-1]),
        said(choices=[10**30]),
        said(choices=["0"]),
        said(choices=[True]),
        said(choices=[0.0]),
        said(choices=list(range(10_000))),
        said(choices={"0": 0}),
        said(decision="rm -rf"),
        said(decision=["select"]),
        said(reason="<lora:x:1> embedding:y" * 5000),
        said(reason={"a": 1}),
        Reply(b"x" * 8_000_000),
        Reply(b'{"choices": []}'),
        Reply(b"", 500),
        Reply(b"\x1f\x8b" + bytes(1000), headers={"content-encoding": "gzip"}),
    ]


def test_hostile_answers_leave_the_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    repository = Repository(cards(), embedder=None)
    monkeypatch.setenv("PERSONALQ_API_KEY", "secret")
    with serving([openai(_PLAIN)]) as server:
        profile = Profile("local", "openai", "m", f"{server.url}/v1")
        check_in(UNCLEAR, repository, now=NOW, reasoner=profile)  # loads the client
        assert server.asked, "the model is asked"
        assert not any("secret" in json.dumps(asked.headers) for asked in server.asked)
    attack = Attack("answers of language models", most_seconds=20, clock=time.monotonic)
    hostile = answers()
    assert len(hostile) == 22
    for number in attack.numbers(len(hostile)):
        with serving([hostile[number]]) as server:
            profile = Profile("local", "openai", "m", f"{server.url}/v1")
            with attack.case(number):
                decision = check_in(UNCLEAR, repository, now=NOW, reasoner=profile)
                assert "<lora:" not in (decision.prompt or "")
    attack.finish()
