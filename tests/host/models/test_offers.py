"""Test which models Repo Check-in offers beside its choice."""

from __future__ import annotations

import pytest

from personalq.checkin import Card, Repository, check_in
from personalq.checkin.catalog.connected import ConnectedModel
from personalq.checkin.catalog.pinned import PinnedModel
from personalq.checkin.catalog.reference import Reference
from personalq.nodes.host.models.offers import additions, offers, offers_for

LIBRARY = Repository(
    [
        Card("base", kind="checkpoint", base_model="sdxl"),
        Card("bruno", kind="lora", base_model="sdxl", triggers=("brn0 dog",), subjects=("dog",)),
        Card("zapp", kind="lora", base_model="sdxl", triggers=("zpp",), subjects=("scooter",)),
        Card("kombucha", kind="lora", base_model="flux1", triggers=("kmb bottle",)),
    ],
    embedder=None,
)


@pytest.mark.parametrize(("picked", "offered"), [([], ["zapp"]), ([("zapp", False)], [])])
def test_what_is_switched_off_is_not_offered_again(picked, offered) -> None:
    lines = [("bruno", True), *picked]
    chosen = tuple(PinnedModel(Reference(name), on=on) for name, on in lines)
    decision = check_in("bruno on the zapp scooter", LIBRARY, chosen=chosen)
    assert [one.card.name for one in additions(decision)] == offered


@pytest.mark.parametrize(("base", "reason"), [("sdxl", ""), ("flux1", "for Flux.1")])
def test_a_build_for_another_base_is_offered_as_that(base, reason) -> None:
    bruno = Card("bruno_v2", kind="lora", base_model=base, lineage="bruno", subjects=("dog",))
    first = Card("bruno_v1", kind="lora", base_model="sdxl", lineage="bruno", subjects=("dog",))
    library = Repository([*LIBRARY.cards, first, bruno], embedder=None)
    chosen = tuple(PinnedModel(Reference(name)) for name in ("bruno_v1", "zapp"))
    decision = check_in("on a street", library, chosen=chosen)
    beside = {one.card.name for one in offers_for(decision, 0, library)}
    assert ("bruno_v2" in beside) is (base == "sdxl"), "what does not fit the others is left out"
    assert "zapp" not in beside, "what is used already is left out"
    alone = check_in("on a street", library, chosen=chosen[:1])
    assert {one.card.name: one.reason for one in offers(alone, library)}["bruno_v2"] == reason


def test_a_build_for_another_base_takes_a_build_of_the_other_model_along() -> None:
    cards = [
        Card(f"{name}_{base}", kind="lora", base_model=base, lineage=name, subjects=(subject,))
        for name, subject in (("bruno", "dog"), ("zapp", "scooter"))
        for base in ("sdxl", "flux1")
    ]
    library = Repository(cards, embedder=None)
    chosen = (PinnedModel(Reference("bruno_sdxl")), PinnedModel(Reference("zapp_sdxl"), on=False))
    decision = check_in("on a street", library, chosen=chosen)
    (offer,) = offers_for(decision, 0, library)
    assert offer.card.name == "bruno_flux1"
    assert offer.reason == "for Flux.1, with zapp_flux1"
    assert [(one.reference.name, one.on) for one in offer.chosen] == [
        ("bruno_flux1", True),
        ("zapp_flux1", False),
    ]
    of_one = [one for one in cards if one.name != "zapp_flux1"]
    alone = Repository(of_one, embedder=None)
    assert not offers_for(check_in("on a street", alone, chosen=chosen), 0, alone)


def test_in_place_of_a_look_looks_are_offered() -> None:
    """The user's own, of each the build for the same base model; no character of like words."""
    shared = {"kind": "lora", "base_model": "sdxl"}
    own = [
        Card(f"{name}_{base}", kind="lora", base_model=base, lineage=name, origin="trained")
        for name in ("anna_style", "gouache_look")
        for base in ("sdxl", "flux1")
    ]
    other = Card("arcane_style", origin="downloaded", lineage="arcane", **shared)
    ghost = Card("anna_ghost", origin="trained", lineage="anna_ghost", **shared)
    library = Repository([*own, other, ghost, *LIBRARY.cards], embedder=None)
    chosen = tuple(PinnedModel(Reference(name)) for name in ("bruno", "anna_style_sdxl"))
    decision = check_in("on a street", library, chosen=chosen)
    assert [one.card.name for one in offers_for(decision, 1, library)] == ["gouache_look_sdxl"]


def test_a_connected_model_is_offered_alone_and_nothing_it_cannot_load() -> None:
    decision = check_in("kombucha on ice", LIBRARY, connected=ConnectedModel(Card(""), "sdxl"))
    assert decision.outcome == "no_match"
    assert "kombucha (Flux.1)" in decision.why
    assert [one.card.id for one in offers(decision, LIBRARY)] == ["the connected SDXL model"]


def test_in_place_of_one_that_is_not_here_stands_what_the_words_of_its_name_find() -> None:
    gone = PinnedModel(Reference("my_zapp-v9", kind="lora"))
    alone = check_in("on a street", LIBRARY, chosen=(gone,))
    assert [one.card.name for one in offers(alone, LIBRARY)] == ["zapp"]
    both = check_in("on a street", LIBRARY, chosen=(PinnedModel(Reference("bruno")), gone))
    assert [one.card.name for one in offers_for(both, 1, LIBRARY)] == ["zapp"]
    other_kind = PinnedModel(Reference("zapp_v9", kind="checkpoint"))
    assert not offers(check_in("on a street", LIBRARY, chosen=(other_kind,)), LIBRARY)
