"""Test that every template runs to a picture, and that neither holds a path or a key."""

from __future__ import annotations

import json
import re

import pytest
from PIL import Image

from personalq.tests.host.templates import DRAWN, FOLDER, NAMES, as_graph, load
from personalq.tests.judged import seen

SECRET = re.compile(
    r"(?:^|[\"' "
    r"])(?:/(?:home|root|Users|work|tmp|mnt|var)/|[A-Za-z]:\\\\)|sk-[A-Za-z0-9]{16}|AIza[\w-]{20}"
)


def test_there_are_six():
    assert list(DRAWN) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_template_as_it_is_draws_what_it_asks_for_without_a_path_or_key(host, name):
    workflow = load(name)
    graph = as_graph(workflow, host.get("/object_info"))
    entry = host.prompt(graph, "template", workflow=workflow)
    assert entry["status"]["status_str"] == "success", entry["status"]
    pictures = host.pictures(entry)
    assert len(pictures) == (2 if name == "6-Half-the-memory-PersonalQ" else 1)
    for picture in pictures:
        assert seen(picture).items() >= DRAWN[name].items()
        with Image.open(picture) as image:
            assert set(image.info) == {"prompt", "workflow"}
            for text in image.info.values():
                assert not SECRET.search(text)


@pytest.mark.parametrize("name", NAMES)
def test_saved_template_carries_no_path_or_key(name):
    assert not SECRET.search((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def test_a_path_and_a_key_would_be_found():
    assert SECRET.search(json.dumps({"a": "/home/me/models/bear.safetensors"}))
    assert SECRET.search(json.dumps({"a": r"C:\models\bear.safetensors"}))
    assert SECRET.search(json.dumps({"key": "sk-abcdefghijklmnop1234"}))


@pytest.mark.parametrize("name", NAMES)
def test_template_has_a_thumbnail(name):
    with Image.open(FOLDER / f"{name}.jpg") as image:
        assert min(image.size) >= 200
