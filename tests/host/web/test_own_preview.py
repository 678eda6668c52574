"""Test that a drawn picture becomes a model's preview, and that nothing else is read or written."""

from __future__ import annotations

import pytest
from PIL import Image

PROMPT = "a <dog> in the rain"


@pytest.fixture
def model(ask, demo_repository):
    """A model without a preview of its own kind, left as it was."""
    assert ask("POST", "/personalq/rescan", {})[0] == 200
    (file,) = demo_repository.rglob("heart_bag.safetensors")
    before = {one: one.read_bytes() for one in file.parent.glob("heart_bag.*png")}
    for one in before:
        one.unlink()
    ask("POST", "/personalq/rescan", {})
    yield file
    file.with_suffix(".preview.png").unlink(missing_ok=True)
    for one, data in before.items():
        one.write_bytes(data)


@pytest.fixture
def drawn(host):
    """A picture in the host's output folder, as the page names it."""
    file = host.base_directory / "output" / "drawn.webp"
    Image.new("RGB", (40, 30), "red").save(file)
    yield {"filename": file.name, "subfolder": "", "type": "output"}
    file.unlink()


def keep(ask, picture, **more):
    body = {"picture": picture, "prompt": PROMPT, "replace": False, **more}
    return ask("POST", "/personalq/cards/bag-heart_bag/preview", body)[:2]


def test_the_picture_lies_beside_the_model_with_its_prompt(ask, model, drawn):
    assert keep(ask, drawn) == (200, {})
    with Image.open(model.with_suffix(".preview.png")) as written:
        assert (written.format, written.size) == ("PNG", (40, 30))
        assert written.info == {"parameters": PROMPT}
    card = ask("GET", "/personalq/cards/bag-heart_bag")[1]
    assert card["examples"] == [{"prompt": PROMPT, "preview": 0}]


def test_another_picture_is_replaced_only_if_the_page_says_so(ask, model, drawn):
    keep(ask, drawn, prompt="first")
    before = model.with_suffix(".preview.png").read_bytes()
    status, answer = keep(ask, drawn)
    assert (status, list(answer)) == (200, ["asks"])
    assert "heart_bag.preview.png" in answer["asks"]
    assert model.with_suffix(".preview.png").read_bytes() == before
    assert keep(ask, drawn, replace=True) == (200, {})
    assert model.with_suffix(".preview.png").read_bytes() != before


@pytest.mark.parametrize(
    "change",
    [
        {"filename": "../user/comfyui.log"},
        {"filename": "/etc/passwd"},
        {"filename": "nothing.png"},
        {"subfolder": "../input"},
        {"subfolder": "/etc", "filename": "passwd"},
        {"type": "input"},
        {"type": "models"},
        {"filename": "a\0b"},
        {"path": "x"},
    ],
)
def test_no_other_file_becomes_one(ask, model, drawn, change):
    status, answer = keep(ask, {**drawn, **change})
    assert status == 400
    assert answer["error"]
    assert not model.with_suffix(".preview.png").exists()


def test_what_is_no_picture_is_said(ask, model, drawn, host):
    text = host.base_directory / "output" / "note.png"
    text.write_text("no picture")
    try:
        status, answer = keep(ask, {**drawn, "filename": text.name})
    finally:
        text.unlink()
    assert (status, "cannot be read" in answer["error"]) == (400, True)


def test_a_picture_that_is_too_large_is_called_so(ask, model, drawn, host):
    large = host.base_directory / "output" / "large.png"
    Image.new("1", (6001, 4000)).save(large)
    try:
        status, answer = keep(ask, {**drawn, "filename": large.name})
    finally:
        large.unlink()
    assert (status, "too large" in answer["error"]) == (400, True)
    assert "24 million pixels" in answer["error"]
    assert not model.with_suffix(".preview.png").exists()


def test_a_card_that_names_its_pictures_keeps_them(ask, model, drawn):
    card, mine = model.with_name("heart_bag.personalq.yaml"), model.with_name("mine.png")
    mine.write_bytes(b"x")
    card.write_text("previews: mine.png\n", "utf-8")
    try:
        status, answer = keep(ask, drawn, replace=True)
    finally:
        card.unlink()
        mine.unlink()
    assert (status, "previews" in answer["error"]) == (400, True)


def test_other_pages_may_write_none(ask, model, drawn):
    headers = {"Content-Type": "application/json", "Origin": "http://elsewhere.example"}
    body = {"picture": drawn, "prompt": "", "replace": True}
    assert ask("POST", "/personalq/cards/bag-heart_bag/preview", body, headers)[0] == 403
    assert not model.with_suffix(".preview.png").exists()


def test_the_card_of_a_line(ask):
    card = ask("GET", "/personalq/card?line=model:%20heart_bag;%20strength:%200.4")[1]
    assert card["id"] == "bag-heart_bag"
    assert ask("GET", "/personalq/card?line=model:%20nobody")[0] == 404
