"""Test the parts of a picture that several subjects get."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from personalq.checkin import (
    Card,
    Decision,
    Repository,
    check_in,
)
from personalq.checkin.catalog.pinned import PinnedModels
from personalq.checkin.decision.serving.regions import Called, is_subject, regions_of
from personalq.checkin.decision.serving.used import on_the_whole
from personalq.checkin.index.sidecar_file import write_sidecar
from personalq.checkin.lexicon.sentences import speaking
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.own_loras import downloaded, own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    own(folder, "moss_v2", 30, "mosdog collie")
    own(folder, "nelson_xl", 35, "nlscat cat")
    own(folder, "nan", 20, "nanwmn woman")
    own(folder, "nans_kitchen", 22, "nankit kitchen")
    own(folder, "inkwash", 23, "inkwsh style")
    own(folder, "pip", 24, "pipgrl girl")
    own(folder, "conker", 26, "cnkhorse horse")
    own(folder, "tilly", 27, "tllywmn woman")
    own(folder, "red_dress", 12, "rdrss dress")
    own(folder, "blue_mug", 12, "blmug mug")
    downloaded(folder, "handfixer", "Hand Fixer", ["tool"], "hand fixer")
    downloaded(folder, "detail_tweaker_xl", "Detail Tweaker XL", ["concept", "detail"], "")
    downloaded(folder, "sdxl_lightning_4step_lora", "SDXL Lightning", ["tool"], "")
    downloaded(folder, "better_faces", "Face Fixer", ["woman"], "perfect woman face")
    downloaded(folder, "sitting", "Sitting", ["poses"], "sitting woman")
    own(folder, "age_slider", 13, "woman")
    downloaded(folder, "comic_people", "Comic people", ["character", "style"], "comic")
    downloaded(folder, "asteria", "Asteria", ["character", "anime"], "asteria starfall")
    described = make.make_lora(folder / "zib.safetensors", "sdxl")
    write_sidecar(described, {"subjects": ["newt"], "triggers": ["<zib>"]})
    make.make_checkpoint(folder / "fablemix_v4.safetensors", "sdxl", {})
    return Repository.open(folder, embedder=None)


def decided(repository: Repository, request: str, chosen: str = "") -> Decision:
    pinned = PinnedModels.from_text(chosen)
    return check_in(
        request,
        repository,
        now=NOW,
        each_in_its_place=True,
        chosen=pinned.models if pinned else None,
    )


def parts(decision: Decision) -> list[tuple[str, str, str]]:
    return [(one.name, " + ".join(one.card_ids), one.prompt) for one in decision.regions]


def test_what_is_a_subject(repository) -> None:
    subjects = {card.name for card in repository.cards if is_subject(card)}
    assert subjects == {
        *("moss_v2", "nelson_xl", "nan", "pip", "conker", "tilly", "red_dress", "blue_mug"),
        *("asteria", "zib"),
    }


def test_two_subjects_have_halves_in_the_order_of_the_request(repository) -> None:
    decision = decided(repository, "nelson next to moss on a sofa")
    assert parts(decision) == [
        ("left", "nelson_xl", "nlscat cat on a sofa"),
        ("right", "moss_v2", "mosdog collie on a sofa"),
    ]
    assert [one.start for one in decision.regions] == [0.0, 0.5]


def test_more_than_three_are_counted_in_the_language_that_is_spoken() -> None:
    four = [Called(Card(one, kind="lora", tags=("animal",)), (one,)) for one in "abcd"]
    with speaking("de"):
        regions = regions_of(four, "a, b, c and d")
    assert [one.name for one in regions] == [f"Teil {number} von 4" for number in (1, 2, 3, 4)]


def test_three_have_thirds_and_the_request_says_who_is_right(repository) -> None:
    decision = decided(repository, "moss, nelson and conker on a field")
    assert [one.name for one in decision.regions] == ["left", "middle", "right"]
    turned = decided(repository, "tilly to the right of pip")
    assert [one.card_ids for one in turned.regions] == [("pip",), ("tilly",)]


@pytest.mark.parametrize(
    "request_text",
    [
        "moss on a sofa",
        "nan in her kitchen",
        "moss in ink wash style",
        "tilly, with the hand fixer lora",
        "moss on my fable mix checkpoint",
        "tilly in the red dress",
        "tilly with the blue mug",
    ],
)
def test_one_subject_has_the_whole_picture(repository, request_text) -> None:
    assert decided(repository, request_text).regions == ()


def test_a_style_and_a_tool_stay_on_the_whole_picture(repository) -> None:
    decision = decided(repository, "moss and nelson in ink wash style")
    assert [one.card_ids for one in decision.regions] == [("moss_v2",), ("nelson_xl",)]
    assert all(one.prompt.endswith("in inkwsh style") for one in decision.regions)
    assert [(card.name, card.strength) for card in decision.cards] == [
        ("moss_v2", 0.85),
        ("nelson_xl", 0.85),
        ("inkwash", 0.85),
    ]


def test_what_somebody_wears_is_in_their_part(repository) -> None:
    decision = decided(repository, "pip in my red dress next to tilly")
    assert parts(decision) == [
        ("left", "pip + red_dress", "pipgrl girl in rdrss dress"),
        ("right", "tilly", "tllywmn woman"),
    ]


def test_a_lora_in_its_own_part_keeps_its_strength(repository) -> None:
    decision = decided(repository, "moss and nelson on a sofa")
    assert [one.strength for one in decision.models] == [1.0, 1.0]
    whole = on_the_whole(decision)
    assert whole.regions == ()
    assert [one.strength for one in whole.models] == [0.85, 0.85]
    assert [card.strength for card in whole.cards] == [0.85, 0.85]
    typed = decided(repository, "moss and nelson", "moss_v2; strength: 0.6\nnelson_xl")
    assert [card.strength for card in on_the_whole(typed).cards] == [0.6, 0.85]


def test_a_model_that_is_off_has_no_part(repository) -> None:
    assert decided(repository, "moss and nelson", "moss_v2\nnelson_xl").regions
    assert not decided(repository, "moss and nelson", "moss_v2\nnelson_xl; off").regions


def test_where_a_trigger_is_not_in_the_prompt_each_part_gets_all_of_it(repository) -> None:
    decision = decided(repository, "a lake", "moss_v2; triggers: off\nnelson_xl")
    assert [one.prompt for one in decision.regions] == [decision.prompt] * 2


def test_nobody_has_a_part_unless_it_is_asked_for(repository) -> None:
    assert check_in("moss and nelson on a sofa", repository, now=NOW).regions == ()


def test_one_subject_whose_words_stand_apart_has_no_part() -> None:
    jetty = Card("lake_jetty", kind="lora", subjects=("jetty",))
    assert regions_of([Called(jetty, (), ("jetty", "lake"))], "jetty by the lake") == ()


def test_more_than_three_parts_are_numbered() -> None:
    cats = [Card(name, kind="lora", subjects=("cat",), triggers=(name,)) for name in "abcd"]
    found = regions_of([Called(cat, cat.triggers) for cat in cats], "a, b, c and d")
    assert [one.name for one in found] == [f"part {place} of 4" for place in (1, 2, 3, 4)]
    assert [one.start for one in found] == [0.0, 0.25, 0.5, 0.75]
