"""Test that another trigger of a model becomes its first one, once."""

from __future__ import annotations

import pytest

from personalq.checkin import Card, rewrite
from personalq.checkin.language.drawn import Drawn

DOG = Card("dog", triggers=("sks dog", "ohwx", "green eyes"), subjects=("dog",))
CAT = Card("cat", triggers=("nlsncat cat", "nlsn"), subjects=("cat",))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ohwx on a sofa", "sks dog on a sofa"),
        ("OHWX and an ohwx", "sks dog and an sks dog"),
        ("an ohwx beside a dog", "an sks dog beside a dog"),
        ("a sks dog, not ohwx", "a sks dog, not ohwx"),
        ("a dog with green eyes", "a sks dog with green eyes"),
        ("green eyes, a sofa", "sks dog green eyes, a sofa"),
        ("(ohwx:1.2)", "(sks dog:1.2)"),
        ("<lora:ohwx:1>, ohwx", "<lora:ohwx:1>, sks dog"),
    ],
)
def test_another_trigger_becomes_the_first(text, expected):
    once = rewrite(text, DOG)
    assert once.text == expected
    assert rewrite(expected, DOG).text == expected


def test_each_of_several_models_gets_its_own_trigger():
    text = "nlsn and ohwx on a sofa"
    for card, other in ((CAT, DOG), (DOG, CAT)):
        text = rewrite(text, card, [other.trigger]).text
    assert text == "nlsncat cat and sks dog on a sofa"


def test_nothing_in_the_trigger_of_another_model_is_replaced():
    puppy = Card("puppy", triggers=("<puppy>",), subjects=("dog",))
    assert rewrite("sks dog and a dog", puppy, ["sks dog"]).text == "sks dog and a <puppy>"


@pytest.mark.parametrize("text", ["ohwx (dog:1.2)", "two dogs and a dog", "a sofa ", "sks_dog!"])
def test_the_edits_lead_from_the_text_to_the_rewritten_one(text):
    found, made, end = rewrite(text, DOG), "", 0
    for start, last, put in found.edits:
        made += text[end:start] + put
        end = last
    assert (made + text[end:]).rstrip() == found.text.rstrip()
    assert Drawn.of(text).after(found).text == found.text
