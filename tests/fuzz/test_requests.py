"""Test that no request, whatever it says, raises or takes more than a second."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from personalq.checkin import Repository, check_in
from personalq.checkin.lexicon.languages import examples
from personalq.checkin.readers.markup import text_of
from personalq.tests.checkin import make_files as make

from .attack import Attack

NOW = datetime(2026, 5, 1, tzinfo=UTC)
REQUESTS = 2000
_WORDS = (
    "my latest newest oldest bear dog cat realistic anime watercolor v2 v3 version 2 not without "
    "except before after between last week yesterday in april 2025 from the on grass and or with a "
    "red hat <bear-v1> bear_v1 epoch 10 sdxl flux the one i used , . ; : ' ( ) ? ! & + - / first "
    "second 3rd christmas older than newer most recent ago 3 weeks two months 99999999999 v1.2.3 "
    "lake jetty"
).split()
_HOSTILE = (
    "²",
    "①",
    "٣",
    "\ue000",
    "\ue100\ue001",
    "\ud800",
    "\0",
    "\u200b",
    "\u202e",
    "熊",
    "我的",
    "곰",
    "ß",
    "İ",
    "ﬁ",
    "v" + "1" * 5000,
    "a, " * 400,
    "1." * 1000,
    "." * 3000,
    ":" + "1" * 3000,
    " " * 3000,
    "<lora:x:1>",
    "embedding:x",
    "((((",
    "[[",
    "}{",
    "\\",
    "<" * 500,
    "999999999 weeks ago",
    "31 june",
    "february 30",
    "year 0",
    "in 99999",
    "v" + "9" * 30,
    "last " * 300,
    "not " * 300,
    "\n" * 500,
    "'" * 500,
    "bear " * 400,
    "my bear, " * 300,
    "between " * 200,
    "older than " * 200,
    "1/2/" * 400,
    "熊" * 2000,
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    for subject in ("bear", "dog", "cat"):
        for style in ("realistic", "anime", "watercolor"):
            for version in (1, 2, 3):
                model = make.make_lora(folder / f"{subject}_{style}_v{version}.safetensors")
                said = f"triggers: <{subject}-{style}-v{version}>\nsubjects: {subject}\n"
                said += f"styles: {style}\ncreated_at: 2025-0{version}-11"
                make.beside(model, ".personalq.yaml", said)
    make.make_lora(folder / "lake_jetty.safetensors")  # without a trigger
    return Repository.open(folder, embedder=None)


def request_of(chance: random.Random) -> str:
    """A request: plain words, words with something hostile among them, or one in any language."""
    kind = chance.random()
    words = chance.choices(_WORDS, k=chance.choice([1, 3, 6, 12, 40]))
    if kind < 0.3:
        words.insert(chance.randrange(len(words) + 1), chance.choice(_HOSTILE))
    elif kind < 0.45:
        words = chance.choices((*_WORDS, *_HOSTILE), k=chance.randint(1, 5))
    elif kind < 0.6:
        words = [chance.choice(chance.choice(_EXAMPLES)), *chance.choices(_HOSTILE, k=1)]
    elif kind < 0.65:
        words *= 100
    return chance.choice((" ", " ", "")).join(words)


_EXAMPLES = [
    [one["request"] for one in examples(code)]
    for code in ("en", "de", "es", "fr", "ja", "ko", "zh")
]


def test_requests_are_answered_within_a_second(repository: Repository) -> None:
    for one in ("my latest bear", "我的熊", "mein Bär", "mi oso", "mon ours", "私の熊", "내 곰"):
        check_in(one, repository, now=NOW)  # tables are loaded at first use
    attack = Attack("requests", most_seconds=1)
    for number in attack.numbers(REQUESTS):
        text = request_of(attack.random(number))
        if text.strip():
            with attack.case(number):
                decision = check_in(text, repository, now=NOW, each_in_its_place=True)
                assert len(decision.prompt or "") < 100_000  # every bear is its trigger
    attack.finish()


@settings(
    max_examples=60,
    deadline=1000,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(text=st.text(max_size=300))
def test_any_text_is_a_request(repository: Repository, text: str) -> None:
    if text.strip():
        decision = check_in(text, repository, now=NOW, each_in_its_place=True)
        assert decision.outcome in ("select", "clarify", "no_match")


@settings(max_examples=200, deadline=500, derandomize=True)
@given(
    text=st.lists(st.sampled_from(["<", "<a ", ">", "<!--", "&#", "9", "</p>", "x", "<script>"]))
)
def test_any_markup_has_a_text(text: list[str]) -> None:
    text_of("<p>" + "".join(text) * 50)
