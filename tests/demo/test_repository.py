"""Test the demo repository: complete, the same on every run, and completed if half-written."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from personalq.checkin import Repository
from personalq.demo.catalogue import MODELS
from personalq.demo.repository import STAMP, make_demo


def _digests(folder: Path) -> dict[str, str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def test_a_second_call_writes_nothing(demo_repository: Path) -> None:
    again = make_demo(demo_repository)
    assert again.written == 0
    assert again.models == len(MODELS) >= 12
    assert not list(demo_repository.rglob("*.unfinished"))


def test_what_is_missing_is_written_again_with_the_same_bytes(demo_repository: Path) -> None:
    lora = demo_repository / "loras" / "cat" / "cat_cartoon.safetensors"
    picture, card = (
        lora.with_suffix(".png"),
        demo_repository / "loras" / "bear" / "bear_realistic_v1.personalq.yaml",
    )
    before = {path: path.read_bytes() for path in (lora, picture, card)}
    for path in before:
        path.unlink()
    assert make_demo(demo_repository).written == 3
    assert {path: path.read_bytes() for path in before} == before


def test_the_work_of_another_release_is_written_over_and_the_bytes_are_always_the_same(
    demo_repository: Path,
) -> None:
    before = _digests(demo_repository)
    (demo_repository / STAMP).write_text("another release", encoding="utf-8")
    (demo_repository / "loras" / "house" / "may" / "sketch.personalq.yaml").write_text(
        "id: wrong\n", encoding="utf-8"
    )
    assert make_demo(demo_repository).written >= 2 * len(MODELS)
    assert _digests(demo_repository) == before


def test_every_model_has_a_card_with_what_its_maker_knew(demo_repository: Path) -> None:
    cards = {
        card.path: card
        for card in Repository.open(demo_repository, cache=None, embedder=None).cards
    }
    by_end = {path.replace("\\", "/"): card for path, card in cards.items() if path}
    for model in MODELS:
        (card,) = (card for path, card in by_end.items() if path.endswith(model.path))
        assert card.triggers[0] == model.trigger, model.path
        assert card.base_model == "sd15", model.path
        assert card.kind == ("lora" if model.is_lora else "checkpoint"), model.path
        assert card.previews, model.path
        assert card.created_at == model.created_at, model.path


def test_several_lineages_formats_and_looks() -> None:
    assert len({model.lineage for model in MODELS}) >= 5
    assert {model.card for model in MODELS} == {
        "yaml",
        "kohya",
        "modelspec",
        "civitai",
        "lora-manager",
        "a1111",
    }
    assert {model.is_lora for model in MODELS} == {True, False}


def test_headers_are_readable_by_the_library(demo_repository: Path) -> None:
    from safetensors import safe_open

    with safe_open(demo_repository / "loras" / "cat" / "cat_cartoon.safetensors", "np") as file:
        assert json.loads(file.metadata()["ss_tag_frequency"])
        name = next(iter(file.keys()))
        assert file.get_tensor(name).dtype == "float16"
