"""Test decisions for a model that is connected: only LoRAs that fit it, and why."""

from __future__ import annotations

import pytest

from personalq.checkin import Card, Repository, check_in
from personalq.checkin.catalog.connected import ConnectedModel
from personalq.checkin.catalog.reference import Reference

SDXL = ConnectedModel(Card("a.safetensors", base_model="sdxl"), "sdxl")
SD15 = ConnectedModel(Card("b.safetensors", base_model="sd15"), "sd15")
UNKNOWN = ConnectedModel(Card(""), None, frozenset({"boogu"}))


def model(name: str, subject: str, base: str | None, kind: str = "lora", **more) -> Card:
    return Card(
        name,
        path=f"/nowhere/{name}.safetensors",
        kind=kind,
        triggers=(f"<{name}>",),
        subjects=(subject,),
        base_model=base,
        **more,
    )


CARDS = [
    Card("base_xl", path="/nowhere/base_xl.safetensors", base_model="sdxl"),
    model("bear_xl", "bear", "sdxl"),
    model("bear_old", "bear", "sd15"),
    model("fox_pony", "fox", "pony"),
    model("owl_flux", "owl", "flux1"),
    model("owl_new", "owl", "boogu"),
    model("cat_unknown", "cat", None),
    model("dog_whole", "dog", "sdxl", "checkpoint"),
]


@pytest.fixture(scope="module")
def library() -> Repository:
    return Repository(CARDS, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "connected", "name"),
    [
        ("my bear on grass", SDXL, "bear_xl"),
        ("my bear on grass", SD15, "bear_old"),
        ("my fox on grass", SDXL, "fox_pony"),
        ("my cat on grass", SDXL, "cat_unknown"),
        ("my owl on grass", UNKNOWN, "owl_new"),
        ("my cat on grass", UNKNOWN, "cat_unknown"),
        ("my bear checkpoint on grass", SDXL, "bear_xl"),  # people call LoRAs so
    ],
)
def test_the_lora_that_fits_is_chosen(library, request_text, connected, name):
    decision = check_in(request_text, library, connected=connected)
    assert decision.card.name == name
    assert decision.base is connected.card
    assert connected.words in decision.why
    assert connected.words in [one.words for one in decision.constraints]


def test_the_words_name_the_model():
    assert (SDXL.words, SD15.words) == (
        "for the connected SDXL model",
        "for the connected SD 1.5 model",
    )
    assert UNKNOWN.words == "for the connected model"


@pytest.mark.parametrize(
    ("connected", "base", "fits"),
    [
        ("sdxl", "noobai", True),
        ("sdxl", "sd15", False),
        ("sd15", "sdxl", False),
        ("flux2", "flux2-klein-4b", True),
        ("flux1", "flux2", False),
        ("flux1-schnell", "flux1-kontext", True),
        ("wan", "wan22-14b", True),
        ("z-image", "z-image-turbo", True),
        ("sdxl", None, True),
    ],
)
def test_which_loras_a_model_takes(connected, base, fits):
    assert ConnectedModel(Card(""), connected).takes(base) is fits


@pytest.mark.parametrize("bound", [{"connected": SD15}, {"base_model": "sd15"}])
def test_a_name_that_may_be_a_time_is_bound_too(bound):
    decision = check_in("april on a bench", Repository([model("april", "woman", "sdxl")]), **bound)
    assert decision.outcome == "no_match"


@pytest.mark.parametrize("request_text", ["my dog on grass", "<dog_whole> on grass", "dog_whole"])
def test_a_checkpoint_is_refused_with_what_to_do(library, request_text):
    decision = check_in(request_text, library, connected=SDXL)
    assert decision.outcome == "no_match"
    assert decision.why == "dog_whole is a whole checkpoint; disconnect `model` to load it."
    assert decision.near[0].card.name == "dog_whole"
    assert decision.near[0].dropped == "for the connected SDXL model"
    assert check_in(request_text, library).card.name == "dog_whole"


def test_a_checkpoint_chosen_by_hand_is_refused_too(library):
    decision = check_in("anything", library, connected=SDXL, chosen=Reference("dog_whole"))
    assert (decision.outcome, decision.card) == ("no_match", None)
    assert "disconnect `model`" in decision.why


def test_a_lora_of_another_family_is_near(library):
    decision = check_in("my owl on grass", library, connected=SDXL)
    assert decision.outcome == "no_match"
    assert "No owl for the connected SDXL model" in decision.why
    assert {miss.card.name for miss in decision.near} == {"owl_flux", "owl_new"}
    assert "For another model: " in decision.why
    assert "owl_flux (Flux.1)" in decision.why
    named = check_in("<owl_flux> on grass", library, connected=SDXL)
    assert named.outcome == "no_match", "a name does not lift this constraint"


def test_what_is_not_there_is_answered_with_what_fits(library):
    decision = check_in("my giraffe on grass", library, connected=SDXL)
    assert decision.why.startswith("There is no 'giraffe' here.")
    assert "bear" in decision.why
    assert "dog" not in decision.why


def test_the_settings_are_those_of_the_connected_model(library):
    own = Card("mine.safetensors", base_model="sdxl", steps=7, cfg=1.5)
    decision = check_in("my bear on grass", library, connected=ConnectedModel(own, "sdxl"))
    assert (decision.serving.steps, decision.serving.cfg) == (7, 1.5)


@pytest.fixture(scope="module")
def lenas() -> Repository:
    cards = [
        Card("base", path="/nowhere/base.safetensors", base_model="sd15"),
        model("lena_park_v1", "woman", "sdxl"),
        model("lena_schmidt_v1", "woman", "sd15"),
        model("lena_schmidt_v2", "woman", "sdxl"),
    ]
    return Repository(cards, embedder=None)


def test_who_is_named_for_another_base_is_no_other_of_that_first_name(lenas) -> None:
    decision = check_in("lena park at a cafe", lenas, connected=SD15)
    assert decision.card is None
    assert "SD 1.5" in decision.why
    assert decision.near[0].card.name == "lena_park_v1"


def test_who_is_named_and_fits_is_chosen(lenas) -> None:
    for request in ("lena schmidt at a cafe", "lena at a cafe", "lena schmidt in a park"):
        decision = check_in(request, lenas, connected=SD15)
        assert decision.card
        assert decision.card.name == "lena_schmidt_v1"
    decision = check_in("lena schmidt in a park", lenas)
    assert decision.card
    assert decision.card.name == "lena_schmidt_v2"
