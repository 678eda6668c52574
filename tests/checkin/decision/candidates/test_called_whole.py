"""Test models that a request calls by their whole name, across noun phrases."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin.own_loras import downloaded, own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    for day, (name, trigger) in enumerate(
        (
            ("nora_xl", "noraq woman"),
            ("asleep_at_desk_xl", "slpdesk"),
            ("jan_klaassen_xl", "jnklsn puppet"),
            ("katrijn_xl", "ktrjn puppet"),
            ("playing_guitar_xl", "plygtr"),
            ("reading_corner_xl", "rdcrnr"),
            ("band_van_xl", "bndvan van"),
            ("back_to_back_xl", "bck2bck"),
            ("pip_5y_xl", "pipk boy"),
            ("pip_7y_xl", "pipk boy"),
        )
    ):
        own(folder, name, day + 1, trigger)
    downloaded(folder, "dmd2_sdxl_4step_lora", "DMD2", ["base model"])
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("nora asleep at her desk", ["nora_xl", "asleep_at_desk_xl"]),
        ("nora playing guitar on a roof", ["nora_xl", "playing_guitar_xl"]),
        ("nora reading a book", ["nora_xl"]),
        ("the band van broken down by the road", ["band_van_xl"]),
        ("nora and katrijn back to back", ["nora_xl", "katrijn_xl", "back_to_back_xl"]),
        ("nora back in the snow", ["nora_xl"]),
        ("nora in the snow, use dmd2", ["nora_xl", "dmd2_sdxl_4step_lora"]),
        ("pip as a five year old, with a kite", ["pip_5y_xl"]),
    ],
)
def test_whole_names(repository: Repository, request_text: str, expected: list[str]) -> None:
    decision = check_in(request_text, repository, now=NOW)
    assert sorted(card.name for card in decision.cards) == sorted(expected), decision.why


def test_a_short_month_may_be_a_name(repository: Repository) -> None:
    decision = check_in("jan klaassen and katrijn having a big row", repository, now=NOW)
    assert {card.name for card in decision.cards} == {"jan_klaassen_xl", "katrijn_xl"}, decision.why
    assert decision.prompt == "jnklsn puppet and ktrjn puppet having a big row"
