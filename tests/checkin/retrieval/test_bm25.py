"""Test BM25 over the sparse card, with its edge cases.

They are a word in half the texts, empty texts, and queries without a known word.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from personalq.checkin.catalog.cards import Card
from personalq.checkin.catalog.sparse_card import sparse_card, words_of
from personalq.checkin.retrieval.bm25 import bm25


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
    return bm25(query.split(), [text.split() for text in texts])


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


def test_without_the_packages_for_ranking_check_in_still_decides() -> None:
    program = """
import sys
for name in ("rank_bm25", "sentence_transformers", "google"):
    sys.modules[name] = None
from datetime import UTC, datetime
from personalq.checkin import Repository, check_in
from personalq.tests.checkin.world import cards
decision = check_in("realistic urban", Repository(cards()), now=datetime(2025, 5, 15, tzinfo=UTC))
print(decision.outcome, "install rank-bm25" in " ".join(decision.notices))
"""
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["clarify", "True"], done.stderr
