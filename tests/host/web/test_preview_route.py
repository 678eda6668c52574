"""Test what is decided while a request is typed."""

from __future__ import annotations

import pytest

from personalq.tests.checkin import make_files as make


def test_a_preview_is_what_a_run_would_say(ask):
    status, said, _ = ask("POST", "/personalq/preview", {"request": "bear realistic v3 on grass"})
    assert status == 200
    assert said["outcome"] == "select"
    assert said["card"]["name"] == "bear_realistic_v3"
    assert "<bear-v3>" in said["prompt"]
    assert said["models"][0]["image"]


def test_a_preview_asks_and_takes_answers(ask):
    body = {"request": "a bear on grass"}
    asked = ask("POST", "/personalq/preview", body)[1]
    assert asked["outcome"] == "clarify"
    label = asked["question"]["choices"][0]["label"]
    said = ask("POST", "/personalq/preview", body | {"answers": [label]})[1]
    assert said["answered"] == [label]
    assert said["question"] is None or said["question"]["text"] != asked["question"]["text"]
    best = ask("POST", "/personalq/preview", body | {"when_unsure": "best match"})[1]
    assert best["outcome"] == "select"


def test_a_preview_loads_nothing_and_remembers_nothing(ask, settings_file):
    ask("POST", "/personalq/preview", {"request": "bear realistic v3 on grass"})
    assert not settings_file.with_name("history.jsonl").exists()


def test_for_a_connected_model_no_checkpoint_is_chosen(ask):
    body = {"request": "bear realistic v3 on grass", "connected": "sub\\demo_base.safetensors"}
    said = ask("POST", "/personalq/preview", body)[1]
    assert said["card"]["kind"] == "lora"
    assert "for the connected" in " ".join([said["why"], *said["constraints"]])
    unknown = ask("POST", "/personalq/preview", body | {"connected": ""})[1]
    assert unknown["card"]["name"] == said["card"]["name"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"request": 3},
        {"request": "a bear", "answers": "realistic"},
        {"request": "a bear", "answers": [1]},
        {"request": "a bear", "base_model": "no such base"},
        {"request": "a bear", "whole_prompt": "yes"},
        {"request": "a bear", "connected": 1},
    ],
)
def test_a_body_of_another_form_is_refused_with_a_sentence(ask, body):
    status, answer, _ = ask("POST", "/personalq/preview", body)
    assert status == 400
    assert len(answer["error"]) > 10


def test_another_page_gets_no_preview(ask):
    headers = {"Content-Type": "application/json", "Origin": "http://elsewhere.example"}
    assert ask("POST", "/personalq/preview", {"request": "a bear"}, headers)[0] == 403


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"request": "  "}, "The request is empty"),
        ({"request": "a bear " * 1000}, "longer than 4,000 characters"),
        ({"request": "a bear", "chosen": "; strength: lots"}, "is no strength"),
    ],
)
def test_what_a_run_would_end_with_is_said(ask, body, sentence):
    status, answer, _ = ask("POST", "/personalq/preview", body)
    assert status == 200
    assert sentence in answer["error"]


@pytest.fixture
def said(ask):
    """What is decided now, after a preview a moment ago."""

    def preview(request, **more):
        return ask("POST", "/personalq/preview", {"request": request, **more})[1]

    return preview


@pytest.fixture
def newcomer(demo_repository):
    """Writes a model into the folder; it is gone at the end."""
    file = demo_repository / "loras" / "zorilla.safetensors"
    yield lambda: make.make_lora(file)
    file.unlink(missing_ok=True)


def test_a_model_of_the_last_scan_is_there(ask, said, newcomer):
    chosen = "zorilla"
    assert "is not here" in said("a zorilla", chosen=chosen)["why"]
    newcomer()
    ask("POST", "/personalq/rescan", {})
    assert said("a zorilla", chosen=chosen)["card"]["name"] == "zorilla"


def test_what_a_model_is_called_counts_at_once(ask, said, sidecar):
    assert said("gruffalump on grass")["card"] is None
    ask("POST", "/personalq/cards/bear-bear_realistic_v3/names", {"add": "gruffalump"})
    assert said("gruffalump on grass")["card"]["name"] == "bear_realistic_v3"


def test_a_setting_counts_at_once(ask, said, settings_file):
    assert said("bear realistic v3 on grass")["card"]["name"] == "bear_realistic_v3"
    ask("POST", "/personalq/settings", {"leave_out": ["loras/bear"]})
    card = said("bear realistic v3 on grass")["card"]
    assert card is None or card["name"] != "bear_realistic_v3"
