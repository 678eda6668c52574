"""Test the intent record that is read from a request."""

from __future__ import annotations

import pytest

from personalq.checkin import Card
from personalq.checkin.catalog.vocabulary import Vocabulary
from personalq.checkin.language.parse import parse
from personalq.tests.checkin.world import NOW, cards


@pytest.fixture(scope="module")
def read():
    vocabulary = Vocabulary(cards())
    return lambda text: parse(text, vocabulary, NOW)


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("my bear next to my dog", "bear"),
        ("a house next to my bear", "bear"),
        ("a toy car on a wooden bridge", "toy car"),
        ("the cat house", "house"),
        ("horse drawing", "horse"),
        ("abstract painting", "painting"),
        ("my pup in the snow", "pup"),
    ],
)
def test_the_head_decides(read, text, subject):
    assert read(text).subject.words == subject


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("most realistic urban car", ["realistic", "urban"]),
        ("my dog in a modern building with a vintage camera", []),
        ("a realistic dog next to a cartoon cat", ["realistic"]),
        ("my bridge in oils", ["oils"]),
        ("cyberpunk dog", ["cyberpunk"]),
    ],
)
def test_wanted_looks(read, text, wanted):
    assert [term.words for term in read(text).styles] == wanted


def test_a_place_after_a_preposition_is_only_preferred(read):
    intent = read("my horse on the beach")
    assert intent.styles == ()
    assert [term.words for term in intent.preferred] == ["beach"]


@pytest.mark.parametrize(
    ("text", "unwanted"),
    [
        ("no anime and no sketch", ["anime", "sketch"]),
        ("not the anime or sketch one", ["anime", "sketch"]),
        ("my cat, anything but watercolor", ["watercolor"]),
        ("neither the anime nor the realistic dog", ["anime", "realistic"]),
        ("non-anime cat", ["anime"]),
        ("I don't want the realistic one, give me the sketch", ["realistic"]),
        ("a dog without a hat", ["hat"]),
        ("any dog but the anime one", ["anime"]),
        ("any of the dogs but the anime ones, on a lawn", ["anime"]),
    ],
)
def test_unwanted(read, text, unwanted):
    assert [term.words for term in read(text).unwanted] == unwanted
    assert read(text).unhandled == ()


@pytest.mark.parametrize(
    ("text", "relation", "numbers"),
    [
        ("dog v3", "is", ((3,),)),
        ("dog, version three", "is", ((3,),)),
        ("ver2 dog", "is", ((2,),)),
        ("watch 8", "is", ((8,),)),
        ("dog v2 or v3", "is", ((2,), (3,))),
        ("dog v2 or 3 please", "is", ((2,), (3,))),
        ("my dog v2 and 3 balloons", "is", ((2,),)),
        ("my dog v2, 4 kites", "is", ((2,),)),
        ("third build of the horse", "nth", ((3,),)),
        ("the one before v7 of the bridge", "just before", ((7,),)),
        ("bridge right after v5", "just after", ((5,),)),
        ("bridge newer than v5", "above", ((5,),)),
        ("bridge versions below 6", "below", ((6,),)),
        ("bridge v5 or later", "at least", ((5,),)),
        ("bridge between v4 and v6", "between", ((4,), (6,))),
    ],
)
def test_versions(read, text, relation, numbers):
    [version] = read(text).versions
    assert (version.relation, version.numbers, version.negated) == (relation, numbers, False)


def test_the_number_of_a_place_is_no_version(read):
    assert read("the dog behind the third bridge").versions == ()
    assert read("the dog with the third bridge").versions != ()


def test_a_version_can_be_excluded(read):
    for text in ("the newest bridge that isn't v7", "any bridge but v7"):
        [version] = read(text).versions
        assert version.negated


@pytest.mark.parametrize(
    ("text", "newest", "n", "by"),
    [
        ("my latest cat", True, 1, "date"),
        ("recently created bear", True, 1, "date"),
        ("second newest horse", True, 2, "date"),
        ("last but one watch", True, 2, "date"),
        ("the previous version of the bridge", True, 2, "date"),
        ("my very first horse", False, 1, "date"),
        ("oldest bear", False, 1, "date"),
        ("the highest version of the bridge", True, 1, "version"),
        ("lowest version bridge", False, 1, "version"),
        ("lastest dog", True, 1, "date"),
    ],
)
def test_superlatives(read, text, newest, n, by):
    order = read(text).order
    assert (order.newest, order.n, order.by) == (newest, n, by)


def test_most_is_no_date(read):
    assert read("my most realistic bear").order is None


@pytest.mark.parametrize(
    "text", ["use bear-plush-v2 in a shop", "bear_plush_v2", "<bear-plush-v2> on grass"]
)
def test_a_name_or_trigger_is_recognised(read, text):
    assert read(text).names == ("bear-plush-2",)


def test_a_name_may_have_an_apostrophe_and_stand_in_the_possessive():
    library = Vocabulary([Card("rev's_cat2", "/m/rev's_cat2.safetensors")])
    assert parse("rev's_cat2's garden", library, NOW).names == ("rev's_cat2",)


def test_a_thing_and_a_version_are_no_name(read):
    assert read("bear plush v2").names == ()


@pytest.mark.parametrize(
    ("text", "base"), [("sdxl cat", "sdxl"), ("SD 1.5 horse", "sd15"), ("flux dog", "flux")]
)
def test_base_models(read, text, base):
    assert read(text).base_model == base


@pytest.mark.parametrize(
    "text",
    [
        "my latest spaceship on the moon",
        "giraffe model",
        "my mountain bike",
        "a fire hose",
        "my bride",
    ],
)
def test_a_thing_that_no_card_is(read, text):
    assert read(text).missing


@pytest.mark.parametrize(
    "text", ["moutain at dawn", "mountain climbing", "a bear face", "red car", "the urban one"]
)
def test_nothing_missing(read, text):
    assert read(text).missing is None


@pytest.mark.parametrize(
    ("text", "unhandled"),
    [
        ("not the second latest horse", ("not the second latest",)),
        ("dog from 30/02/2025", ("30", "02", "2025")),
        ("il mio ultimo cane", ("il", "mio", "ultimo", "cane")),
        ("my dog or so", ("or",)),
        ("the dog of 31 April", ("31",)),
        ("3 anime dogs", ()),
        ("my bear, 8k, 35mm photo", ()),
        ("a dog on the last day of the year", ()),
    ],
)
def test_unhandled(read, text, unhandled):
    assert read(text).unhandled == unhandled


def test_weights_and_tags_are_no_part_of_the_request(read):
    intent = read("(my realistic bear:1.2) <lora:dog:0.8> embedding:cat")
    assert intent.subject.words == "bear"
    assert intent.others == ()
    assert intent.unhandled == ()
    assert read("[my bear:0.8] and (a dog: .5)").versions == ()


@pytest.mark.parametrize("tags", ["score_9, score_8_up", "(masterpiece:1.2), best quality, 8k"])
def test_tags_for_quality_ask_for_nothing(read, tags):
    intent = read(f"{tags}, my bear")
    assert (intent.subject.words, intent.details) == ("bear", ())
    unknown = read(f"{tags}, zorblatt")
    assert (unknown.missing, unknown.unhandled) == (None, ("zorblatt",))


@pytest.mark.parametrize(("base", "asked"), [("sd15", None), ("pony", "pony")])
def test_a_subject_that_is_called_as_a_base_model_no_card_has(base, asked):
    pony = Card("pony_v2", base_model=base, subjects=("pony",))
    for text in ("my pony lora on grass", "pony version two"):
        assert parse(text, Vocabulary([pony]), NOW).base_model == asked


def test_nothing_said(read):
    assert read("make me something nice").empty
    assert not read("yesterday").empty


@pytest.mark.parametrize(
    "text",
    [
        "il mio ultimo cane",
        "o urso realista na floresta",
        "najnowszy pies",
        "мой последний медведь",
    ],
)
def test_a_language_without_data_is_not_understood(read, text):
    intent = read(text)
    assert intent.unhandled
    assert intent.missing is None


@pytest.mark.parametrize(
    "text", ["my bear en route", "a bear in Köln", "café with my bear", "my bear lol"]
)
def test_a_foreign_word_or_two_do_no_harm(read, text):
    assert read(text).unhandled == ()
