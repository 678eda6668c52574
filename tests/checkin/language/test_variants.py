"""Test that the request chooses among a card's triggers: outfits, looks, groups of words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from personalq.checkin import Card, Repository, check_in, rewrite
from personalq.checkin.language.variants import finished, triggers_in, variant_of
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.world import NOW

ANNA = Card("anna", triggers=("anna", "anna red dress", "anna armor", "green eyes"))
OUTFITS = Card("anna", triggers=("anna casual", "anna formal suit"), names=("anna",))
DOG = Card("dog", triggers=("sks dog", "sks dog winter coat", "ohwx dog"), subjects=("dog",))
BEAR = Card("bear", triggers=("bear_v2", "bear_v2 style"), subjects=("bear",))
GROUPS = (
    "anna, red dress, high heels, smile",
    "anna, blue coat, winter hat, standing",
    "annaX, black armor, silver sword",
)
GROUPED = Card(
    "anna",
    triggers=tuple(dict.fromkeys(one for group in GROUPS for one in group.split(", "))),
    variants=GROUPS,
)


def prompt(text: str, card: Card) -> str:
    used = variant_of(card, text)
    return finished(rewrite(text, used.card).text, used).text


@pytest.mark.parametrize(
    ("card", "text", "expected"),
    [
        (ANNA, "anna on a beach", "anna on a beach"),
        (ANNA, "anna in a red dress on a beach", "anna red dress on a beach"),
        (ANNA, "anna wearing her red dress", "anna red dress"),
        (ANNA, "red dress anna, at night", "anna red dress, at night"),
        (ANNA, "a red dress and anna", "a red dress and anna red dress"),
        (ANNA, "anna red dress on a beach", "anna red dress on a beach"),
        (ANNA, "Anna in armor", "anna armor"),
        (ANNA, "anna in a dress", "anna in a dress"),
        (ANNA, "anna without a red dress", "anna without a red dress"),
        (ANNA, "anna with green eyes", "anna with green eyes"),
        (OUTFITS, "anna at home", "anna casual at home"),
        (OUTFITS, "anna in a formal suit", "anna formal suit"),
        (DOG, "a dog on a sofa", "a sks dog on a sofa"),
        (DOG, "a dog in a winter coat", "a sks dog winter coat"),
        (DOG, "an ohwx dog", "an sks dog"),
        (BEAR, "a bear in a tree", "a bear_v2 in a tree"),
        (BEAR, "a fox in bear style", "a fox in bear_v2 style"),
    ],
)
def test_the_trigger_whose_words_the_request_says(card, text, expected):
    once = prompt(text, card)
    assert once == expected
    assert prompt(once, card) == expected, "a prompt with it stays as it is"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("anna on a beach", "anna on a beach"),
        ("anna in a red dress", "anna in a red dress, high heels, smile"),
        ("anna in a red dress, high heels.", "anna in a red dress, high heels, smile"),
        ("anna in a blue coat and a winter hat", "anna in a blue coat and a winter hat, standing"),
        ("anna, standing on a beach", "anna, standing on a beach"),
        ("anna with high heels and a smile", "anna with high heels and a smile, red dress"),
        ("a photo of black armor", "annaX a photo of black armor, silver sword"),
        ("anna in a red dress and a blue coat", "anna in a red dress and a blue coat"),
        ("anna, no red dress", "anna, no red dress"),
    ],
)
def test_the_group_of_words_goes_beside_the_trigger(text, expected):
    assert prompt(text, GROUPED) == expected


def test_all_triggers_in_the_prompt_are_told():
    assert triggers_in("anna in a red dress, high heels, 1girl", GROUPED) == [
        "high heels",
        "red dress",
        "anna",
    ]


@pytest.mark.parametrize(
    ("ending", "content"),
    [
        (".civitai.info", {"trainedWords": list(GROUPS)}),
        (".metadata.json", {"civitai": {"trainedWords": list(GROUPS)}}),
        (".cm-info.json", {"TrainedWords": list(GROUPS)}),
        (
            ".safetensors.rgthree-info.json",
            {"trainedWords": [{"word": one, "civitai": True} for one in GROUPS]},
        ),
        (".personalq.yaml", f"variants: {json.dumps(GROUPS)}\ntriggers: anna\n"),
    ],
)
def test_sidecars_hold_groups(tmp_path: Path, ending, content):
    make.beside(make.make_lora(tmp_path / "anna.safetensors"), ending, content)
    repository = Repository.open(tmp_path, embedder=None)
    assert repository.cards[0].variants == GROUPS
    assert repository.cards[0].trigger == "anna"


def test_the_words_of_a_persons_variants_are_triggers(tmp_path: Path):
    """As the example of docs/cards.md has it, which names them nowhere else."""
    variants = "variants:\n  - <bear-v4>, red scarf, winter hat\n  - <bear-v4>, blue coat\n"
    make.beside(
        make.make_lora(tmp_path / "bear.safetensors"),
        ".personalq.yaml",
        f"triggers: [<bear-v4>]\nsubjects: bear\n{variants}",
    )
    repository = Repository.open(tmp_path, embedder=None)
    words = ("<bear-v4>", "red scarf", "winter hat", "blue coat")
    assert repository.cards[0].triggers == words
    line = {"id": "bear", "triggers": "<bear-v4>", "variants": repository.cards[0].variants}
    (tmp_path / "cards.jsonl").write_text(json.dumps(line), encoding="utf-8")
    listed = Repository.open(cards=tmp_path / "cards.jsonl", embedder=None)
    assert listed.cards[0].triggers == words
    decision = check_in("a bear with a red scarf", repository, now=NOW)
    assert decision.prompt == "a <bear-v4> with a red scarf, winter hat"
    assert check_in("a bear", repository, now=NOW).prompt == "a <bear-v4>"


def test_one_list_of_words_is_no_group(tmp_path: Path):
    words = {"trainedWords": ["anna, red dress"]}
    make.beside(make.make_lora(tmp_path / "anna.safetensors"), ".civitai.info", words)
    assert Repository.open(tmp_path, embedder=None).cards[0].variants == ()


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("anna on a beach", "anna on a beach"),
        ("anna in a red dress on a beach", "anna in a red dress on a beach, high heels, smile"),
        ("Anna in einem roten Kleid", "anna in einem roten Kleid, red dress, high heels, smile"),
    ],
)
def test_a_request_gets_its_outfit(tmp_path: Path, request_text, expected):
    make.beside(
        make.make_lora(tmp_path / "anna.safetensors"),
        ".civitai.info",
        {"trainedWords": list(GROUPS)},
    )
    decision = check_in(request_text, Repository.open(tmp_path, embedder=None), now=NOW)
    assert decision.prompt == expected
    assert "".join(piece.text for piece in decision.pieces if not piece.left_out) == expected
