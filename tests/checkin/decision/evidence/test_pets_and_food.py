"""Test words that are in names by chance: pets called like food, words inside of others."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin.own_loras import own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


@pytest.mark.parametrize(
    ("request_", "names"),
    [
        ("brenda baking cookies", ["brenda"]),
        ("brenda eating a cookie with biscuit", ["brenda", "biscuit_flux"]),
        ("biscuit on a sofa", ["biscuit_flux"]),
        ("dusty beard in a park", ["dusty_beard"]),
        ("a bear in the woods", []),
    ],
)
def test_a_name_is_meant_by_itself(tmp_path: Path, request_: str, names: list[str]) -> None:
    own(tmp_path, "brenda", 30, "brndamom woman")
    own(tmp_path, "biscuit_flux", 31, "biskit cat")
    own(tmp_path, "dusty_beard", 32, "dstbrd man")
    decision = check_in(request_, Repository.open(tmp_path, embedder=None), now=NOW)
    assert [one.name for one in decision.cards] == names
    assert names or all("beard" not in one.card.name for one in decision.near)
