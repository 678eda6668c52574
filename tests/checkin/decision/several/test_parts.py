"""Test requests that mean several models of one library."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.checkin import Repository, check_in
from personalq.checkin.decision.serving.record import IntentRecord
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.own_loras import downloaded, own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)
_FILE = Path(__file__).with_name("parts_requests.txt")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    own(folder, "moss_v2", 30, "mosdog collie")
    own(folder, "moss_storybook", 31, "mosbook collie")
    own(folder, "nelson_xl", 35, "nlscat cat")
    own(folder, "poppy_cavapoo", 36, "ppycav cavapoo")
    own(folder, "nan", 20, "nanwmn woman")
    own(folder, "nans_kitchen", 22, "nankit kitchen")
    own(folder, "tynycoed_farm", 21, "tynfarm farm")
    own(folder, "shed_inside", 22, "shdin shed")
    own(folder, "shed_outside", 23, "shdout shed")
    own(folder, "inkwash", 23, "inkwsh style")
    own(folder, "pip", 24, "pipgrl girl")
    own(folder, "conker", 26, "cnkhorse horse")
    own(folder, "tilly", 27, "tllywmn woman")
    own(folder, "tilly_wedding", 28, "tllybride woman, bride")
    downloaded(folder, "handfixer", "Hand Fixer", ["tool"], "hand fixer")
    downloaded(folder, "ghibli_style", "Ghibli style", ["style", "anime"], "ghibli style")
    make.make_checkpoint(folder / "fablemix_v4.safetensors", "sdxl", {})
    make.make_checkpoint(folder / "ragnarok_xl.safetensors", "sdxl", {})
    own(folder, "lumen_v1", 29, "lumenstyle style", base="sd15")
    make.make_checkpoint(folder / "realmuse_xl.safetensors", "sdxl", {})
    make.make_checkpoint(folder / "realmuse_xl_lightning.safetensors", "sdxl", {})
    downloaded(folder, "watercolor_v1", "Watercolor", ["style", "watercolor"], base="sd15")
    downloaded(folder, "watercolor_dreams_xl", "Watercolor dreams", ["style", "watercolor"])
    downloaded(folder, "classipeint_xl", "Classipeint XL", ["style"], "oil painting")
    downloaded(folder, "white_background", "White background", ["background"], "white background")
    return Repository.open(folder, embedder=None)


def _requests() -> list[tuple[str, ...]]:
    lines = _FILE.read_text("utf-8").splitlines()
    return [tuple(line.split(" | ")) for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize(("request_text", "expected"), _requests())
def test_the_models_of_a_request(repository, request_text, expected) -> None:
    decision = check_in(request_text, repository, now=NOW)
    assert " + ".join(card.name for card in decision.cards) == expected, decision.why


@pytest.mark.parametrize(
    "request_text", ["nelson or conker by the fire", "my nelson, or conker, in the snow"]
)
def test_of_two_that_are_joined_by_or_it_is_asked_which(repository, request_text) -> None:
    decision = check_in(request_text, repository, now=NOW)
    assert decision.question, decision.why
    offered = {one for choice in decision.question.choices for one in choice.card_ids}
    assert {repository.get(one).name for one in offered} == {"nelson_xl", "conker"}
    chosen = check_in(request_text, repository, now=NOW, answers=["conker"])
    assert [card.name for card in chosen.cards] == ["conker"]


def test_a_version_of_one_part_that_is_not_here_is_said(repository) -> None:
    decision = check_in("moss v9 and nelson by the fire", repository, now=NOW)
    assert decision.outcome == "no_match"
    assert decision.why.startswith("No v9 moss;")


def test_words_that_add_a_model_leave_the_prompt(repository) -> None:
    request = "tilly reading by the fire, on my fable mix checkpoint, + the hand fixer"
    decision = check_in(request, repository, now=NOW)
    assert [card.name for card in decision.cards] == ["fablemix_v4", "tilly", "handfixer"]
    assert decision.prompt is not None
    assert "reading by the fire" in decision.prompt
    assert "checkpoint" not in decision.prompt
    record = IntentRecord(decision.intent, decision.context).as_dict()
    assert record["user"]["added"] == ["my fable mix checkpoint", "the hand fixer"]
    alone = check_in("tilly on the beach", repository, now=NOW)
    assert alone.intent.divisions == ()


def test_a_model_that_is_asked_for_and_not_here_is_said(repository) -> None:
    request = "tilly by the fire, with the dirt slider"
    decision = check_in(request, repository, now=NOW)
    assert decision.outcome == "no_match"
    assert decision.why == "There is no 'the dirt slider' here. The rest would be tilly."
    assert [miss.card.name for miss in decision.near] == ["tilly"]
    drawn = check_in(request, repository, now=NOW, what_fits=True)
    assert [card.name for card in drawn.cards] == ["tilly"]
    assert any("left out: 'the dirt slider'" in notice for notice in drawn.notices)


def test_models_that_do_not_fit_together_are_said(repository) -> None:
    request = "tilly by the fire, with my lumen lora"
    decision = check_in(request, repository, now=NOW)
    assert decision.outcome == "no_match"
    assert (
        decision.why
        == "These models do not fit together: tilly is for SDXL and lumen_v1 is for SD 1.5."
    )
    drawn = check_in(request, repository, now=NOW, what_fits=True)
    assert [card.name for card in drawn.cards] == ["tilly"]
    assert any("left out: 'lumen_v1'" in notice for notice in drawn.notices)


def test_which_of_two_subjects_is_drawn_that_do_not_fit_together_is_asked(tmp_path) -> None:
    own(tmp_path, "trevor_old", 30, "trvmn man", base="sd15")
    own(tmp_path, "ken_xl", 10, "knmn man")
    repository = Repository.open(tmp_path, embedder=None)
    request = "trevor and ken having an argument"
    decision = check_in(request, repository, now=NOW)
    assert decision.question
    assert len(decision.question.choices) == 2
    why = "These models do not fit together: trevor_old is for SD 1.5 and ken_xl is for SDXL."
    assert why in decision.notices
    drawn = check_in(request, repository, now=NOW, answers=["ken"])
    assert [card.name for card in drawn.cards] == ["ken_xl"]


def test_what_is_for_an_old_base_alone_is_no_rival(tmp_path) -> None:
    own(tmp_path, "kev_beard_xl", 30, "kvman man", "grey beard, shed")
    own(tmp_path, "jen_xl", 31, "jnwmn woman")
    own(tmp_path, "kev_selfie", 10, "kvself man", "phone, mirror", base="sd15")
    own(tmp_path, "jen", 9, "jnwmn woman", base="sd15")
    repository = Repository.open(tmp_path, embedder=None)
    decision = check_in("kev and jen at the beach", repository, now=NOW)
    assert [card.name for card in decision.cards] == ["kev_beard_xl", "jen_xl"], decision.why


def test_what_is_to_be_drawn_goes_before_a_style_of_another_base(tmp_path) -> None:
    own(tmp_path, "sneha_varun", 30, "snvar couple")
    downloaded(tmp_path, "golden_backlit", "Golden Backlit", ["style"], "gldbk look", base="sd15")
    repository = Repository.open(tmp_path, embedder=None)
    own(tmp_path, "aai", 20, "aaiwmn woman")
    for request_text in ("sneha varun in golden backlit look", "golden backlit look, sneha varun"):
        decision = check_in(request_text, repository, now=NOW)
        assert [card.name for card in decision.cards] == ["sneha_varun"], decision.why
        assert "golden_backlit is not used: it is for SD 1.5." in decision.notices


def test_a_part_that_fits_no_other_is_a_notice(repository) -> None:
    decision = check_in("tilly in lumen style", repository, now=NOW)
    assert [card.name for card in decision.cards] == ["tilly"]
    assert "lumen_v1 is not used: it is for SD 1.5." in decision.notices


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("a collie and nelson by the fire", "moss_storybook + nelson_xl"),
        ("the collie in ink wash style", "moss_storybook + inkwash"),
        ("a collie by the fire, on ragnarok", "ragnarok_xl + moss_storybook"),
        ("the collie next to nelson, + the hand fixer", "moss_storybook + nelson_xl + handfixer"),
    ],
)
def test_an_answer_about_one_model_keeps_the_others(repository, request_text, expected) -> None:
    asked = check_in(request_text, repository, now=NOW)
    assert asked.question is not None
    assert {choice.label for choice in asked.question.choices} >= {"moss", "moss storybook"}
    decision = check_in(request_text, repository, now=NOW, answers=["moss storybook"])
    assert " + ".join(card.name for card in decision.cards) == expected


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Models that people described, beside one that they did not."""
    folder = tmp_path_factory.mktemp("described")
    for name, subject, style, day in (
        ("bear_realistic_v1", "bear", "realistic", "2026-03-05"),
        ("bear_realistic_v2", "bear", "realistic", "2026-05-09"),
        ("bear_cartoon_v2", "bear", "cartoon", "2025-07-04"),
        ("checker_taxi", "taxi", "realistic", "2026-06-08"),
        ("may_sketch", "house", "sketch", "2026-05-23"),
    ):
        model = make.make_lora(folder / f"{name}.safetensors")
        said = f"triggers: <{name.replace('_', '-')}>\nsubjects: {subject}\nstyles: {style}\n"
        said += f"created_at: {day}\n"
        make.beside(model, ".personalq.yaml", said)
    own(folder, "dog_farm", 30, "sksdog dog", base="sd15")
    own(folder, "tin_robot", 31, "tinrbt robot", base="sd15")
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("cartoon bear next to my dog", "bear_cartoon_v2 + dog_farm"),
        ("realistic bear with my dog", "bear_realistic_v2 + dog_farm"),
        ("the tin robot next to the checker taxi", "tin_robot + checker_taxi"),
        ("sketch house with my dog", "may_sketch + dog_farm"),
        ("my dog in front of the taxi", "dog_farm + checker_taxi"),
        ("the bear from march with my dog", "bear_realistic_v1 + dog_farm"),
        (
            "the dog next to the bear from march, both on a windowsill",
            "dog_farm + bear_realistic_v1",
        ),
        ("bear v1 next to the dog from july 2025", "bear_realistic_v1 + dog_farm"),
        ("my dog and the bear, both from july 2025", "dog_farm + bear_cartoon_v2"),
    ],
)
def test_a_part_may_mean_a_model_that_people_described(described, request_text, expected) -> None:
    decision = check_in(request_text, described, now=NOW)
    assert " + ".join(card.name for card in decision.cards) == expected, decision.why


@pytest.mark.parametrize(
    ("request_text", "outcome"),
    [
        ("the one from 2025, in a sunny field", "clarify"),
        ("the one with the moth", "no_match"),
        ("the latest one i trained of a walrus", "no_match"),
        ("the newest one with the red hat", "no_match"),
        ("the first one i made, of my neighbour", "no_match"),
        ("the one from 2025 with a zebra", "no_match"),
        ("the one from 2025, a walrus", "no_match"),
    ],
)
def test_a_place_that_no_model_has_leaves_the_one_that_is_pointed_at(
    described, request_text, outcome
) -> None:
    decision = check_in(request_text, described, now=NOW)
    assert decision.outcome == outcome, decision.why


@pytest.mark.parametrize(
    "request_text",
    [
        "my newest lora in the snow",
        "the latest model, a castle on a hill",
        "newest sd 1.5 lora: a harbour at dusk",
        "the second oldest model, on a beach",
    ],
)
def test_behind_the_first_of_all_models_is_what_to_draw(described, request_text) -> None:
    decision = check_in(request_text, described, now=NOW)
    assert decision.outcome == "select", decision.why


@pytest.mark.parametrize(
    "request_text",
    ["my newest lora of a walrus", "newest walrus lora, on a hill", "newest lora with a walrus"],
)
def test_what_the_first_of_is_said_must_be_here(described, request_text) -> None:
    decision = check_in(request_text, described, now=NOW)
    assert decision.outcome == "no_match", decision.why


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Builds of three models, beside one model that people described."""
    folder = tmp_path_factory.mktemp("builds")
    for name, days in (("moss", (20, 60, 300)), ("nelson", (25, 90, 310)), ("bear", (40, 70))):
        for version, day in zip((1, 2, 10), days, strict=False):
            own(folder, f"{name}_v{version}", day, f"{name}x {name}", base="sd15")
    taxi = make.make_lora(folder / "taxi.safetensors")
    make.beside(taxi, ".personalq.yaml", "triggers: <taxi>\nsubjects: taxi\nstyles: realistic\n")
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("moss v1 and nelson v10", "moss_v1 + nelson_v10"),
        ("moss v10 next to nelson v1", "moss_v10 + nelson_v1"),
        ("moss 2 + nelson v1, in the snow", "moss_v2 + nelson_v1"),
        ("moss from july 2025 next to nelson v1", "moss_v1 + nelson_v1"),
        ("moss and nelson, both of them from 2025", "moss_v2 + nelson_v2"),
        ("moss and nelson both made in 2025", "moss_v2 + nelson_v2"),
        ("moss and nelson, all three from 2025", "moss_v2 + nelson_v2"),
        ("moss and nelson, both the versions from 2025", "moss_v2 + nelson_v2"),
        ("moss before moss_v10 and nelson", "moss_v2 + nelson_v2"),
        ("moss next to the second oldest bear and nelson v1", "moss_v10 + bear_v2 + nelson_v1"),
        ("moss next to the fourth oldest bear and nelson v1", ""),
        ("moss v1 bearing gifts for nelson", "moss_v1 + nelson_v10"),
        ("une image de moss v2 et nelson v1 à la plage", "moss_v2 + nelson_v1"),
        ("moss v1 neben nelson v10 am Strand", "moss_v1 + nelson_v10"),
        ("the moss checkpoint i used yesterday next to nelson", ""),
    ],
)
def test_each_part_has_its_own_builds(builds, request_text, expected) -> None:
    decision = check_in(request_text, builds, now=NOW)
    assert " + ".join(card.name for card in decision.cards) == expected, decision.why


def test_a_question_about_one_of_several_says_of_which(tmp_path) -> None:
    own(tmp_path, "nelson", 30, "nlscat cat")
    for name, style in (("moss_photo", "realistic"), ("moss_toon", "cartoon")):
        own(tmp_path, name, 20, "mosdog dog")
        sidecar = tmp_path / f"{name}.personalq.yaml"
        sidecar.write_text(f"subjects: dog\nnames: [moss]\nstyles: {style}\n", "utf-8")
    repository = Repository.open(tmp_path, embedder=None)
    decision = check_in("moss and nelson by the fire", repository, now=NOW)
    assert decision.question, decision.why
    assert decision.question.text == "Which look for 'moss': realistic or cartoon?"
    alone = check_in("moss by the fire", repository, now=NOW)
    assert alone.question
    assert alone.question.text == "Which look: realistic or cartoon?"


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("geralt and the mt07 motorbike, rain", ["geralt_v1", "mt07_old"]),
        ("the mt07 motorbike, rain", ["mt07_bike_xl"]),
    ],
)
def test_another_model_of_a_name_where_the_likeliest_does_not_fit(
    tmp_path: Path, request_text: str, names: list[str]
) -> None:
    own(tmp_path, "geralt_v1", 20, "grltm man", base="sd15")
    own(tmp_path, "mt07_bike_xl", 30, "mtbk motorbike")
    own(tmp_path, "mt07_old", 21, "mtold", base="sd15")
    decision = check_in(request_text, Repository.open(tmp_path, embedder=None), now=NOW)
    assert [card.name for card in decision.cards] == names, decision.why


def test_there_is_one_checkpoint_whatever_is_in_the_name_of_another(tmp_path: Path) -> None:
    make.make_checkpoint(tmp_path / "ragnarok_xl.safetensors", "sdxl", {})
    make.make_checkpoint(tmp_path / "lighthouse_xl.safetensors", "sdxl", {})
    repository = Repository.open(tmp_path, embedder=None)
    decision = check_in("use ragnarok, a storm, lighthouse in a bay", repository, now=NOW)
    assert [card.name for card in decision.cards] == ["ragnarok_xl"], decision.why


def test_a_word_for_a_picture_is_no_model(tmp_path: Path) -> None:
    own(tmp_path, "moss", 30, "mosdog collie")
    own(tmp_path, "pip", 30, "pipgrl girl")
    downloaded(tmp_path, "amateurphoto_v6", "Amateur Photography", ["style"], "Amateur photo")
    repository = Repository.open(tmp_path, embedder=None)
    for request, more in (("family photo: moss and pip", 0), ("amateur photo of moss and pip", 1)):
        names = {one.name for one in check_in(request, repository, now=NOW).cards}
        assert len(names - {"moss", "pip"}) == more
        assert {"moss", "pip"} <= names


def test_four_that_are_listed_leave_room_for_their_place(repository) -> None:
    decision = check_in("nan, pip, poppy and moss in front of tynycoed farm", repository, now=NOW)
    names = {one.name for one in decision.cards}
    assert names == {"nan", "pip", "poppy_cavapoo", "moss_v2", "tynycoed_farm"}
