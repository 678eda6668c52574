"""Test requests for people whose names are small or ordinary words: Will, May and Odd."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin.own_loras import own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    own(folder, "will_v2", 10, "willq man")
    own(folder, "tante_may", 20, "mayq woman")
    own(folder, "juno", 30, "junoq cat")
    own(folder, "tante_inge", 320, "ingeq woman")  # made in May
    own(folder, "onkel_odd", 40, "oddq man")
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("will on a beach", ["will_v2"]),
        ("my will on a beach", ["will_v2"]),
        ("May and Will on a beach", ["tante_may", "will_v2"]),
        ("aunt May on a beach", ["tante_may"]),
        ("juno with will on a beach", ["juno", "will_v2"]),
        ("juno, will be used for a card", ["juno"]),
        ("juno who will dance on a beach", ["juno"]),
        ("may i have juno on a beach", ["juno"]),
        ("will she fit, juno on a beach", ["juno"]),
        ("my aunt from may on a beach", ["tante_inge"]),
        ("odd on a bench", ["onkel_odd"]),
        ("uncle odd on a bench", ["onkel_odd"]),
        ("juno on an odd little bench", ["juno"]),
    ],
)
def test_a_small_word_is_a_name_where_somebody_is_called_so(repository, request_text, names):
    decision = check_in(request_text, repository, now=NOW)
    assert [card.name for card in decision.cards] == names, decision.why
