"""Test what sidecars say about a model's page and its example pictures."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from personalq.checkin.readers.published import Example, Published, published

PICTURE = {"url": "https://image.example/1.jpeg", "meta": {"prompt": "a red fox"}}
VERSION = {"id": 8, "modelId": 7, "images": [PICTURE]}
PAGE = "https://civitai.com/models/7?modelVersionId=8"


@pytest.mark.parametrize(
    ("ending", "content"),
    [
        (".civitai.info", VERSION),
        (".metadata.json", {"civitai": VERSION}),
        (".safetensors.rgthree-info.json", {"raw": {"civitai": VERSION}}),
    ],
)
def test_the_page_and_the_prompts_are_read(tmp_path: Path, ending: str, content: dict) -> None:
    (tmp_path / f"fox.v2{ending}").write_text(json.dumps(content))
    said = published(tmp_path / "fox.v2.safetensors")
    assert said == Published(PAGE, (Example("a red fox", "https://image.example/1.jpeg"),))


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"modelId": "7", "images": "x"},
        {"modelId": -1, "images": [1, {"meta": {"prompt": 3}}, {"meta": None}, {"meta": {}}]},
        [],
        "text",
    ],
)
def test_strange_sidecars_say_nothing(tmp_path: Path, content: object) -> None:
    (tmp_path / "fox.civitai.info").write_text(json.dumps(content))
    assert published(tmp_path / "fox.safetensors") == Published()


def test_only_https_is_linked_and_a_prompt_comes_once(tmp_path: Path) -> None:
    pictures = [{**PICTURE, "url": "javascript:alert(1)"}, PICTURE]
    (tmp_path / "fox.civitai.info").write_text(json.dumps({"images": pictures}))
    assert published(tmp_path / "fox.safetensors").examples == (Example("a red fox"),)


def test_no_link_is_followed_out_of_the_folders_of_models(tmp_path: Path) -> None:
    outside, folder = tmp_path / "secret.json", tmp_path / "loras" / "foxes"
    folder.mkdir(parents=True)
    outside.write_text(json.dumps(VERSION))
    link = folder / "fox.civitai.info"
    try:
        link.symlink_to(outside)
    except OSError:
        pytest.skip("this account may not make symbolic links")
    assert published(folder / "fox.safetensors", [str(tmp_path / "loras")]) == Published()
    outside.rename(tmp_path / "loras" / "shared.json")
    link.unlink()
    link.symlink_to(tmp_path / "loras" / "shared.json")
    assert published(folder / "fox.safetensors", [str(tmp_path / "loras")]).page == PAGE
    assert published(folder / "fox.safetensors") == Published()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fox.civitai.info")
    assert published(tmp_path / "fox.safetensors") == Published()
