"""Test what sidecars say about a model's page and its example pictures."""

from __future__ import annotations

import json
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
