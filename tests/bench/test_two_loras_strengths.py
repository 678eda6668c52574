"""Test the measurement of the strengths of two LoRAs on one picture, in a real ComfyUI."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from personalq.bench import kept_results
from personalq.bench.two_loras import command, strengths
from personalq.bench.two_loras.graph import whole_graph
from personalq.bench.two_loras.pairs import newest_loras
from personalq.bench.two_loras.strengths import STYLED, TWO, counted, mixes
from personalq.checkin import Card
from personalq.checkin.catalog.pinned import PinnedModels
from personalq.checkin.decision import strengths as rule
from personalq.demo.request_graph import CHECK_IN


def test_each_subject_is_asked_in_the_style_in_the_words_of_its_captions() -> None:
    asked = mixes(STYLED, 20, seed=0)
    assert {mix.models[0] for mix in asked} == set(newest_loras())
    for mix in asked:
        subject, style = mix.models
        assert mix.request.startswith(f"{style.trigger} ")
        assert mix.request.count(subject.trigger) == 1
    assert len({mix.seed for mix in asked}) == 20


def test_a_graph_has_both_loras_on_the_whole_picture_at_one_strength() -> None:
    (mix,) = mixes(STYLED, 1, seed=0)
    graph = whole_graph(mix.models, mix.request, 0.7, mix.seed, 8)
    assert graph["sample"]["inputs"]["model"] == [CHECK_IN, 0]
    given = graph[CHECK_IN]["inputs"]
    assert given["each_in_its_place"] is False
    chosen = PinnedModels.from_text(given["chosen"])
    assert [one.strength for one in chosen.models] == [0.7, 0.7]


def test_the_rule_of_check_in_is_among_the_strengths() -> None:
    cards = [Card(name, path=f"/{name}.safetensors", kind="lora") for name in ("bear", "ink")]
    for strength in rule.strengths(cards):
        assert strengths.STRENGTHS[strength] == "n^-0.25: Repo Check-in's"


def test_a_picture_of_two_subjects_counts_in_any_order() -> None:
    (mix,) = mixes(TWO, 1, seed=0)
    first, second = (model.identity for model in mix.models)
    seen = [[first, second], [second, first], [first, first], ["none", second], ["none", "none"]]
    assert counted([mix] * 5, seen) == {"of": 5, "neither": 1, "first": 1, "second": 1, "both": 2}


def test_pictures_are_drawn_at_each_strength_and_the_table_is_kept(
    comfyui: Path, demo_repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strengths, "STRENGTHS", {0.5: "1/n", 1.0: "own strength"})
    monkeypatch.setattr(kept_results, "RESULTS", tmp_path)
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    given = ["--comfyui", comfyui, "--demo", demo_repository, "--out", tmp_path, "--steps", 2]
    options = parser.parse_args([*map(str, given), "--strengths", "--pictures", "1", "--keep"])
    result, text = command.run(options)
    assert [(row["kind"], row["strength"]) for row in result["rows"]] == [
        *((STYLED, strength) for strength in (0.5, 1.0)),
        *((TWO, strength) for strength in (0.5, 1.0)),
        (STYLED, None),
    ]
    files = sorted(tmp_path.rglob("*.png"))
    assert len({file.read_bytes() for file in files}) == 4  # each strength draws its own
    assert result["rows"][-1]["seen"] == [["blueprint"]]  # of renders of both
    assert "| 0.5 | 1/n |" in text
    assert text in (tmp_path / f"{strengths.NAME}.md").read_text("utf-8")

    monkeypatch.setattr(command, "_host", lambda *_: pytest.fail("it was measured already"))
    assert command.run(options)[0] == result
