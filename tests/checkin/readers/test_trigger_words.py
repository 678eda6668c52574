"""Test triggers as people write them: with weights, escapes, or tags of other loaders.

The result is the plain triggers, each once.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personalq.checkin import Repository, check_in
from personalq.checkin.index.browse import Browser, Filters
from personalq.checkin.readers.modelspec import trigger_in
from personalq.checkin.readers.trigger_words import own_first, read_triggers
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.world import NOW

SIGNS = st.text(alphabet="ab1 ()[]{}<>\\:._,|+^0-'", max_size=24)


@pytest.mark.parametrize(
    ("said", "triggers"),
    [
        (
            r"saber_\(fate\), 1girl, blonde hair, (green eyes:1.2)",
            ("saber_(fate)", "1girl", "blonde hair", "green eyes"),
        ),
        ("saber_(fate)", ("saber_(fate)",)),
        (r"saber_\\(fate\\)", ("saber_(fate)",)),  # JSON in JSON
        (r"saber\_\(fate\)", ("saber_(fate)",)),  # Markdown
        (["saber (fate)", r"Saber_\(Fate\)"], ("saber (fate)",)),
        ("(saber_(fate):1.2)", ("saber_(fate)",)),
        ("((tag)), [tag2], {{tag3}}, tag4:0.8", ("tag", "tag2", "tag3", "tag4")),
        ("(green eyes, blonde hair:1.2)", ("green eyes", "blonde hair")),
        ("(foo, 2b_(nier:automata):1.2)", ("foo", "2b_(nier:automata)")),
        ("a photo of (green eyes:1.2) girl", ("a photo of green eyes girl",)),
        ("<lora:name:0.8> saber, <lora:name:0.8>", ("saber",)),
        ('"anna woman", \u201cohwx\u201d', ("anna woman", "ohwx")),
        ("Trigger word: anna woman, trigger: bob", ("anna woman", "bob")),
        ("- anna\n1. bob\n\u2022 '(eve:1.2)'", ("anna", "bob", "eve")),
        (":3, >:), ^_^, +_+, :(, (:", (":3", ">:)", "^_^", "+_+", ":(", "(:")),
        ("(:3:1.2), (o)_(o), \\m/", (":3", "(o)_(o)", "\\m/")),
        (
            "re:zero, c.c., artist:foo, <bear-v4>, élan",
            ("re:zero", "c.c.", "artist:foo", "<bear-v4>", "élan"),
        ),
    ],
)
def test_triggers_come_out_plain(said, triggers):
    assert read_triggers(said)[0] == triggers
    assert read_triggers(list(triggers)) == (triggers, ())


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("<lora:evil:1>", "load another model"),
        ("embedding:evil", "load an embedding"),
        ("(saber embedding:evil:1.2)", "load an embedding"),
        ("{a|b}", "alternatives"),
        ("[a|b]", "alternatives"),
        ("x" * 121, "more than 120 characters"),
        ("((((" * 200, "more than 120 characters"),
        ("...", "says nothing"),
    ],
)
def test_what_a_prompt_would_obey_is_refused_with_the_reason(said, why):
    kept, (refused,) = read_triggers(said)
    assert kept == ()
    assert why in refused.why


@pytest.mark.parametrize(
    "said",
    [
        *("none", "N/A", "No trigger words", "no trigger needed", "None needed", "no keyword"),
        *("(none)", "n/a.", "- None! -", "Not required", "no need for a trigger word", "TBA"),
    ],
)
def test_what_says_that_there_is_no_trigger_is_none(said):
    assert read_triggers([said, "bear"]) == (("bear",), ())


@settings(max_examples=300, deadline=None)
@given(SIGNS)
def test_reading_again_changes_nothing(text):
    kept, _ = read_triggers(text)
    assert read_triggers(list(kept)) == (kept, ())


def test_the_own_trigger_comes_before_tags_that_name_nothing():
    assert own_first(["1girl", "score_9", ":3", "saberdef", "blonde hair"])[:2] == (
        "saberdef",
        "blonde hair",
    )


def test_one_sign_of_chinese_is_a_word():
    assert own_first(["solo", "o_o", "熊", "x"])[0] == "熊"


def civitai(folder: Path, *words: str) -> Repository:
    make.beside(
        make.make_lora(folder / "hero.safetensors"),
        ".civitai.info",
        json.dumps({"trainedWords": [*words]}),
    )
    return Repository.open(folder, embedder=None)


def test_a_character_keeps_its_own_trigger(tmp_path: Path):
    card = civitai(tmp_path, r"1girl, saber_\(fate\), blonde hair, (green eyes:1.2)").cards[0]
    assert card.trigger == "saber_(fate)"
    assert "green eyes" in card.triggers


def test_the_decision_says_what_trigger_cannot_be_used(tmp_path: Path):
    decision = check_in("hero on grass", civitai(tmp_path, "hero", "embedding:evil"), now=NOW)
    assert decision.prompt == "hero on grass"
    said = "The trigger 'embedding:evil' cannot be used in a prompt: it would load an embedding."
    assert said in decision.notices


def test_the_decision_says_that_no_trigger_is_left(tmp_path: Path):
    decision = check_in("hero on grass", civitai(tmp_path, "<lora:hero:1>"), now=NOW)
    assert decision.prompt == "hero on grass"
    assert "hero has no other trigger." in " ".join(decision.notices)


def test_the_tag_of_a_loader_beside_a_trigger_is_not_spoken_of(tmp_path: Path):
    decision = check_in("hero on grass", civitai(tmp_path, "hero", "<lora:hero:0.8>"), now=NOW)
    assert decision.card.triggers == ("hero",)
    assert decision.notices == ()


def test_a_trigger_is_found_as_a_prompt_writes_it(tmp_path: Path):
    browser = Browser(civitai(tmp_path, r"saber_\(fate\)"))
    for text in (r"saber_\(fate\)", "saber_(fate)", "saber (fate)"):
        assert len(browser.find(Filters(text))) == 1


def test_a_line_of_a_cards_jsonl_says_it_too(tmp_path: Path):
    line = {"id": "hero", "triggers": [r"hero_\(fate\)", "{a|b}"], "subjects": ["hero"]}
    (tmp_path / "cards.jsonl").write_text(json.dumps(line))
    decision = check_in(
        "my hero", Repository.open(cards=tmp_path / "cards.jsonl", embedder=None), now=NOW
    )
    assert decision.prompt == r"hero_\(fate\)"
    assert any("'{a|b}' cannot be used" in notice for notice in decision.notices)


@pytest.mark.parametrize(
    ("note", "trigger"),
    [
        ("me. trigger dnl33ds man. 0.85", "dnl33ds man"),
        ("tasha from work  trigger: tashaw woman   z image, strength 0.9", "tashaw woman"),
        ("meine Schwester. trigger jnnpz frau", "jnnpz frau"),
        ("trigger jnpzt - das bin ich", "jnpzt"),
        ("Trigger word: sks dog.", "sks dog"),
        ("trigger words are not needed", None),
        ("use the trigger at 0.8", None),
        ("no trigger needed", None),
    ],
)
def test_what_a_note_calls_a_trigger(note: str, trigger: str | None) -> None:
    assert trigger_in(note) == trigger
