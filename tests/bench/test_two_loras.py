"""Test the measurement of two LoRAs on one quantized model, in a real ComfyUI."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest
from PIL import Image

from personalq.bench.two_loras import command
from personalq.bench.two_loras.graph import picture_graph
from personalq.bench.two_loras.pairs import newest_loras, pairs, shows_both
from personalq.checkin.catalog.pinned import PinnedModels
from personalq.demo.request_graph import CHECK_IN, TAQ

SEEN = 1
"""A seed whose first pair the judge sees both subjects of, with 8 steps."""


def test_the_loras_take_turns_in_pairs_of_two_subjects() -> None:
    asked = pairs(32, seed=0)
    assert len({pair.name for pair in asked}) == 32
    used = [model for pair in asked for model in pair.models]
    assert set(used) == set(newest_loras())
    assert max(map(used.count, used)) - min(map(used.count, used)) <= 2
    for pair in asked:
        assert pair.models[0].lineage != pair.models[1].lineage
        left, _, right = pair.request.partition(" and ")
        assert pair.models[0].trigger in left
        assert pair.models[1].trigger in right


def test_more_pairs_than_there_are_is_said() -> None:
    with pytest.raises(ValueError, match="ask for fewer"):
        pairs(1000, seed=0)


def test_both_subjects_must_be_seen_each_in_its_half() -> None:
    (pair,) = pairs(1, seed=0)
    first, second = (model.identity for model in pair.models)
    assert shows_both(pair, [first, second], any_order=False)
    assert not shows_both(pair, [second, first], any_order=False)
    assert shows_both(pair, [second, first], any_order=True)
    assert not shows_both(pair, [first, first], any_order=True)


@pytest.mark.parametrize("way", ["places", "whole"])
def test_a_graph_has_check_in_with_both_loras_before_the_quantization(way) -> None:
    (pair,) = pairs(1, seed=0)
    graph = picture_graph(pair, way, "W4A8", 8)
    assert graph["sample"]["inputs"]["model"] == [TAQ, 0]
    assert graph["sample"]["inputs"]["positive"] == [CHECK_IN, 3]
    given = graph[CHECK_IN]["inputs"]
    assert given["each_in_its_place"] is (way == "places")
    assert given["request"] == pair.request
    chosen = PinnedModels.from_text(given["chosen"])
    assert [one.reference.trigger for one in chosen.models] == [one.trigger for one in pair.models]


def test_both_subjects_are_drawn_and_judged_and_not_twice(
    comfyui: Path, demo_repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    given = ["--comfyui", comfyui, "--demo", demo_repository, "--out", tmp_path]
    options = parser.parse_args(
        [*map(str, given), "--ways", "places", "--pictures", "1", "--seed", f"{SEEN}"]
    )
    result = command.measure(options)
    assert [row["bits"] for row in result["rows"]] == ["full precision", "W8A8", "W4A8"]
    wanted = [model.identity for model in pairs(1, seed=SEEN)[0].models]
    for row in result["rows"]:
        assert row["seen"][0]["halves"] == wanted
        assert row["both"] == 1
    files = sorted(tmp_path.rglob("*.png"))
    assert len(files) == 3
    assert len({file.read_bytes() for file in files}) == 3  # each precision draws its own

    monkeypatch.setattr(command, "_host", lambda *_: pytest.fail("it was measured already"))
    again = command.measure(options)
    assert again == result
    command.keep(again, tmp_path, tmp_path)
    assert json.loads((tmp_path / "two_loras.json").read_text("utf-8"))["rows"]
    assert "1 of 1" in (tmp_path / "two_loras.md").read_text("utf-8")
    with Image.open(tmp_path / "two_loras.webp") as sheet:
        assert sheet.size == (256, 3 * 128)
