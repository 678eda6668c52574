"""Test the tags by which prompts of other programs pick LoRAs."""

from __future__ import annotations

import pytest

from personalq.checkin import Card, Repository, check_in
from personalq.checkin.catalog.pinned import PinnedModel
from personalq.checkin.catalog.reference import Reference
from personalq.checkin.language.lora_tags import lora_tags

LIBRARY = Repository(
    [
        Card("ink", "/m/loras/ink_style.safetensors", kind="lora", triggers=("inkst",)),
        Card("nelson", "/m/loras/nelson.safetensors", kind="lora", triggers=("nlscat",)),
        Card("castle", "/m/loras/castle.safetensors", kind="lora", triggers=("cstl",)),
        Card("pip", "/m/loras/mine/pip.safetensors", kind="lora", triggers=("ppgirl",)),
    ],
    embedder=None,
)


@pytest.mark.parametrize(
    ("text", "picked", "left"),
    [
        ("<lora:ink_style:0.7> a castle", [("ink_style", 0.7)], "a castle"),
        ("a castle, <lora:ink_style>", [("ink_style", None)], "a castle"),
        ("<LoRA:mine/pip.safetensors:-0.5:1>, dusk", [("pip", -0.5)], "dusk"),
        ("<lora:a:1> <lyco:b:.4>, c", [("a", 1.0), ("b", 0.4)], "c"),
        ("<lora:a:> c", [("a", None)], "c"),
        ("<lora:a:99> c", [("a", None)], "c"),
        ("<pip> at dusk", [], "<pip> at dusk"),
        ("a < b: c > d", [], "a < b: c > d"),
    ],
)
def test_what_a_prompt_picks(text, picked, left) -> None:
    models, prompt = lora_tags(text)
    assert [(one.reference.name, one.strength) for one in models] == picked
    assert prompt == left


def test_the_picked_models_are_used_as_the_tags_say() -> None:
    decision = check_in("<lora:ink_style:0.7> <lora:pip:0.9> ppgirl in a castle", LIBRARY)
    assert [(one.name, one.strength) for one in decision.cards] == [
        ("ink_style", 0.7),
        ("pip", 0.9),
    ]
    assert decision.prompt == "inkst ppgirl in a castle"
    assert decision.request == "<lora:ink_style:0.7> <lora:pip:0.9> ppgirl in a castle"


def test_one_that_is_not_here_is_said_and_the_rest_decides() -> None:
    decision = check_in("pip in a castle <lora:other:1>", LIBRARY)
    assert [one.name for one in decision.cards] == ["pip"]
    assert decision.notices == ("There is no LoRA 'other' here: its tag is left out.",)


def test_a_choice_by_hand_comes_before_tags() -> None:
    chosen = [PinnedModel(Reference("pip"), 0.3)]
    decision = check_in("<lora:ink_style:0.7> a castle", LIBRARY, chosen=chosen)
    assert [(one.name, one.strength) for one in decision.cards] == [("pip", 0.3)]
    assert "<" not in decision.prompt


def test_a_tag_alone_is_a_request() -> None:
    assert check_in("<lora:ink_style:0.7>", LIBRARY).prompt == "inkst"


@pytest.mark.parametrize(
    ("request_text", "models"),
    [
        ("my pip in a castle <lora:ink_style:0.5>", [("pip", None), ("ink_style", 0.5)]),
        ("<lora:ink_style:0.5> nelson in a castle", [("nelson", None), ("ink_style", 0.5)]),
        ("a castle <lora:ink_style:0.5>", [("ink_style", 0.5)]),
        ("a castle <lora:Ink_Style:0.5>", [("ink_style", 0.5)]),
        ("a castle <lora:PIP:0.5>", [("pip", 0.5)]),
        ("<lora:pip:0.5> pip in a castle", [("pip", 0.5)]),
        ("a girl in a castle <lora:ink_style:0.5>", [("ink_style", 0.5)]),
        ("my unicorn in a castle <lora:ink_style:0.5>", [("ink_style", 0.5)]),
    ],
)
def test_words_that_point_at_a_model_choose_it_beside_the_tags(request_text, models) -> None:
    decision = check_in(request_text, LIBRARY)
    assert [(one.card.name, one.pinned.strength) for one in decision.models] == models


@pytest.mark.parametrize("name", ["my_pip", "x1", "the_final_v2"])
def test_a_tag_of_any_name_may_be_written_in_capitals(name) -> None:
    library = Repository([Card(name, f"/m/{name}.safetensors", "lora")], embedder=None)
    decision = check_in(f"a castle <lora:{name.title()}:1>", library)
    assert [one.name for one in decision.cards] == [name]


@pytest.mark.parametrize(("bases", "folder"), [(("sdxl", "sdxl"), ["me"]), (("sdxl", "flux1"), [])])
def test_a_tag_means_one_of_two_copies_but_no_model_of_two_bases(bases, folder) -> None:
    copies = [
        Card(f"{place}-tam", f"/m/{place}/tam.safetensors", "lora", base_model=base)
        for place, base in zip(("usb_backup", "me"), bases, strict=True)
    ]
    decision = check_in("a castle <lora:tam:1>", Repository(copies, embedder=None))
    assert [str(one.path).split("/")[2] for one in decision.cards] == folder


def test_what_the_words_leave_unclear_is_asked_before_the_tags_count() -> None:
    bears = [
        Card(
            f"{name}_bear",
            f"/m/{name}_bear.safetensors",
            "lora",
            (f"{name}br",),
            subjects=("bear",),
        )
        for name in ("otto", "bruno")
    ]
    library = Repository([*LIBRARY.cards, *bears], embedder=None)
    request = "my bear in a castle <lora:ink_style:0.5>"
    asked = check_in(request, library)
    assert asked.outcome == "clarify"
    decision = check_in(request, library, answers=["2"])
    assert [one.name for one in decision.cards][1:] == ["ink_style"]


def test_a_model_of_a_tag_is_not_called_by_words_of_the_picture() -> None:
    decision = check_in("<lora:ink_style:0.5> zorro on a horse", LIBRARY)
    assert [one.name for one in decision.cards] == ["ink_style"]
    assert decision.offered_name == ""
