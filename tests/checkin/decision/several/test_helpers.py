"""Test helpers that a request asks for by what they do."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin.own_loras import downloaded, own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    own(folder, "moss_xl", 30, "mosdog collie")
    own(folder, "moss_sd15", 20, "mosdog collie", base="sd15")
    own(folder, "pip_sd15", 21, "pipgrl girl", base="sd15")
    downloaded(folder, "Hyper-SDXL-8steps-lora", "Hyper SD", ["tool"])
    downloaded(folder, "sdxl_lightning_4step_lora", "SDXL Lightning", ["tool"])
    downloaded(folder, "add-detail-xl", "Detail Tweaker XL", ["tool"])
    downloaded(folder, "perfect_hands_xl", "Perfect hands XL", ["tool"])
    return Repository.open(folder)


@pytest.mark.parametrize(
    ("request_", "helper"),
    [
        ("moss on a beach with the 8 step lora", "Hyper-SDXL-8steps-lora"),
        ("moss on a beach, with the 4 step one", "sdxl_lightning_4step_lora"),
        ("moss on a beach and the detail lora", "add-detail-xl"),
        ("moss on a beach, hands lora at 0.6", "perfect_hands_xl"),
        ("Moss am Strand mit der 8 Schritte LoRA", "Hyper-SDXL-8steps-lora"),
        ("モス 海辺 ディテールのLoRAも付けて", "add-detail-xl"),
    ],
)
def test_the_helper_is_used_with_a_build_that_it_fits(
    repository: Repository, request_: str, helper: str
) -> None:
    decision = check_in(request_, repository, now=NOW)
    assert [one.name for one in decision.cards] == ["moss_xl", helper]
    assert decision.prompt is not None
    assert "step" not in decision.prompt
    assert "lora" not in decision.prompt.casefold()
    assert helper in decision.why


def test_of_those_for_few_steps_any_is_meant_where_no_number_is_said(
    repository: Repository,
) -> None:
    decision = check_in("moss on a beach, plus the speed lora", repository, now=NOW)
    assert decision.cards[0].name == "moss_xl"
    assert len(decision.cards) == 2


def test_a_helper_for_another_base_model_is_said(repository: Repository) -> None:
    request = "pip on a swing, with the detail lora"
    declined = check_in(request, repository, now=NOW)
    assert declined.outcome == "no_match"
    assert "add-detail-xl is for SDXL" in declined.why
    decision = check_in(request, repository, now=NOW, what_fits=True)
    assert [one.name for one in decision.cards] == ["pip_sd15"]
    assert any("detail lora" in one for one in decision.notices)


def test_words_of_a_picture_ask_for_no_helper(repository: Repository) -> None:
    for request in ("moss, detailed fur, more details", "moss on the first step, a fast one"):
        decision = check_in(request, repository, now=NOW)
        assert [one.name for one in decision.cards] == ["moss_xl"]
