"""Test models that a person picked by hand and uses together, each in its own way."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from personalq.checkin import Card, Decision, Repository, check_in
from personalq.checkin.catalog.connected import ConnectedModel
from personalq.checkin.catalog.pinned import PinnedModels
from personalq.tests.checkin.own_loras import own

NOW = datetime(2026, 5, 1, tzinfo=UTC)
REQUEST = "nelson in needle felt style on a log"


def lora(name: str, trigger: str, base_model: str | None = "sd15", **known) -> Card:
    known = {"created_at": datetime(2026, 1, 1, tzinfo=UTC), **known}
    return Card(
        name,
        path=f"/models/loras/{name}.safetensors",
        kind="lora",
        triggers=(trigger, *known.pop("more", ())),
        base_model=base_model,
        lineage=name.rpartition("_v")[0] or name,
        **known,
    )


def whole(name: str, base_model: str = "sd15", **known) -> Card:
    return Card(name, path=f"/models/{name}.safetensors", base_model=base_model, **known)


CARDS = (
    whole("base_sd15"),
    lora("nelson_v2", "<nelson2>", subjects=("vole",), version="2"),
    lora("nelson_v3", "<nelson>", subjects=("vole",), version="3", more=("red scarf",)),
    lora("needle_felt", "feltwork", styles=("needle felt",), strength=0.8),
    lora("ink_xl", "inkxl", "sdxl", styles=("ink",)),
    whole("foxes", triggers=("<fox>",), subjects=("fox",)),
    whole("owls", triggers=("<owl>",), subjects=("owl",)),
)
LIBRARY = Repository(CARDS, embedder=None)


def picked(text: str, request: str = REQUEST, library: Repository = LIBRARY, **more) -> Decision:
    chosen = PinnedModels.from_text(text)
    assert chosen
    return check_in(request, library, now=NOW, chosen=chosen.models, **more)


def used(decision: Decision) -> list[tuple[str, float]]:
    return [(card.name, card.strength) for card in decision.cards]


def test_the_request_finds_both_with_less_strength_than_each_has_alone(tmp_path):
    own(tmp_path, "nelson_old", 30, "nlscat cat")
    own(tmp_path, "nelson_xl", 35, "nlscat cat")
    own(tmp_path, "inkwash", 23, "inkwsh style")
    (tmp_path / "inkwash.personalq.yaml").write_text("strength: 0.8\n")
    library = Repository.open(tmp_path, embedder=None)
    decision = check_in("nelson in my ink wash style", library, now=NOW)
    assert used(decision) == [("nelson_xl", 0.85), ("inkwash", 0.65)]
    nelson, ink = decision.models
    assert (nelson.words, ink.words) == (("nelson",), ("ink wash",))
    assert ([card.name for card in nelson.others], ink.others) == (["nelson_old"], ())
    assert used(check_in("nelson on a log", library, now=NOW)) == [("nelson_xl", 1.0)]


def test_picked_models_are_used_together_with_the_strengths_that_are_said():
    decision = picked("nelson_v3\nneedle_felt; 0.4")
    assert used(decision) == [("nelson_v3", 0.85), ("needle_felt", 0.4)]
    assert decision.why == "You chose nelson_v3 and needle_felt."
    assert decision.prompt == "<nelson> in feltwork style on a log"
    assert [one.words for one in decision.models] == [("nelson",), ("needle felt",)]


def test_instead_of_a_picked_model_those_that_are_like_it_are_offered():
    newer = lora("yarn", "<yarn>", created_at=datetime(2026, 4, 1, tzinfo=UTC))
    decision = picked("nelson_v3", library=Repository((*CARDS, newer), embedder=None))
    assert [card.name for card in decision.others] == ["nelson_v2"]


@pytest.mark.parametrize("text", ["nelson_v3", "nelson_v3\nneedle_felt"])
def test_builds_for_other_bases_are_offered_before_other_models(text):
    others = (
        lora("nelson_v4", "<nelsonxl>", "sdxl", subjects=("vole",), version="4"),
        lora("willow_v1", "<willow>", subjects=("vole",)),
    )
    decision = picked(text, "x", Repository((*CARDS, *others), embedder=None))
    names = [card.name for card in decision.models[0].others]
    assert names == ["nelson_v2", "nelson_v4", "willow_v1"]


def test_a_model_that_is_off_is_not_used_and_the_other_is_alone():
    decision = picked("nelson_v3\nneedle_felt; off")
    assert used(decision) == [("nelson_v3", 1.0)]
    assert decision.why == "You chose nelson_v3. Off: needle_felt."
    assert "feltwork" not in decision.prompt
    assert [(one.card.name, one.on, one.strength) for one in decision.models] == [
        ("nelson_v3", True, 1.0),
        ("needle_felt", False, 0.8),
    ]
    assert decision.notices == ()


def test_triggers_are_switched():
    request = "a vole on a log"
    for said, prompt in {
        "": "a <nelson> on a log",
        "; triggers: off": "a vole on a log",
        "; triggers: <nelson>, red scarf": "a <nelson> on a log, red scarf",
        "; triggers: red scarf": "a red scarf on a log",
    }.items():
        assert picked(f"nelson_v3{said}", request).prompt == prompt
    both = picked("nelson_v3; triggers: <nelson>, red scarf", "a vole in a red scarf")
    assert both.prompt == "a <nelson> in a red scarf"


def test_a_further_trigger_stands_in_prompts_of_other_languages_too():
    said = "nelson_v3; triggers: <nelson>, red scarf"
    assert picked(said, "meine Wühlmaus im Wald").prompt.endswith(", red scarf")


def test_if_all_are_off_the_base_draws_alone():
    decision = picked("nelson_v3; off\nneedle_felt; off", "a vole on a log")
    assert decision.outcome == "select"
    assert used(decision) == [("base_sd15", 1.0)]
    assert decision.prompt == "a vole on a log"
    assert decision.why == "nelson_v3 and needle_felt are off: base_sd15 draws alone."
    connected = ConnectedModel(Card("mine"), "sd15")
    decision = picked("nelson_v3; off", connected=connected)
    assert decision.why == "nelson_v3 is off: the connected SD 1.5 model draws alone."


def test_what_is_connected_draws_alone_where_it_is_picked():
    connected = ConnectedModel(Card("mine"), "sd15")
    decision = picked("connected model", "a vole on a log", connected=connected)
    assert decision.outcome == "select"
    assert decision.card == connected.card
    assert decision.prompt == "a vole on a log"
    assert decision.why == "You chose no LoRA: the connected SD 1.5 model draws alone."
    both = picked("connected model\nnelson_v3; off", connected=connected)
    assert both.why == "nelson_v3 is off: the connected SD 1.5 model draws alone."
    assert used(picked("connected model\nnelson_v3", connected=connected)) == [("nelson_v3", 1.0)]
    assert "connected model is not here." in picked("connected model").why


def test_a_checkpoint_comes_first_and_a_lora_is_put_on_it():
    decision = picked("needle_felt\nfoxes", "a fox in needle felt style")
    assert used(decision) == [("foxes", 1.0), ("needle_felt", 0.8)]
    assert decision.base is None
    assert [one.card.name for one in decision.models] == ["needle_felt", "foxes"]


MISSING = "ghost_v1 is not here. Switch it off, or let the request decide."


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("needle_felt\nghost_v1", MISSING),
        ("foxes\nowls", "foxes and owls are whole checkpoints, and a picture has one: switch the"),
        (
            "nelson_v3\nink_xl",
            "nelson_v3 is for SD 1.5 and ink_xl is for SDXL: they do not fit together. Switch",
        ),
        ("needle_felt\nneedle_felt", "needle_felt stands twice in `chosen`: remove one of its"),
        ("foxes; off", "foxes is off, and nothing else draws: switch one on, or let the request"),
    ],
)
def test_what_cannot_be_used_together_says_the_next_step(text, why):
    decision = picked(text)
    assert decision.outcome == "no_match"
    assert decision.why.startswith(why)
    assert [one.pinned.reference.name for one in decision.models] == [
        line.split(";")[0] for line in text.splitlines()
    ]


def test_what_is_off_is_no_hindrance():
    for text in ("needle_felt\nghost_v1; off", "needle_felt\nink_xl; off"):
        assert used(picked(text)) == [("needle_felt", 0.8)]


def test_one_that_is_not_here_is_offered_the_nearest():
    decision = picked("needle_felt\nmodel: nelson_v4; lineage: nelson; version: 4")
    assert decision.why.startswith("nelson_v4 is not here. Choose one of the nearest, switch it")
    felt, nelson = decision.models
    assert nelson.card is None
    assert {miss.card.name for miss in nelson.near} == {"nelson_v3", "nelson_v2"}
    assert felt.near == ()
