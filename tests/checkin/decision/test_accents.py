"""Test names with accents, however a system or a person writes them."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin import make_files as make

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)
CARDS = {
    "Zoë_v2": "subjects: cat\ntriggers: zoecat\n",
    "jurgen": "subjects: man\ntriggers: jrgn\n",
    "Pokémon style": "styles: cartoon\ntriggers: pkmn style\n",
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
        ("a fox, pokemon style", "Pokémon style", "pkmn style a fox, pokemon style"),
        ("ガラス", "ガラス", "grs ガラス"),
    ],
)
def test_a_name_is_found(repository: Repository, request_text: str, name: str, prompt: str) -> None:
    decision = check_in(request_text, repository, now=NOW)
    assert [card.name for card in decision.cards] == [name]
    assert decision.prompt == prompt
