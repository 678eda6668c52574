"""Test BM25 over the sparse card, with its edge cases.

They are a word in half the texts, empty texts, and queries without a known word.
"""

from __future__ import annotations

import pytest

from personalq.checkin.catalog.cards import Card
from personalq.checkin.catalog.sparse_card import sparse_card, words_of
from personalq.checkin.retrieval.bm25 import BM25


def test_words() -> None:
    assert words_of("My <bear-v4>'s BEARS, v1.10 cel_shaded!") == [
        "my", "bear", "v4", "s", "bear", "v1.10", "cel", "shaded",
    ]  # fmt: skip


def test_sparse_card_holds_names_looks_triggers_and_versions_but_no_description() -> None:
    card = Card("id7", "/m/forest_bear.safetensors", triggers=("<bear-v4>",),
    subjects=("teddy bears",),
                styles=("sketch",), version="4", description="secret")  # fmt: skip
    assert {"teddy", "bear", "sketch", "v4", "4", "version", "forest"} == set(sparse_card(card))
    assert "id7" in sparse_card(Card("id7"))


def scores(texts: list[str], query: str) -> list[float]:
    return BM25.of([text.split() for text in texts]).scores(query.split(), range(len(texts)))


def test_rare_words_count_more_and_no_common_word_counts_nothing() -> None:
    bear, bear_sketch, dog, nothing = scores(
        ["bear", "bear sketch", "dog", ""], "latest bear sketch"
    )
    assert bear_sketch > bear > dog == nothing == 0.0


@pytest.mark.parametrize("texts", [["bear", "dog"], ["bear sketch", "bear anime"], ["bear"]])
def test_small_collections_still_score(texts: list[str]) -> None:
    found = scores(texts, "bear")
    assert all((score > 0) == ("bear" in text) for score, text in zip(found, texts, strict=True))


@pytest.mark.parametrize("texts", [[], [""], ["", ""]])
def test_nothing_to_search(texts: list[str]) -> None:
    assert scores(texts, "bear") == [0.0] * len(texts)


def test_no_known_word() -> None:
    assert scores(["bear", "dog"], "zebra") == scores(["bear", "dog"], "") == [0.0, 0.0]


def test_some_of_the_texts() -> None:
    model = BM25.of([["bear"], ["dog"], ["bear", "dog"]])
    everything = model.scores(["bear"], [0, 1, 2])
    assert model.scores(["bear"], [2, 0]) == [everything[2], everything[0]]
    assert model.scores(["bear"], []) == []
