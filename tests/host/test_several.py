"""Test several models at once in a running ComfyUI: strengths, switches, sharing and history."""

from __future__ import annotations

import json

import pytest

from personalq.checkin.catalog.pinned import PinnedModels
from personalq.demo.host_process import failure
from personalq.tests.host.graphs import check_in, prompt_of, said

REQUEST = "the checker taxi in blueprint style"
PLAIN = "a taxi on a street"


def models(entry) -> list[tuple[str, bool, float]]:
    return [(one["name"], one["on"], one["strength"]) for one in said(entry)["models"]]


def run(host, request: str, chosen: str = ""):
    return host.prompt(check_in(request, chosen=chosen), "client")


def test_a_request_for_two_shows_both_with_what_can_be_changed(host):
    entry = run(host, REQUEST)
    taxi, style = said(entry)["models"]
    assert models(entry) == [("checker_taxi", True, 0.85), ("blueprint", True, 0.85)]
    assert taxi["triggers"] == [{"text": "<taxi>", "on": True}]
    assert style["triggers"] == [{"text": "blueprint style", "on": True}]
    assert taxi["words"] == ["checker", "taxi"]
    assert all(one["image"] for one in (taxi, style))
    assert said(entry)["marks"] == ["<taxi>", "blueprint style"]
    assert said(entry)["offers"] == []
    made = PinnedModels.from_text(said(entry)["made_with"])
    assert [(one.reference.name, one.strength) for one in made.models] == [
        ("checker_taxi", 0.85),
        ("blueprint", 0.85),
    ]


def test_a_swap_keeps_the_other_model(host):
    entry = run(host, "x", "bear_realistic_v4; strength: 0.5\nblueprint; strength: 0.6")
    bear, _ = said(entry)["models"]
    swap = next(one for one in bear["offers"] if one["name"] == "bear_realistic_v3")
    assert models(run(host, "x", swap["chosen"])) == [
        ("bear_realistic_v3", True, 0.85),
        ("blueprint", True, 0.6),
    ]


def test_a_model_that_is_off_is_neither_loaded_nor_in_the_prompt(host):
    entry = run(host, PLAIN, "checker_taxi\nblueprint; off")
    assert models(entry) == [("checker_taxi", True, 1.0), ("blueprint", False, 1.0)]
    assert "blueprint" not in prompt_of(entry)
    assert "<taxi>" in prompt_of(entry)
    alone = run(host, PLAIN, "checker_taxi; off")
    assert (said(alone)["outcome"], said(alone)["card"]["name"]) == ("select", "demo_base")
    assert prompt_of(alone) == PLAIN


def test_a_trigger_that_is_off_is_not_in_the_prompt(host):
    entry = run(host, PLAIN, "checker_taxi; triggers: off")
    assert prompt_of(entry) == PLAIN
    assert said(entry)["models"][0]["triggers"] == [{"text": "<taxi>", "on": False}]
    entry = run(host, PLAIN, "checker_taxi; triggers: <taxi>, night")
    assert prompt_of(entry) == "a <taxi> on a street, night"
    assert said(entry)["marks"] == ["<taxi>", "night"]


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        ("checker_taxi\nghost", "ghost is not here. Switch it off, or let the request decide."),
        ("dog_realistic\nanna", "dog_realistic and anna are whole checkpoints, and a picture has"),
    ],
)
def test_what_cannot_be_used_is_said_and_can_still_be_switched(host, chosen, why):
    entry = run(host, PLAIN, chosen)
    assert said(entry)["outcome"] == "no_match"
    assert said(entry)["why"].startswith(why)
    assert [one["name"] for one in said(entry)["models"]] == chosen.split("\n")
    assert why in failure(host.prompt(check_in(PLAIN, chosen=chosen)))


def test_a_line_that_cannot_be_read_ends_the_run_with_what_to_write(host):
    error = failure(host.prompt(check_in(PLAIN, chosen="checker_taxi; strong")))
    assert "Line 1 of `chosen`: 'strong' is not understood. Write a line for each" in error


def test_the_history_has_what_was_used(host):
    history = host.base_directory / "user" / "__personalq" / "history.jsonl"
    before = history.read_text().splitlines() if history.is_file() else []
    run(host, "a taxi, seen from above", "checker_taxi\nblueprint\nsteel_watch; off")
    added = [json.loads(line)["model"] for line in history.read_text().splitlines()[len(before) :]]
    assert len(added) == 2


def test_what_several_models_made_is_offered_as_a_whole(host):
    workflow = {
        "nodes": [
            {
                "id": 2,
                "type": "PersonalQCheckIn",
                "properties": {
                    "personalq_made_with": f"for: {PLAIN}\nchecker_taxi; strength: 0.7\nblueprint"
                },
            }
        ]
    }
    entry = host.prompt(check_in(PLAIN), "client", workflow=workflow)
    assert said(entry)["notices"][0] == "This workflow was made with checker_taxi, blueprint."
    (offer,) = [one for one in said(entry)["offers"] if one["reason"] == "made with it"]
    assert models(run(host, PLAIN, offer["chosen"])) == [
        ("checker_taxi", True, 0.7),
        ("blueprint", True, 0.85),
    ]
