"""Test decisions about files that nobody described for Check-in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from personalq.checkin import Decision, Repository, check_in
from personalq.checkin.user.context import Context
from personalq.checkin.user.history import Use
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.own_loras import downloaded, own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("loras")
    own(folder, "moss_v3", 0, "mosdog border collie", "grass, beach, red hat", base="sd15")
    own(folder, "mossXL_v1", 300, "mosdog border collie", "grass, beach")
    own(folder, "mossXL_v2-000004", 320, "mosdog border collie", "grass")
    own(folder, "mossXL_v2", 321, "mosdog border collie", "grass, snow")
    own(folder, "nelson_v1", 100, "nlsncat cat", "sofa")
    own(folder, "nelson_v2", 200, "nlsncat cat", "sofa")
    own(folder, "nelson_v3_failed", 210, "nlsncat cat", "sofa")
    own(folder, "rex_v2_failed", 300, "rexdog dog", "sofa", base="sd15")
    own(folder, "rex_xl_v1", 250, "rexdog dog", "sofa")
    own(folder, "luna", 220, "lunacat cat", "windowsill")
    own(folder, "family/nan", 230, "nanwmn woman", "kitchen, apron")
    own(folder, "evies_drawings", 240, "eviedrw style", "crayon, house")
    downloaded(folder, "mossy_overgrown", "Mossy Overgrown World", ["environment"], "mossy world")
    downloaded(folder, "FeltedWool_v3", "Felted Wool style", ["style", "felt"], "needle felt")
    downloaded(folder, "tarot512", "Tarot card style", ["style", "tarot", "card"], "tarot card")
    downloaded(folder, "siamese", "Siamese cat", ["animal", "cat"], "siamese cat")
    make.make_checkpoint(folder / "RealMuseXL_V5.safetensors", "sdxl", {})
    make.make_checkpoint(folder / "RealMuseXL_V5_Lightning.safetensors", "sdxl", {})
    return Repository.open(folder, embedder=None)


def ask(repository: Repository, request: str, **options) -> Decision:
    return check_in(request, repository, now=NOW, **options)


def chosen(decision: Decision) -> list[str]:
    return [card.name for card in decision.cards]


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("moss running on the beach, red hat, sunset", ["mossXL_v2"]),
        ("nelson asleep on the radiator", ["nelson_v2"]),
        ("moss but the 1.5 one", ["moss_v3"]),
        ("not the old moss", ["mossXL_v2"]),
        ("mossXL v1 on the grass", ["mossXL_v1"]),
        ("epoch 4 of moss", ["mossXL_v2-000004"]),
        ("oldest moss i have", ["moss_v3"]),
        ("the last nelson i trained", ["nelson_v2"]),
        ("nlson in teh snow", ["nelson_v2"]),
        ("tarot card of the sun", ["tarot512"]),
        ("nan in an apron", ["nan"]),
        ("a siamese cat on a wall", ["siamese"]),
        ("someone's birthday as felted wool", ["FeltedWool_v3"]),
        ("the failed nelson", ["nelson_v3_failed"]),
        ("the failed rex", ["rex_v2_failed"]),
        ("nelson the siamese asleep on the radiator", ["nelson_v2"]),
        ("realmusexl, the ordinary one, not the lightning", ["RealMuseXL_V5"]),
        (
            "so the wife wants a card for the club break up. need nelson, just him, near the "
            "barbecue with a fork, brick wall behind, fairy lights, paper cups. nothing fancy",
            ["nelson_v2"],
        ),
        ("the moss i trained in may 2026", ["mossXL_v2"]),
        ("mossXL before v2", ["mossXL_v1"]),
        ("moss from april 26", ["mossXL_v1"]),
    ],
)
def test_the_model_that_is_meant(repository, request_text: str, names: list[str]) -> None:
    assert chosen(ask(repository, request_text)) == names


@pytest.mark.parametrize(
    "request_text",
    [
        "a blue teapot",
        "giraffe drinking from a swimming pool",
        "uncle dave fishing off the pier",
        "moss for flux",
        "moss from 2019",
        "my hamster in a wheel",
    ],
)
def test_nothing_is_guessed_where_nothing_fits(repository, request_text: str) -> None:
    assert ask(repository, request_text).outcome == "no_match"


def test_a_gate_that_no_model_passes_names_the_nearest(repository) -> None:
    decision = ask(repository, "moss for flux")
    assert decision.near[0].card.name == "mossXL_v2"
    assert decision.near[0].dropped == "Flux"
    assert "Flux" in decision.why


def test_an_amount_is_not_what_is_missing(repository) -> None:
    assert ask(repository, "a pair of teapots").why == "There is no 'teapots' here."


def test_files_of_other_kinds_are_said_not_to_be_chosen(repository) -> None:
    decision = ask(repository, "the canny controlnet")
    assert decision.outcome == "no_match"
    assert "checkpoints and LoRAs" in decision.why


def test_ones_own_come_before_downloads(repository) -> None:
    decision = ask(repository, "our cat on the sofa")
    offered = {one for choice in decision.question.choices for one in choice.card_ids}
    assert {"nelson_v2", "luna"} <= offered
    assert "siamese" not in offered


def test_a_subject_and_a_style_are_used_together(repository) -> None:
    decision = ask(repository, "nelson in needle felt style")
    assert sorted(chosen(decision)) == ["FeltedWool_v3", "nelson_v2"]
    assert "needle felt" in decision.prompt
    assert "nlsncat" in decision.prompt


def test_two_subjects_are_used_together(repository) -> None:
    assert sorted(chosen(ask(repository, "moss and nelson by the fire"))) == [
        "mossXL_v2",
        "nelson_v2",
    ]


@pytest.mark.parametrize(
    ("request_text", "not_used"),
    [
        ("zorbul nelson on a wall", "zorbul"),
        ("nelson the tarot on a wall", "tarot"),
        ("grumpy nelson on a wall", ""),  # a word of the picture
        ("nelson and my wife on a wall", "wife"),
        ("nelson and a wife on a wall", ""),
    ],
)
def test_names_that_were_not_used_are_said(repository, request_text: str, not_used: str) -> None:
    noted = [f"Not used to choose the model: '{not_used}'."] if not_used else []
    assert list(ask(repository, request_text).notices) == noted


def test_the_model_that_was_used(repository) -> None:
    used = datetime(2026, 9, 19, 21, tzinfo=UTC)
    context = Context(history=(Use(used, "luna"), Use(used.replace(month=3), "nelson_v2")))
    assert chosen(ask(repository, "the one i was using last night", context=context)) == ["luna"]
    assert chosen(ask(repository, "the cat i used in march", context=context)) == ["nelson_v2"]
    assert ask(repository, "the one i used on friday", context=context).outcome == "no_match"


@pytest.mark.parametrize(
    ("request_text", "names", "prompt"),
    [
        ("the same combo as last night but in the rain", ["FeltedWool_v3", "luna"], "in the rain"),
        ("the same two as last night but in the rain", ["FeltedWool_v3", "luna"], "in the rain"),
        ("same loras as last night", ["FeltedWool_v3", "luna"], ""),
        ("the same as last night", ["FeltedWool_v3", "luna"], ""),
        ("same lora as last night", ["luna"], ""),
    ],
)
def test_the_models_that_were_used_in_one_run(repository, request_text, names, prompt) -> None:
    used = datetime(2026, 9, 19, 21, tzinfo=UTC)
    uses = Use(used - timedelta(hours=1), "nelson_v2"), Use(used, "feltedwool_v3")
    context = Context(history=(*uses, Use(used + timedelta(seconds=1), "luna")))
    decision = ask(repository, request_text, context=context)
    assert chosen(decision) == names
    assert (decision.prompt or "").endswith(prompt)


@pytest.mark.parametrize(
    ("answer", "names"),
    [("luna", ["luna"]), ("the nelson one", ["nelson_v2"]), ("the newest", ["luna"])],
)
def test_typed_answers(repository, answer: str, names: list[str]) -> None:
    assert chosen(ask(repository, "our cat on the sofa", answers=[answer])) == names


def test_neither_declines(repository) -> None:
    decision = ask(repository, "our cat on the sofa", answers=["neither"])
    assert decision.outcome == "no_match"


def test_an_answer_that_fits_nothing_asks_again(repository) -> None:
    decision = ask(repository, "our cat on the sofa", answers=["the purple giraffe"])
    assert decision.outcome == "clarify"
    assert "purple giraffe" in decision.question.text


def test_best_match_never_asks(repository) -> None:
    assert ask(repository, "our cat on the sofa", best_match=True).outcome == "select"


def test_files_without_metadata_are_called_by_their_names(tmp_path):
    """As in the folder of somebody who trained models and wrote nothing down."""
    for name in ("anna_v2", "canecas_v1"):
        make.make_lora(tmp_path / f"{name}.safetensors")
    plain = Repository.open(tmp_path, embedder=None)
    assert [card.name for card in check_in("anna on a hill", plain, now=NOW).cards] == ["anna_v2"]
    assert check_in("a bear", plain, now=NOW).outcome == "no_match"


@pytest.fixture(scope="module")
def potter(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """The files of somebody who names them in Portuguese and asks in English."""
    folder = tmp_path_factory.mktemp("potter")
    make.make_checkpoint(folder / "juggernautXL_ragnarokBy.safetensors", "sdxl")
    make.make_checkpoint(folder / "dreamshaper_8.safetensors")
    make.make_checkpoint(folder / "dreamshaperXL_lightningDPMSDE.safetensors", "sdxl")
    own(folder, "bolota_v1", 0, "bolotacat cat")
    own(folder, "bolota_v2", 9, "bolotacat cat")
    own(folder, "clara_v1", 445, "cl4ra girl")
    own(folder, "chair_v2", 60, "chairM")
    own(folder, "chair_v3_FINAL2", 70, "chairM")
    own(folder, "ines_v1", 90, "1nes teenager girl")
    own(folder, "rui", 100, "ru1 man")
    own(folder, "canecas_v1", 20, "canecasM")
    own(folder, "quintal_galinhas", 30, "galinhasM")
    own(folder, "mae_natal", 40, "maeM")
    own(folder, "eu_selfie", 50, "eum")
    own(folder, "kaya_v1", 70, "k4ya dog")
    downloaded(folder, "ghibli_offset", "Ghibli style", ["style"], "ghibli style")
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("juggernaut, an octopus in a teacup", ["juggernautXL_ragnarokBy"]),
        ("juggernautXL, an octopus in a teacup", ["juggernautXL_ragnarokBy"]),
        ("an octopus in a teacup on juggernaut", ["juggernautXL_ragnarokBy"]),
        ("an octopus in a teacup, steam. juggernaut", ["juggernautXL_ragnarokBy"]),
        ("an octopus in a teacup, SDXL juggernaut only, steam", ["juggernautXL_ragnarokBy"]),
        ("jugernaut, an octopus in a teacup", ["juggernautXL_ragnarokBy"]),
        ("dreamshaper 8, an octopus in a teacup", ["dreamshaper_8"]),
        ("an uncle playing golf, sd 1.5", ["dreamshaper_8"]),
        ("dreamshaper 8 - an octopus in a teacup", ["dreamshaper_8"]),
        ("chairM v2 in a garden", ["chair_v2"]),
        ("juggernautXL with bolota v2", ["juggernautXL_ragnarokBy", "bolota_v2"]),
        ("my mugs on a stone wall", ["canecas_v1"]),
        ("my hens between tulips", ["quintal_galinhas"]),
        ("me at the market", ["eu_selfie"]),
        ("bolota v1 ghibli style on a roof", ["bolota_v1", "ghibli_offset"]),
        ("my niece from september", ["clara_v1"]),
    ],
)
def test_models_are_called_in_other_words(potter, request_text, names):
    assert [card.name for card in ask(potter, request_text).cards] == names


@pytest.mark.parametrize(
    "request_text",
    [
        "my octopus on juggernaut",  # which somebody trained
        "my lighthouse from september",  # the only model of September is a girl
        "our beach, empty, september",
        "our rock in the sea",  # in Turkish, of which no other name is
        "my husband on the roof",  # a person, but not "me"
        "uncle playing golf, sd 1.5",  # is somebody's, too
        "a knight with a teapot for a helmet",
    ],
)
def test_what_is_something_else_is_not_taken(potter, request_text):
    assert ask(potter, request_text).outcome == "no_match"


def test_a_relation_is_asked_about_people(potter):
    """Of two girls one is meant; of the only man it is not known."""
    asked = ask(potter, "my daughter blowing the candles").question
    assert asked
    assert {one.label for one in asked.choices} == {"clara", "ines"}
    declined = ask(potter, "my husband on the roof")
    assert declined.outcome == "no_match"
    assert declined.near[0].card.name == "rui"


@pytest.mark.parametrize("request_", ["my father at the lake", "my grandad at the lake"])
def test_a_father_is_no_boy(tmp_path, request_):
    own(tmp_path, "milo", 10, "milo boy")
    own(tmp_path, "malo", 11, "malo boy")
    assert ask(Repository.open(tmp_path, embedder=None), request_).outcome == "no_match"


def test_the_only_checkpoint_of_a_base_draws_what_no_model_is_of(potter):
    [card] = ask(potter, "sd 1.5, an octopus in a teacup").cards
    assert card.name == "dreamshaper_8"


def test_the_one_for_a_base_is_a_model_that_is_not_here(potter):
    assert ask(potter, "an octopus in a teacup, the sd 1.5 one").outcome == "no_match"


def test_a_folder_says_who_i_am(tmp_path):
    """But not one that says whom something is for, and not for what is downloaded into it."""
    own(tmp_path, "me/isolde_v1", 100, "isldwmn woman", "scarf")
    own(tmp_path, "for me/clara", 120, "clarawmn woman", "garden")
    downloaded(tmp_path, "me/trench_coat", "Trench coat", ["clothing"], "trench coat")
    library = Repository.open(tmp_path, embedder=None)
    assert chosen(ask(library, "me at the market")) == ["isolde_v1"]
    assert chosen(ask(library, "a photo of myself in the rain")) == ["isolde_v1"]


def test_a_name_may_be_said_in_two_words(tmp_path):
    """Also where the second says only what kind of model it is: "boy"."""
    own(tmp_path, "mothboy_v1", 100, "mthboy boy", "street lamp")
    own(tmp_path, "theo", 120, "theoboy boy", "garden")
    library = Repository.open(tmp_path, embedder=None)
    assert chosen(ask(library, "moth boy under a street lamp")) == ["mothboy_v1"]


def test_an_sdxl_checkpoint_draws_as_the_base_that_its_name_tells(tmp_path):
    for name in (
        "ponyDiffusionV6XL_v6StartWithThisOne",
        "cyberrealisticPony_v130",
        "RealMuseXL_V5",
    ):
        make.make_checkpoint(tmp_path / f"{name}.safetensors", "sdxl", {})
    library = Repository.open(tmp_path, embedder=None)
    assert chosen(ask(library, "with pony v6, an octopus in a teacup")) == [
        "ponyDiffusionV6XL_v6StartWithThisOne"
    ]


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("a cow in claymation", ["CLAYMATE_V2"]),
        ("a cow, claymation", ["CLAYMATE_V2"]),
        ("an auto-rickshaw and a cow arguing at the signal, fully in plasticine", ["CLAYMATE_V2"]),
        ("my cow in claymation", []),  # which somebody trained
        ("a cow in a meadow", []),
        ("an upscaler for claymation", []),
        ("moss in claymation", ["moss_xl", "CLAYMATE_V2"]),
    ],
)
def test_a_look_draws_what_no_model_is_of(tmp_path, request_text, names):
    downloaded(tmp_path, "CLAYMATE_V2", "CLAYMATE - Claymation Style", [], "claymation")
    own(tmp_path, "moss_xl", 10, "mossx dog")
    own(tmp_path, "teapot_xl", 20, "tptx teapot", "kitchen")
    own(tmp_path, "dave_xl", 30, "dvx man")
    assert chosen(ask(Repository.open(tmp_path, embedder=None), request_text)) == names
