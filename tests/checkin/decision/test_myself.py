"""Test requests for the user's own face."""

from __future__ import annotations

from datetime import UTC, datetime

from personalq.checkin import Repository, check_in
from personalq.tests.checkin.own_loras import own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


def test_all_models_in_a_folder_of_me_are_of_me(tmp_path) -> None:
    folder = tmp_path / "loras" / "me"
    folder.mkdir(parents=True)
    for name in ("me_selfie", "minhanh", "mnh_short_hair"):
        own(folder, name, 30, "mnhanh woman")
    own(folder.parent, "dev", 30, "dvp man")
    decision = check_in("me on a rooftop", Repository.open(tmp_path, embedder=None), now=NOW)
    assert decision.question
    offered = {one for choice in decision.question.choices for one in choice.card_ids}
    assert len(offered) == 3
