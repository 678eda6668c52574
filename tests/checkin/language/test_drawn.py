"""Test which words of a request are drawn, and which only chose the model."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from personalq.checkin import Card, Decision, Repository, check_in, rewrite
from personalq.checkin.catalog.reference import Reference
from personalq.checkin.catalog.vocabulary import vocabulary_of
from personalq.checkin.language.drawn import drawn
from personalq.checkin.language.lora_tags import lora_tags
from personalq.checkin.language.parse import parse

NOW = datetime(2025, 5, 15, 12, 0, tzinfo=timezone(timedelta(hours=2)))


def _card(name: str, trigger: str | None, base: str, **fields) -> Card:
    triggers = (trigger, *fields.pop("aliases", ())) if trigger else ()
    made = NOW - timedelta(days=30)
    path = f"loras/{name}.safetensors"
    return Card(
        name, path, "lora", triggers, base_model=base, created_at=made, origin="trained", **fields
    )


CARDS = {
    "bear": _card(
        "bear_v4",
        "<bear-v4>",
        "sd15",
        aliases=("brwnbear", "wet fur"),
        subjects=("bear",),
        styles=("realistic",),
    ),
    "toon": _card("toonbear", "<toon-bear>", "sd15", subjects=("bear",), styles=("cartoon",)),
    "moss": _card("moss_xl_v2", "mosdog", "sdxl", subjects=("dog",)),
    "nelson": _card("nelson_xl_v3", "nlsncat", "sdxl"),
    "village": _card("village_xl", None, "sdxl", subjects=("village",)),
    "mini": _card("redmini_flux_v2", "rdmini", "flux1", subjects=("car",)),
    "ink": _card("inkwash_xl", "nkwsh style", "sdxl", styles=("ink wash",)),
}
REPOSITORY = Repository(tuple(CARDS.values()), version="drawn", embedder=None)
SEVERAL = "my latest bear from last month in a red car, my own ink wash style, please"
_FILE = Path(__file__).with_name("drawn_requests.txt")
REQUESTS = [
    [part.strip().replace("\\n", "\n") for part in line.split(" | ")]
    for line in _FILE.read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


def decide(request: str, model: str, **options) -> Decision:
    return check_in(request, REPOSITORY, now=NOW, chosen=Reference.of(CARDS[model]), **options)


@pytest.mark.parametrize(("model", "request_", "expected"), REQUESTS)
def test_drawn(model, request_, expected):
    assert decide(request_, model).prompt == expected


@pytest.mark.parametrize(("model", "request_"), [row[:2] for row in REQUESTS])
def test_the_prompt_and_what_is_left_out_are_in_the_pieces(model, request_):
    decision = decide(request_, model)
    kept = "".join(piece.text for piece in decision.pieces if not piece.left_out)
    assert kept == decision.prompt
    untagged = lora_tags(request_)[1]
    assert all(piece.text in untagged for piece in decision.pieces if piece.left_out)


@pytest.mark.parametrize(("model", "request_"), [row[:2] for row in REQUESTS[::9]])
def test_the_whole_request_is_kept_where_it_is_asked_for(model, request_):
    decision = decide(request_, model, whole_prompt=True)
    assert not any(piece.left_out for piece in decision.pieces)
    assert decision.prompt == rewrite(request_, CARDS[model]).text


def test_a_request_of_several_models_keeps_the_words_for_each():
    cards = [CARDS["bear"], CARDS["mini"], CARDS["ink"]]
    intent = parse(SEVERAL, vocabulary_of(REPOSITORY.version, REPOSITORY.catalogue), NOW)
    found = drawn(SEVERAL, intent, cards)
    for card in cards:
        others = [one.trigger for one in cards if one is not card]
        found = found.after(rewrite(found.text, card, others))
    assert found.text == "nkwsh style <bear-v4> in a red rdmini, ink wash style"


def test_nothing_but_choosing_words_without_a_trigger_leaves_the_subject():
    assert decide("my latest model from last winter, please", "village").prompt == "village"


def test_a_long_document_is_drawn_whole():
    text = "my latest bear. " * 300
    assert not any(piece.left_out for piece in decide(text, "bear").pieces)


@pytest.mark.parametrize(
    "behind",
    [
        "\n\nNegative prompt: blurry, a dog\nSteps: 20, Sampler: Euler a, CFG scale: 7",
        "\nSteps: 20, Sampler: Euler a, Size: 512x512",
        ". Negative: a dog, a cat",
    ],
)
def test_what_stands_behind_a_prompt_is_neither_read_nor_drawn(behind):
    decision = decide(f"my bear on grass{behind}", "bear")
    assert (decision.prompt or "").rstrip(".") == "<bear-v4> on grass"
    assert any("Only the prompt" in notice for notice in decision.notices)
    assert check_in(f"my bear on grass{behind}", REPOSITORY, now=NOW).intent.others == ()


@pytest.mark.parametrize("settings", ["--ar 16:9 --v 6", "--no text, frames", "--style raw"])
def test_settings_of_another_generator_are_neither_read_nor_drawn(settings):
    decision = decide(f"my bear on grass {settings}", "bear")
    assert decision.prompt == "<bear-v4> on grass"
    assert any("Only the prompt" in notice for notice in decision.notices)


@pytest.mark.parametrize("blanks", ["  ", "\t", "\u00a0 ", "\u3000"])
def test_blanks_between_words_are_one(blanks):
    request_ = " my  latest bear v4  on grass,  at night \n".replace("  ", blanks)
    decision = decide(request_, "bear")
    assert decision.prompt == "<bear-v4> on grass, at night"
    assert decision.request == request_


def test_a_photo_negative_is_drawn():
    decision = decide("my bear, a photo negative: dark", "bear")
    assert decision.prompt == "<bear-v4> , a photo negative: dark"
    assert decision.notices == ()
