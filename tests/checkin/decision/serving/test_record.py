"""Test which words of a request the intent record gives to which model."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from personalq.checkin import Repository, check_in
from personalq.checkin.catalog.pinned import PinnedModel
from personalq.checkin.catalog.reference import Reference
from personalq.checkin.decision.serving.record import IntentRecord
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.own_loras import downloaded, own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    own(folder, "nelson_xl", 35, "nlscat cat")
    own(folder, "inkwash", 23, "inkwsh style")
    own(folder, "tilly", 27, "tllywmn woman")
    own(folder, "tilly_wedding", 28, "tllybride woman, bride")
    downloaded(folder, "handfixer", "Hand Fixer", ["tool"], "hand fixer")
    downloaded(folder, "watercolor_dreams_xl", "Watercolor dreams", ["style", "watercolor"])
    make.make_checkpoint(folder / "realmuse_xl.safetensors", "sdxl", {})
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("tilly on the beach", {"tilly": ["tilly"]}),
        (
            "tilly as a bride, in ink wash style",
            {"tilly_wedding": ["tilly", "bride"], "inkwash": ["ink wash"]},
        ),
        (
            "nelson in my ink wash style + the hand fixer",
            {"nelson_xl": ["nelson"], "inkwash": ["ink wash"], "handfixer": ["the hand fixer"]},
        ),
        (
            "ein Aquarell von nelson auf dem Realmuse Checkpoint",
            {
                "realmuse_xl": ["dem Realmuse Checkpoint"],
                "watercolor_dreams_xl": ["Aquarell"],
                "nelson_xl": ["nelson"],
            },
        ),
        ("tilly by the fire, with the dirt slider", {}),
    ],
)
def test_the_record_says_which_words_ask_for_which_model(
    repository, request_text, expected
) -> None:
    record = IntentRecord.of(check_in(request_text, repository, now=NOW)).as_dict()
    assert record["user"]["parts"] == [
        {"words": words, "model": model, "on": True} for model, words in expected.items()
    ]


def test_a_part_that_was_switched_off_or_is_not_here_is_recorded(repository) -> None:
    chosen = [PinnedModel(Reference(name="tilly"), on=False), PinnedModel(Reference(name="gone"))]
    decision = check_in("tilly and gone", repository, now=NOW, chosen=chosen)
    record = IntentRecord.of(decision).as_dict()
    said = [(one["model"], one["on"]) for one in record["user"]["parts"]]
    assert said == [("tilly", False), (None, True)]
