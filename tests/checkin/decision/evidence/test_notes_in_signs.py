"""Test that models are found by what notes beside them say in Japanese and Chinese."""

from __future__ import annotations

from pathlib import Path

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin.own_loras import own
from personalq.tests.checkin.world import NOW

NOTES = {
    "pino_v1": "ピノ オカメインコ",
    "haruki_v2": "息子 春樹 幼稚園の写真メイン",
    "lihe_v2": "明前龙井礼盒 新包装(米白+烫金)",
    "kd200_v1": "柯达金200 自己拍的胶片扫描",
    "tongtong_v1": "若彤 2000步最像",
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder: Path = tmp_path_factory.mktemp("models")
    for day, (name, note) in enumerate(NOTES.items()):
        own(folder, name, day, f"{name[:3]}x")
        (folder / f"{name}.txt").write_text(note, "utf-8")
    for day, name in enumerate(("shuimo_v1", "jiaopian_v2", "moss_v1", "nelson_v2", "harbour_v1")):
        own(folder, name, 20 + day, f"{name[:2]}yx")
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "name"),
    [
        ("オカメインコ 窓辺", "pino_v1"),
        ("息子 砂場で", "haruki_v2"),
        ("春樹 砂場で", "haruki_v2"),
        ("若彤 海边", "tongtong_v1"),
        ("水墨画 远山", "shuimo_v1"),
        ("胶片感 街拍", "jiaopian_v2"),
    ],
)
def test_the_model_whose_note_says_so(repository, request_text: str, name: str) -> None:
    decision = check_in(request_text, repository, now=NOW)
    assert [card.name for card in decision.cards] == [name], decision.why
