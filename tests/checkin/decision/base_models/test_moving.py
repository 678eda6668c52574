"""Test requests for videos, in libraries with models for both."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.own_loras import own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    own(folder, "moss_xl", 30, "mosdog collie")
    make.make_transformer_lora(
        folder / "moss_wan.safetensors", ["lora_unet_blocks_0_cross_attn_q"], 5120
    )
    make.make_transformer_lora(
        folder / "squish_wan.safetensors", ["lora_unet_blocks_0_cross_attn_q"], 5120
    )
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        ("video of moss running on a beach", "moss_wan"),
        ("a short clip of moss", "moss_wan"),
        ("moss video jumping off a couch", "moss_wan"),
        ("moss running, as a video", "moss_wan"),
        ("ein Video von Moss am Strand", "moss_wan"),
        ("moss on a beach", "moss_xl"),
        ("moss in a video game", "moss_xl"),
        ("squish effect", "squish_wan"),
    ],
)
def test_a_video_is_made_by_models_that_make_videos(
    repository: Repository, request_: str, name: str
) -> None:
    assert [one.name for one in check_in(request_, repository, now=NOW).cards] == [name]


def test_without_such_models_it_is_a_picture(tmp_path: Path) -> None:
    own(tmp_path, "moss_xl", 30, "mosdog collie")
    repository = Repository.open(tmp_path, embedder=None)
    assert [one.name for one in check_in("video of moss", repository, now=NOW).cards] == ["moss_xl"]
