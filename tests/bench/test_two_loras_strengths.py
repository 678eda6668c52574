"""Test the measurement of the strengths of two LoRAs on one picture, in a real ComfyUI."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from personalq.bench import kept_results
from personalq.bench.two_loras import command, strengths
from personalq.bench.two_loras.graph import whole_graph
from personalq.bench.two_loras.pairs import newest_loras
from personalq.bench.two_loras.strengths import asked, counted
from personalq.checkin import Card
from personalq.checkin.catalog.pinned import PinnedModels
from personalq.checkin.decision.serving import strengths as rule
from personalq.demo.request_graph import CHECK_IN


def test_each_subject_is_asked_in_the_style_in_the_words_of_captions() -> None:
    pictures = asked(20, seed=0)
    assert {one.subject for one in pictures} == set(newest_loras())
    for one in pictures:
        assert one.request.startswith(f"{strengths.style().trigger} ")
        assert one.request.count(one.subject.trigger) == 1
    assert len({one.seed for one in pictures}) == 20


def test_a_graph_has_both_loras_on_the_whole_picture_at_its_strength() -> None:
    (one,) = asked(1, seed=0)
    graph = whole_graph((one.subject, strengths.style()), one.request, (0.7, 1.0), one.seed, 8)
    assert graph["sample"]["inputs"]["model"] == [CHECK_IN, 0]
    given = graph[CHECK_IN]["inputs"]
    assert given["each_in_its_place"] is False
    chosen = PinnedModels.from_text(given["chosen"])
    assert [one.strength for one in chosen.models] == [0.7, 1.0]


def test_the_rule_of_check_in_is_among_the_strengths() -> None:
    cards = [Card(name, path=f"/{name}.safetensors", kind="lora") for name in ("bear", "ink")]
    assert strengths.STRENGTHS[rule.strengths(cards)] == "n^-0.25: Repo Check-in's"


def test_a_picture_counts_for_its_own_subject_alone() -> None:
    pictures = asked(3, seed=0)
    first, second, _ = (one.subject.identity for one in pictures)
    assert counted(pictures, [first, "blueprint", second]) == {"of": 3, "subject": 1, "style": 1}


def test_pictures_are_drawn_at_each_strength_and_the_table_is_kept(
    comfyui: Path, demo_repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strengths, "STRENGTHS", {(0.5, 0.5): "1/n", (1.0, 0.0): "alone"})
    monkeypatch.setattr(kept_results, "RESULTS", tmp_path)
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    given = ["--comfyui", comfyui, "--demo", demo_repository, "--out", tmp_path, "--steps", 2]
    options = parser.parse_args([*map(str, given), "--strengths", "--pictures", "1", "--keep"])
    result, text = command.run(options)
    assert [row["strengths"] for row in result["rows"]] == [(0.5, 0.5), (1.0, 0.0), None]
    files = sorted(tmp_path.rglob("*.png"))
    assert len({file.read_bytes() for file in files}) == 2  # each strength draws its own
    assert result["rows"][-1]["seen"] == ["blueprint"]  # of a render of both
    assert "| 0.5 | 0.5 | 1/n |" in text
    assert text in (tmp_path / f"{strengths.NAME}.md").read_text("utf-8")

    monkeypatch.setattr(command, "_host", lambda *_: pytest.fail("it was measured already"))
    assert command.run(options)[0] == result
