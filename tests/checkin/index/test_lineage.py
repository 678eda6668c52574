"""Which cards are versions of each other."""

from __future__ import annotations

from personalq.checkin.catalog.cards import Card
from personalq.checkin.index.lineage import lineage_of


def same(*cards: Card) -> bool:
    return len({lineage_of(card) for card in cards}) == 1


def at(path: str, **fields: object) -> Card:
    return Card("x", path, **fields)  # type: ignore[arg-type]


def test_versions_epochs_and_dates_of_one_name() -> None:
    names = [
        "bear",
        "bear_v1",
        "bear-v12",
        "bear 3",
        "bear-000010",
        "bear-step00000400",
        "bear_2025-04-11",
        "Bear_v2",
    ]
    assert same(*(at(f"/models/{i}/{name}.safetensors") for i, name in enumerate(names)))


def test_another_look_kind_or_name_is_another_lineage() -> None:
    bear = {"subjects": ("bear",), "styles": ("sketch",), "base_model": "sd15"}
    cards = [
        at("/m/bear_v1.safetensors", **bear),
        at("/m/bear_v1.safetensors", **bear | {"styles": ("anime",)}),
        at("/m/bear_v1.safetensors", **bear | {"subjects": ("bear", "hat")}),
        at("/m/bear_v1.safetensors", **bear, kind="lora"),
        at("/m/bear_sketch_v1.safetensors", **bear),
    ]
    assert len({lineage_of(card) for card in cards}) == len(cards)


def test_a_model_made_anew_for_another_base_is_of_the_same_lineage() -> None:
    assert same(
        at("/m/bear_v3.safetensors", base_model="sd15"),
        at("/m/xl/bearXL_v1.safetensors", base_model="sdxl"),
        at("/m/bear_flux.safetensors", base_model="flux1"),
    )


def test_order_and_case_of_words_do_not_matter() -> None:
    one = at("/m/bear_v1.safetensors", subjects=("bear", "Teddy"))
    assert same(one, at("/m/bear_v2.safetensors", subjects=("teddy", "bear")))


def test_what_trainers_call_every_model_makes_no_lineage() -> None:
    for name in ("pytorch_lora_weights", "adapter_model", "last", "lora", "model"):
        dog = at(f"/m/dog/{name}.safetensors", kind="lora", triggers=("sks dog",))
        cat = at(f"/m/cat/{name}.safetensors", kind="lora", triggers=("ohwx cat",))
        assert not same(dog, cat), name
        assert same(dog, at(f"/m/old/{name}.safetensors", kind="lora", triggers=("sks dog",)))


def test_names_that_say_nothing_give_way_to_the_trigger_and_the_folder() -> None:
    assert same(Card("c0001", triggers=("<bear-v1>",)), Card("c0002", triggers=("<bear-v2>",)))
    assert not same(Card("c0001", triggers=("<bear-v1>",)), Card("c0002", triggers=("<dog-v2>",)))
    assert same(
        Card("5f3a" * 16, triggers=("<bear-v1>",)), Card("a0b1" * 16, triggers=("<bear-v2>",))
    )
    assert same(at("/m/bear/last.safetensors"), at("/m/bear/last-000004.safetensors"))
    assert not same(at("/m/bear/v1.safetensors"), at("/m/dog/v2.safetensors"))
    assert same(
        Card("ckpt_0001", triggers=("<bear-v1>",)), Card("ckpt_0002", triggers=("<bear-v2>",))
    )
    assert not same(Card("bear1"), Card("bear2")), "a number within a word may be anything"


def test_what_one_notes_behind_a_version_is_of_that_version() -> None:
    own = {"kind": "lora", "origin": "trained"}
    assert same(
        at("/m/marit_v1.safetensors", **own),
        at("/m/marit_v2_kort_har.safetensors", **own),
        at("/m/marit_flux_v2.1_with_glasses.safetensors", **own),
    )
    others = {"kind": "lora", "origin": "downloaded"}
    assert not same(
        at("/m/clay_v1.safetensors", **others), at("/m/clay_v2_flat.safetensors", **others)
    )
    assert not same(
        at("/m/marit_v1.safetensors", **own), at("/m/marit_beach_v2.safetensors", **own)
    )
