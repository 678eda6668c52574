"""Test that the trigger replaces the nouns and that nothing else changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from personalq.checkin import Card, rewrite
from personalq.checkin.language.trigger_prompt import prompt_form

SABER = Card("saber", triggers=("saber_(fate)", "artoria (swimsuit)"), subjects=("saber",))
BEAR = Card("bear", triggers=("<bear-v4>",), subjects=("bear", "teddy bear", "plush toy"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my most realistic bear on forest grass", "my most realistic <bear-v4> on forest grass"),
        ("a teddy bear and a bear", "a <bear-v4> and a <bear-v4>"),
        ("A BEAR", "A <bear-v4>"),
        ("the bear's nose", "the <bear-v4> 's nose"),
        ("two bears dancing", "two <bear-v4> dancing"),
        ("plush toys", "<bear-v4>"),
        ("a plush-toy", "a <bear-v4>"),
        ("a bear, sitting", "a <bear-v4> , sitting"),
        ("bear.", "<bear-v4> ."),
        ('a "bear" here', 'a " <bear-v4> " here'),
        ("(bear:1.2) on grass", "(<bear-v4> :1.2) on grass"),
        ("((bear))", "((<bear-v4> ))"),
        ("[bear]", "[ <bear-v4> ]"),
        (r"a \(bear\)", r"a \( <bear-v4> \)"),
        ("a bearded man with bear-like arms", "<bear-v4> a bearded man with bear-like arms"),
        ("<bear-v3> and a bear", "<bear-v3> and a <bear-v4>"),
        ("Bear Grylls and a bear", "Bear Grylls and a <bear-v4>"),
        ("<BEAR-V4> here", "<bear-v4> here"),
        ("bears, many", "<bear-v4> , many"),
        ("<lora:bear:0.8> a bear", "<lora:bear:0.8> a <bear-v4>"),
        ("embedding:bear a bear", "embedding:bear a <bear-v4>"),
        ("a bear\nand a bear", "a <bear-v4>\nand a <bear-v4>"),
        ("a castle on a hill", "<bear-v4> a castle on a hill"),
        ("a photo of <bear-v4>", "a photo of <bear-v4>"),
        ("a photo of <bear-v4>, sitting", "a photo of <bear-v4> , sitting"),
        ("a bear beside <bear_v4>", "a bear beside <bear-v4>"),
    ],
)
def test_rewrite(text, expected):
    assert rewrite(text, BEAR).text == expected


@pytest.mark.parametrize(
    "text", ["a bear, two bears and the bear's nose", "(bear:1.2)", "a castle", "<bear-v4>, a bear"]
)
def test_rewriting_again_changes_nothing(text):
    once = rewrite(text, BEAR).text
    assert rewrite(once, BEAR).text == once


def test_what_was_replaced_is_told():
    assert rewrite("a teddy bear and a BEAR", BEAR).replaced == ("teddy bear", "BEAR")


def test_first_trigger_is_canonical():
    card = Card("dog", triggers=("sks dog", "ohwx dog"), subjects=("dog",))
    assert rewrite("a dog on a sofa", card).text == "a sks dog on a sofa"
    assert rewrite("a sks dog on a sofa", card).text == "a sks dog on a sofa"


def test_irregular_plurals():
    goose = Card("goose", triggers=("<goose>",), subjects=("goose",))
    puppy = Card("puppy", triggers=("<puppy>",), subjects=("puppy",))
    assert rewrite("three geese", goose).text == "three <goose>"
    assert rewrite("three puppies", puppy).text == "three <puppy>"


def test_other_words_for_the_subject():
    dog = Card("dog", triggers=("<dog>",), subjects=("dog",))
    assert rewrite("my pup on a sofa", dog).text == "my <dog> on a sofa"
    assert rewrite("a puppy and a dog", dog).text == "a <dog> and a <dog>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a face in the crowd", "a ohwx man in the crowd"),
        ("face, forest", "ohwx man, forest"),
        ("flash in the face, date in the corner", "ohwx man flash in the face, date in the corner"),
        ("he never shows his face", "ohwx man he never shows his face"),
        ("the train being late", "ohwx man the train being late"),
    ],
)
def test_a_face_is_a_person_behind_an_article_only(text, expected):
    assert rewrite(text, Card("fritz", triggers=("ohwx man",), subjects=("man",))).text == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Pickle on the sofa", "<bear-v4> on the sofa"),
        ("pickle the bear on the sofa", "<bear-v4> the bear on the sofa"),
        ("an old boot's birthday", "an <bear-v4> 's birthday"),
        ("a bear and a boot", "a <bear-v4> and a boot"),
    ],
)
def test_what_the_user_calls_the_model_comes_before_its_subjects(text, expected):
    called = replace(BEAR, names=("pickle", "old boot"))
    assert rewrite(text, called).text == expected
    assert rewrite(expected, called).text == expected


def test_model_without_a_trigger_leaves_the_text():
    assert rewrite("a bear", Card("x", subjects=("bear",))).text == "a bear"


def test_trigger_says_what_it_is_where_no_subject_is_listed():
    card = Card("x", triggers=("sks person",))
    assert (
        rewrite("my realistic person in a park", card).text == "my realistic sks person in a park"
    )


def test_style_without_subjects_goes_first():
    assert (
        rewrite("a castle", Card("x", triggers=("pixelart style",))).text
        == "pixelart style a castle"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a saber on a throne", r"a saber_\(fate\) on a throne"),
        ("a castle", r"saber_\(fate\) a castle"),
        ("saber_(fate), 1girl", r"saber_\(fate\) , 1girl"),
        (r"saber_\(fate\), 1girl", r"saber_\(fate\) , 1girl"),
        ("Saber (Fate) on grass", r"saber_\(fate\) on grass"),
        (r"SABER \(FATE\) on grass", r"saber_\(fate\) on grass"),
        ("(saber_(fate):1.2) on grass", r"(saber_\(fate\) :1.2) on grass"),
        (r"(saber_\(fate\):1.2)", r"(saber_\(fate\) :1.2)"),
        ("((saber (fate)))", r"((saber_\(fate\) ))"),
        ("saber_(fate)_(armor)", r"saber_\(fate\) saber_(fate)_(armor)"),
        ("saber_(fate) as artoria (swimsuit)", r"saber_\(fate\) as artoria \(swimsuit\)"),
        ("a saber, (green eyes:1.2)", r"a saber_\(fate\) , (green eyes:1.2)"),
    ],
)
def test_parentheses_of_a_trigger_are_escaped_and_it_stands_there_once(text, expected):
    assert rewrite(text, SABER).text == expected
    assert rewrite(expected, SABER).text == expected


@pytest.mark.parametrize(
    ("trigger", "text", "expected"),
    [
        ("re:zero", "a (re:zero) girl", "a (re:zero) girl"),
        (":)", "a smile :)", r"a smile :\)"),
        ("(:", "a bird", r"a \(:"),
        (":3", "(a bird :3)", "(a :3 :3)"),  # of the text, it is a weight
        (
            "re:2",
            "a (bird)",
            "a (re:2 :1.1)",
        ),  # or ComfyUI would read "(re:2 )" as "re" with the weight 2
        ("c.c.", "C.C. at home", "c.c. at home"),
        ("+_+", "eyes + +", "eyes +_+"),
        (r"\m/", "a bird", r"a \m/"),
    ],
)
def test_triggers_of_signs(trigger, text, expected):
    card = Card("x", triggers=(trigger,), subjects=("bird",))
    assert rewrite(text, card).text == expected
    assert rewrite(expected, card).text == expected


@pytest.mark.parametrize("typed", ["saber_(fate)", r"saber_\(fate\)", "(saber_(fate):1.2)"])
def test_a_typed_trigger_goes_into_a_prompt_escaped_once(typed):
    assert prompt_form(typed) == r"saber_\(fate\)"


def test_a_trigger_within_the_trigger_of_another_model_stays_whole():
    frieren = Card("frieren", triggers=("frieren",), subjects=("elf",))
    text = r"frieren and fern \(sousou no frieren\) reading"
    assert rewrite(text, frieren, ["fern (sousou no frieren)"]).text == text
