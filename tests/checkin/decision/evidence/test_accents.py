"""Test names with accents, however a system or a person writes them."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.checkin import Repository, check_in
from personalq.checkin.catalog.grounds import grounds_of
from personalq.checkin.catalog.pinned import PinnedModels
from personalq.tests.checkin import make_files as make

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)
CARDS = {
    "Zoë_v2": "subjects: cat\ntriggers: zoecat\n",
    "jurgen": "subjects: man\ntriggers: jrgn\n",
    "Pokémon style": "styles: cartoon\ntriggers: pkmn style\n",
    "stol_jesion": "subjects: table\ntriggers: stoljes table\n",
    "Bodø_v1": "subjects: town\ntriggers: bdtown\n",
    "ガラス": "styles: glass\ntriggers: grs\n",
}


@pytest.fixture(scope="module", params=["NFC", "NFD"])
def repository(request, tmp_path_factory) -> Repository:
    """Files as most systems name them, and as a Mac does: an accent is a character of its own."""
    folder: Path = tmp_path_factory.mktemp("loras")
    for name, card in CARDS.items():
        make.make_lora(folder / f"{unicodedata.normalize(request.param, name)}.safetensors")
        (folder / f"{name}.personalq.yaml").write_text(card, encoding="utf-8")
    return Repository.open(folder, embedder=None)


def test_sidecars_are_found(repository: Repository) -> None:
    assert repository.notices == ()
    assert {card.name for card in repository.cards} == set(CARDS)
    assert all(card.triggers for card in repository.cards)


@pytest.mark.parametrize(
    ("request_text", "name", "prompt"),
    [
        ("zoë on the grass", "Zoë_v2", "zoecat on the grass"),
        ("Zoe on the grass", "Zoë_v2", "zoecat on the grass"),
        (unicodedata.normalize("NFD", "zoë on the grass"), "Zoë_v2", "zoecat on the grass"),
        ("Jürgen on the beach", "jurgen", "jrgn on the beach"),
        ("stół jesion in a hall", "stol_jesion", "stoljes table in a hall"),
        ("bodo in the rain", "Bodø_v1", "bdtown in the rain"),
        ("a fox, pokemon style", "Pokémon style", "a fox, pkmn style"),
        ("ガラス", "ガラス", "grs"),
    ],
)
def test_a_name_is_found(repository: Repository, request_text: str, name: str, prompt: str) -> None:
    decision = check_in(request_text, repository, now=NOW)
    assert [card.name for card in decision.cards] == [name]
    assert decision.prompt == prompt


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_name_that_a_workflow_keeps_is_found(repository: Repository, form: str) -> None:
    chosen = PinnedModels.from_text(unicodedata.normalize(form, "Zoë_v2")).models
    decision = check_in("a cat", repository, now=NOW, chosen=chosen)
    assert [card.name for card in decision.cards] == ["Zoë_v2"]


def test_a_file_is_no_folder(repository: Repository) -> None:
    """Not even one whose name says "style", or that it was downloaded."""
    assert {grounds_of(card)["folder"] for card in repository.cards} == {""}


def test_choices_keep_their_accents(tmp_path: Path) -> None:
    for name in ("zoë_garden", "zoë_élan"):
        make.make_lora(tmp_path / f"{unicodedata.normalize('NFD', name)}.safetensors")
    decision = check_in("zoë", Repository.open(tmp_path, embedder=None), now=NOW)
    assert decision.question
    assert {one.label for one in decision.question.choices} == {"zoë garden", "zoë élan"}
