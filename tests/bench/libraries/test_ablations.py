"""Test Check-in without each of its parts, and weights that are learned without a library."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import numpy as np
import pytest

from personalq.bench.libraries.ablations import COVERAGE, FEATURES, PARTS, Part, beginning_with
from personalq.bench.libraries.checkin import DECIDING, checkin
from personalq.bench.libraries.held_out import HeldOut
from personalq.bench.libraries.learn import Lesson, _model
from personalq.bench.libraries.learn_parts import asked_of_libraries, weights_of
from personalq.bench.libraries.library import read_library
from personalq.bench.libraries.open_library import OpenLibrary, opened
from personalq.bench.libraries.score import Answer
from personalq.checkin.decision.candidates import choice, grounded
from personalq.checkin.decision.evidence.features import NAMES
from personalq.checkin.decision.evidence.likelihood import likelihood
from personalq.checkin.decision.several import stands
from personalq.tests.bench.libraries.made_up import CAT, COPY, DOG_1, DOG_2, write_archive

CATS = {CAT, COPY}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[OpenLibrary, OpenLibrary]]:
    """Two libraries with the same files and requests."""
    folder = tmp_path_factory.mktemp("libraries")
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        patch.setattr("personalq.bench.libraries.library.FOLDER", folder)
        for name in ("first", "second"):
            write_archive(folder / "open" / f"{name}.zip")
        first, second = (
            stack.enter_context(opened(read_library("open", name))) for name in ("first", "second")
        )
        yield first, second


@pytest.fixture
def at(both: tuple[OpenLibrary, OpenLibrary]) -> OpenLibrary:
    return both[0]


def without(name: str, text: str, at: OpenLibrary) -> Answer:
    """What Check-in answers without a part, with the weights that are shipped."""
    part = PARTS[name]
    with part.taken_away():
        return checkin(text, part.of(at))


@pytest.mark.parametrize(
    ("name", "text", "whole", "left"),
    [
        ("checkin-no-gates", "my dog from 1 may", {DOG_1}, {DOG_2}),
        ("checkin-no-texts", "asleep on the radiator", CATS, set()),
        ("checkin-one-model", "my dog and my cat", {DOG_2}, {DOG_2}),
    ],
)
def test_what_a_part_does_is_missing_without_it(
    at: OpenLibrary, name: str, text: str, whole: set[str], left: set[str]
) -> None:
    assert whole & set(checkin(text, at).models)
    assert set(without(name, text, at).models) <= left
    assert whole & set(checkin(text, at).models), "it is back"


def test_together_needs_the_part_that_selects_several(at: OpenLibrary) -> None:
    assert len(checkin("my dog and my cat", at).models) == 2
    assert len(without("checkin-one-model", "my dog and my cat", at).models) < 2


def test_what_is_left_of_a_card(at: OpenLibrary) -> None:
    card = replace(at.repository.cards[0], origin="trained", tags=("wet",), captions={"fur": 1.0})
    texts, origin = (PARTS[name].card for name in ("checkin-no-texts", "checkin-no-origin"))
    assert texts
    assert origin
    assert origin(card) == replace(card, origin=None)
    assert texts(card) == replace(card, tags=(), description="", captions={})
    assert texts(card).triggers == card.triggers != ()
    changed = PARTS["checkin-no-texts"].of(at)
    assert [card.description for card in changed.repository.cards] == [""] * len(at.paths)
    assert changed.paths == at.paths


def test_without_places_every_word_is_of_the_head(at: OpenLibrary) -> None:
    part = PARTS["checkin-no-places"]
    lesson = Lesson(at)
    whole = [one.segment.part for case in lesson.cases(likelihood()) for one in case.segments]
    with part.taken_away():
        flat = [one.segment.part for case in lesson.cases(likelihood()) for one in case.segments]
    assert set(flat) == {"head"} != set(whole)


@pytest.mark.parametrize("name", PARTS)
def test_every_part_can_be_taken_away_and_comes_back(
    both: tuple[OpenLibrary, OpenLibrary], name: str
) -> None:
    before = (grounded.segments_of, grounded.likelihood, choice.MAX_TOGETHER)
    held_out = HeldOut(both)
    with held_out.deciding(both[0], PARTS[name]) as changed:
        answer = checkin("my latest dog in the snow", changed)
    assert answer.outcome in ("select", "clarify", "no_match")
    assert (grounded.segments_of, grounded.likelihood, choice.MAX_TOGETHER) == before


def test_something_that_is_gone_is_told() -> None:
    gone = Part("x", instead=(("...checkin.decision.candidates.choice", "MAX_GONE", 1),))
    with pytest.raises(AttributeError, match="MAX_GONE"), gone.taken_away():
        pass


def test_a_library_is_judged_with_weights_of_the_others(
    both: tuple[OpenLibrary, OpenLibrary],
) -> None:
    first, second = both
    learned = HeldOut(both).model(first)
    assert np.array_equal(learned.weights, _model([Lesson(second).rows()]).weights)
    with pytest.raises(ValueError, match="learned from other libraries of the open half"):
        HeldOut([first]).model(first)


def test_a_library_outside_the_open_half_has_the_shipped_weights(at: OpenLibrary) -> None:
    assert HeldOut([]).model(at) is likelihood()


def test_noun_phrases_are_judged_with_weights_of_the_others(
    both: tuple[OpenLibrary, OpenLibrary],
) -> None:
    first, second = both
    held_out = HeldOut(both)
    learned = weights_of(asked_of_libraries([second], held_out.model(first)))
    found = held_out.part_weights(first)
    assert all(np.array_equal(found[name], weights) for name, weights in learned.items())
    assert HeldOut([]).part_weights(first) is stands.part_weights()


def test_features_of_a_part_have_no_weight(both: tuple[OpenLibrary, OpenLibrary]) -> None:
    part = PARTS["checkin-no-names"]
    weights = HeldOut(both).model(both[0], part).weights
    assert not weights[~part.kept].any()
    assert weights[part.kept].any()
    assert {"named", "name_mass"} <= {NAMES[one] for one in np.flatnonzero(~part.kept)}


def test_plain_coverage_has_one_weight(both: tuple[OpenLibrary, OpenLibrary]) -> None:
    weights = HeldOut(both).model(both[0], PARTS["checkin-coverage"]).weights
    covers = beginning_with(COVERAGE)
    assert len(set(weights[covers].tolist())) == 1
    assert weights[covers][0] > 0
    assert not weights[~covers].any()


@pytest.mark.parametrize("group", [*FEATURES.values(), COVERAGE])
def test_every_group_has_features(group: tuple[str, ...]) -> None:
    assert 0 < beginning_with(group).sum() < len(NAMES)


def test_a_group_without_features_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FEATURES, "names", ("gone_",))
    with pytest.raises(ValueError, match="no feature of the likelihood begins with gone_"):
        _ = PARTS["checkin-no-names"].kept


def test_every_part_is_a_selector() -> None:
    assert set(PARTS) <= set(DECIDING)
    assert len({part.label for part in PARTS.values()}) == len(PARTS)
