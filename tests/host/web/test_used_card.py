"""Test the route that uses a card for a request, beside what is chosen for it."""

from __future__ import annotations

import pytest

from personalq.checkin import Card, Repository
from personalq.nodes.host.web.used_card import use as use_card

pytestmark = pytest.mark.usefixtures("read_anew")

REALISTIC, CARTOON, BAG, STYLE = (
    "bear-bear_realistic_v4",
    "bear-bear_cartoon_v2",
    "bag-heart_bag",
    "styles-blueprint",
)


def use(ask, card: str, request: str | None, chosen: str = "") -> tuple[str | None, list[str]]:
    """(the request with the card's words, the names of the chosen models with their use)."""
    body = {"request": request, "chosen": chosen}
    status, said, *_ = ask("POST", f"/personalq/cards/{card}/words", body)
    assert status == 200, said
    names = []
    for line in said["chosen"].splitlines():
        name, *use = line.split("; ")
        own = [one for one in use if one == "off" or one.startswith("strength")]
        names.append("; ".join([name.removeprefix("model: "), *own]))
    return said.get("request"), names


def test_a_subject_and_a_style_are_used_together(ask):
    request, chosen = use(ask, BAG, "a bag in the snow")
    assert (request, chosen) == ("a <heart-bag> in the snow", ["heart_bag"])
    told = f"for: {request}\nheart_bag; strength: 0.8"
    assert use(ask, STYLE, request, told) == (
        "a <heart-bag> in the snow blueprint style",
        ["heart_bag; strength: 0.8", "blueprint"],
    )


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [
        ("un ours dans la neige", "un <bear-v4> dans la neige"),
        ("ein Bär im Schnee", "ein <bear-v4> im Schnee"),
        ("雪の中のクマがいる", "雪の中の <bear-v4> がいる"),
        ("雪地里的熊", "雪地里的 <bear-v4>"),
        ("곰이 눈 속에 있다", "<bear-v4> 이 눈 속에 있다"),
    ],
)
def test_a_subject_that_is_named_in_another_language(ask, request_, wanted):
    request, chosen = use(ask, REALISTIC, request_)
    assert (request, chosen) == (wanted, ["bear_realistic_v4"])
    _, chosen = use(ask, CARTOON, request_, f"for: {request_}\nbear_realistic_v4")
    assert chosen == ["bear_cartoon_v2"]


def test_what_is_chosen_for_another_request_is_not_used(ask):
    assert use(ask, BAG, "a cat", "for: a dog\nblueprint")[1] == ["heart_bag"]
    assert use(ask, BAG, "a cat", "blueprint")[1] == ["blueprint", "heart_bag"]


def test_another_build_takes_the_place_of_a_model(ask):
    assert use(ask, CARTOON, "a <toon-bear-v1> on grass", "bear_cartoon_v1; 0.5\nblueprint") == (
        "a <toon-bear-v2> on grass",
        ["bear_cartoon_v2", "blueprint"],
    )


def test_the_same_card_is_not_used_twice_but_switched_on(ask):
    told = "heart_bag; strength: 0.8; off"
    assert use(ask, BAG, "a <heart-bag>", told) == (
        "a <heart-bag>",
        ["heart_bag; strength: 0.8"],
    )


def test_a_picture_has_one_checkpoint(ask):
    told = "dog_realistic\nblueprint"
    assert use(ask, "demo_base", "a sks dog", told)[1] == ["demo_base", "blueprint"]


def test_who_takes_the_word_for_the_subject_takes_the_place_of_its_model(ask):
    assert use(ask, CARTOON, "my bear on grass", "bear_realistic_v3\nblueprint") == (
        "my <toon-bear-v2> on grass",
        ["bear_cartoon_v2", "blueprint"],
    )
    told = "bear_realistic_v4"
    assert use(ask, CARTOON, "a <bear-v4> on grass", told) == (
        "a <bear-v4> on grass <toon-bear-v2>",
        ["bear_realistic_v4", "bear_cartoon_v2"],
    )


def test_what_is_said_of_a_model_that_does_not_fit_stays():
    ghibli = Card("ghibli", "/m/ghibli.safetensors", "lora", ("ghibli style",), base_model="sdxl")
    geralt = Card("geralt", "/m/geralt.safetensors", "lora", ("grlt man",), base_model="flux1")
    request = "meg at the beach, ghibli style"
    said = use_card(
        Repository([ghibli, geralt], embedder=None),
        geralt,
        {"request": request, "chosen": f"for: {request}\nghibli"},
    )
    assert said["request"] == "meg at the beach, ghibli style grlt man"
    assert "ghibli\n" not in said["chosen"].removeprefix(f"for: {request}")


def test_a_model_stays_in_its_build_that_fits():
    """A card for one base beside two models for another, of which one has a build for it."""

    def lora(name: str, trigger: str, base: str) -> Card:
        return Card(name, f"/m/{name}.safetensors", "lora", (trigger,), base_model=base)

    chosen = [lora("pip_flux", "piptok boy", "flux1"), lora("juno_flux", "junotok girl", "flux1")]
    porch, build = lora("porch_zit", "prch", "z-image"), lora("pip_zit", "piptok", "z-image")
    request = "pip and juno at home"
    said = use_card(
        Repository([*chosen, porch, build], embedder=None),
        porch,
        {"request": request, "chosen": f"for: {request}\npip_flux; 0.7\njuno_flux"},
    )
    lines = [line.split("; ")[:2] for line in said["chosen"].splitlines()]
    assert [name for name, _ in lines] == ["model: pip_zit", "model: porch_zit"]
    assert lines[0][1] == "strength: 0.7"
    assert said["request"] == f"{request} prch"


def test_a_model_that_is_not_here_stays(ask):
    assert use(ask, BAG, "a cat", "nobody; off")[1] == ["nobody; off", "heart_bag"]


def test_a_request_that_cannot_be_changed_stays(ask):
    assert use(ask, BAG, None, "for: a dog\nblueprint") == (None, ["blueprint", "heart_bag"])


@pytest.mark.parametrize("body", [{"request": 1}, {"chosen": None}, {"request": "a", "before": ""}])
def test_other_bodies_are_refused(ask, body):
    assert ask("POST", f"/personalq/cards/{BAG}/words", body)[0] == 400
