"""Test requests for "my" model where one of the user's own and a downloaded one may be meant."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin.own_loras import downloaded, own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    downloaded(folder, "dog_watercolour_v2", "Dog Watercolour", ["dog", "watercolor"], "wtrdog")
    own(folder, "gribouille", 20, "gribou dog", "grass, garden")
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "name"),
    [
        ("my watercolour dog on grass", "dog_watercolour_v2"),
        ("my dog on grass", "gribouille"),
    ],
)
def test_a_downloaded_model_gives_way_to_an_own_one_that_may_be_meant(
    repository, request_text: str, name: str
) -> None:
    decision = check_in(request_text, repository, now=NOW)
    assert [card.name for card in decision.cards] == [name], decision.why


def test_what_is_not_to_be_downloaded_is_not(repository) -> None:
    decision = check_in("my watercolour dog, not the downloaded one", repository, now=NOW)
    assert [card.name for card in decision.cards] != ["dog_watercolour_v2"], decision.why
    decision = check_in("a watercolour, not from civitai", repository, now=NOW)
    assert (decision.outcome, "not from civitai" in decision.why) == ("no_match", True)
