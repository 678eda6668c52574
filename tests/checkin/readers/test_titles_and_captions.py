"""Test what cards hold for the words of requests: names, titles, tags, captions and origin."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from personalq.checkin.catalog.cards import Card
from personalq.checkin.index.repository import Repository
from personalq.checkin.readers.fields import MAX_CAPTIONS
from personalq.tests.checkin import make_files as make


def card_of(
    folder: Path, header: dict[str, str] | None = None, sidecars: dict[str, Any] | None = None
) -> Card:
    model = make.make_lora(folder / "bear.safetensors", "sdxl", header)
    for ending, content in (sidecars or {}).items():
        make.beside(model, ending, content)
    repository = Repository.open(folder, embedder=None)
    assert repository.notices == ()
    (card,) = repository.cards
    return card


def captioned(folders: dict[str, dict[str, int]]) -> dict[str, str]:
    return {"ss_tag_frequency": json.dumps(folders)}


@pytest.mark.parametrize(
    ("ending", "content", "title", "tags"),
    [
        (".civitai.info", make.CIVITAI, "Plush Teddy Bear v2.1 (baked)",
         ("teddy bear", "cute", "anime")),
        (".cm-info.json", make.STABILITY_MATRIX, "Plush Teddy Bear v2.1",
         ("teddy bear", "watercolor", "cute")),
        (".metadata.json", make.LORA_MANAGER, "Plush Teddy Bear",
         ("teddy bear", "toy", "watercolor")),
        (".safetensors.rgthree-info.json", make.RGTHREE, "Plush Teddy Bear - v2.1",
         ("teddy bear", "cute", "anime")),
        (".swarm.json", make.SWARM, "Plush Teddy Bear", ("teddy bear", "ink")),
    ],
)  # fmt: skip
def test_titles_and_tags_of_sidecars(
    tmp_path: Path, ending: str, content: dict[str, Any], title: str, tags: tuple[str, ...]
) -> None:
    card = card_of(tmp_path, sidecars={ending: content})
    assert (card.title, card.tags) == (title, tags)


def test_title_and_tags_of_a_header(tmp_path: Path) -> None:
    card = card_of(tmp_path, make.MODELSPEC)
    assert card.title == "Watercolor teddy bear"
    assert card.tags == ("watercolor", "teddy bear", "cute"), "also those that are no style"


@pytest.mark.parametrize(
    ("name", "title"), [("canela_hound_v2", "canela_hound_v2"), ("bear_v2", ""), ("None", "")]
)
def test_the_name_that_a_renamed_file_was_trained_under(
    tmp_path: Path, name: str, title: str
) -> None:
    assert card_of(tmp_path, {"ss_output_name": name}).title == title


def test_a_person_names_a_model(tmp_path: Path) -> None:
    said = "names: [Moss, the old dog]\ntitle: My bear\ntags: plush\norigin: trained\n"
    card = card_of(tmp_path, None, {".personalq.yaml": said, ".civitai.info": make.CIVITAI})
    assert (card.names, card.title, card.tags) == (("Moss", "the old dog"), "My bear", ("plush",))
    assert card.origin == "trained", "the person knows better than a site"


@pytest.mark.parametrize(
    ("header", "sidecars", "origin", "source"),
    [
        (make.KOHYA, {}, "trained", "safetensors"),
        (make.MUSUBI, {}, "trained", "safetensors"),
        (None, {".civitai.info": make.CIVITAI}, "downloaded", "civitai.info"),
        (None, {".cm-info.json": make.STABILITY_MATRIX}, "downloaded", "cm-info.json"),
        (None, {".metadata.json": make.LORA_MANAGER}, "downloaded", "metadata.json"),
        (make.KOHYA, {".civitai.info": make.CIVITAI}, "downloaded", "civitai.info"),
        (make.MODELSPEC, {}, None, None),
        (None, {".json": make.A1111}, None, None),
    ],
    ids=["kohya", "musubi", "civitai.info", "cm-info", "LoRA Manager", "somebody else's training",
         "a header without a training", "notes"],
)  # fmt: skip
def test_origin(
    tmp_path: Path,
    header: dict[str, str] | None,
    sidecars: dict[str, Any],
    origin: str | None,
    source: str | None,
) -> None:
    card = card_of(tmp_path, header, sidecars)
    assert (card.origin, card.sources.get("origin")) == (origin, source)


def test_lora_manager_without_a_page_tells_no_origin(tmp_path: Path) -> None:
    own = {key: value for key, value in make.LORA_MANAGER.items() if key != "civitai"}
    assert card_of(tmp_path, sidecars={".metadata.json": own}).origin is None


def test_captions_are_shares_of_all_pictures(tmp_path: Path) -> None:
    card = card_of(
        tmp_path, captioned({"10_a": {"sks": 20, "grass": 5}, "2_b": {"sks": 10, "snow": 3}})
    )
    assert card.captions == {"sks": 1.0, "grass": 0.17, "snow": 0.1}
    assert list(card.captions) == ["sks", "grass", "snow"], "the most frequent first"
    assert card.sources["captions"] == "captions"


def test_only_the_most_frequent_captions_are_kept(tmp_path: Path) -> None:
    counts = {f"tag {number}": number + 1 for number in range(2 * MAX_CAPTIONS)}
    card = card_of(tmp_path, captioned({"1_a": counts}))
    assert len(card.captions) == MAX_CAPTIONS
    assert next(iter(card.captions)) == f"tag {2 * MAX_CAPTIONS - 1}"
    assert "tag 0" not in card.captions


def test_captions_without_pictures_are_none(tmp_path: Path) -> None:
    assert card_of(tmp_path, captioned({"1_a": {"sks": 0, "grass": -3}})).captions == {}


@pytest.mark.parametrize(
    ("line", "notice"),
    [
        ("origin: stolen", "origin: 'stolen' is neither trained nor downloaded"),
        ("captions: [grass]", "captions: expected a share for each caption"),
        ("captions: {grass: 7}", "captions: '7' is no number from 0 to 1"),
    ],
)
def test_a_wrong_value_is_not_used(tmp_path: Path, line: str, notice: str) -> None:
    model = make.make_lora(tmp_path / "bear.safetensors")
    make.beside(model, ".personalq.yaml", line)
    repository = Repository.open(tmp_path, embedder=None)
    (said,) = repository.notices
    assert notice in said
    assert (repository.cards[0].origin, repository.cards[0].captions) == (None, {})


def test_a_card_comes_back_from_a_line_of_its_own_form(tmp_path: Path) -> None:
    card = card_of(tmp_path, make.KOHYA, {".civitai.info": make.CIVITAI})
    again = Card.from_dict(json.loads(json.dumps(card.as_dict())))
    assert again == card
    assert isinstance(again.tags, tuple)
