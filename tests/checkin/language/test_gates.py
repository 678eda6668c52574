"""Test what a request says of the model itself, and that the same words in a scene do not."""

from __future__ import annotations

import pytest

from personalq.checkin.language.base_gates import find_bases
from personalq.checkin.language.gates import (
    find_builds,
    find_kind,
    find_origin,
    is_of_model,
)
from personalq.checkin.language.used import find_used


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        ("moss but the 1.5 one", ("sd15",), ()),
        ("pixel art, not flux", (), ("flux",)),
        ("not the flux saba", (), ("flux",)),
        ("our dog, but kindly don't take the flux one", (), ("flux",)),
        ("ciaran, not the ancient 1.5", (), ("sd15",)),
        ("sarge xl, yelling", ("sdxl",), ()),
        ("the pony one", ("pony",), ()),
        ("a pony in a flowery field", (), ()),
        ("spotted pony version 25", (), ()),
        ("pony version of brisa", ("pony",), ()),
        ("brisa in illustrious, for sdxl", ("illustrious",), ()),
        ("brisa on illu, sitting", ("illustrious",), ()),
        ("brisa at the fair, illus pls", ("illustrious",), ()),
        ("brisa, lots of space on top, klein", ("flux2-klein",), ()),
        ("brisa on klein with a corgi", ("flux2-klein",), ()),
        ("klein9b brisa", ("flux2-klein",), ()),
        ("brisa als sie klein war", (), ()),
        ("brisa, zit, standing", ("z-image",), ()),
        ("brisa, the z one, standing", ("z-image",), ()),
        ("brisa and anna, the of z", ("z-image",), ()),
        ("brisa in flx, standing", ("flux",), ()),
        ("brisa in qw", ("qwen",), ()),
        ("a boy in gen z clothes", (), ()),
        ("my bear for anima", ("anima",), ()),
        ("an anima figure on a shelf", (), ()),
        ("the krea 2 bear", ("krea2",), ()),
    ],
)
def test_base_models(text: str, wanted: tuple[str, ...], unwanted: tuple[str, ...]) -> None:
    assert find_bases(text)[:2] == (wanted, unwanted)


@pytest.mark.parametrize("said", ["sdxl base", "pony base", "flux base"])
def test_a_base_model_may_be_called_a_base(said: str) -> None:
    wanted, _, left = find_bases(f"{said}, moss in the snow")
    assert wanted == (said.split()[0],)
    assert left.split() == [",", "moss", "in", "the", "snow"]


def test_a_base_checkpoint_is_a_kind_of_model() -> None:
    assert find_bases("noobai base checkpoint")[2].split() == ["base", "checkpoint"]


def test_what_a_denied_base_is_of_is_wanted() -> None:
    assert find_bases("not the flux saba")[2].split() == ["saba"]
    assert find_bases("not the flux anime one")[2].split() == ["not", "the", "anime", "one"]


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        ("bramble final, not final2", {"final"}, {"final2"}),
        ("the fifth epoch of oma", {"epoch5"}, set()),
        ("the second final", {"final2"}, set()),
        ("the 8er epoch of oma", {"epoch8"}, set()),
        ("moss v2", set(), set()),
        ("moss e12", {"epoch12"}, set()),
        ("my bmw e30", set(), set()),
        ("moss after 2000 steps", {"step2000"}, set()),
        ("the final boss in his lair", set(), set()),
    ],
)
def test_builds(text: str, wanted: set[str], unwanted: set[str]) -> None:
    known = {"final", "final2", "epoch12", "step2000"} if "boss" not in text else set()
    found, _ = find_builds(text, known)
    assert (found.wanted, found.unwanted) == (wanted, unwanted)


def test_builds_before_and_after_another() -> None:
    assert find_builds("the last one before the final", {"final"})[0].before == {"final"}
    assert find_builds("oma after v2b", {"v2b"})[0].after == {"v2b"}


def test_the_failed_build() -> None:
    assert find_builds("the failed yoru", set())[0].failed
    assert not find_builds("yoru with burnt hands", set())[0].failed


def test_an_early_epoch() -> None:
    assert find_builds("an early epoch of nelson", ())[0].early


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("the detail lora", "lora"),
        ("my own merge for animals", "mix"),
        ("a lora on that checkpoint", "lora"),
        ("photo with flux, no lora: old carpenter", "checkpoint"),
        ("a bear", None),
    ],
)
def test_kinds(text: str, kind: str | None) -> None:
    assert find_kind(text, lambda kind: True)[0] == kind


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("my guinea pig", "trained"),
        ("the style i made", "trained"),
        ("the style i fine-tuned", "trained"),
        ("the bear i merged", "trained"),
        ("gouache but not mine", "downloaded"),
        ("my own dachshund rather than the one from the internet", "trained"),
        ("a dachshund", None),
        ("a dragon, neither my wyvern nor the chinese one", None),
        ("my bear, not in my old style", "trained"),
    ],
)
def test_whose(text: str, origin: str | None) -> None:
    assert find_origin(text)[0] == origin


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("my map style, not the civitai one", "civitai"),
        ("my dotwork, no the downloaded one", "downloaded"),
        ("a map from civitai", ""),
        ("not our ribbon, the look i downloaded", ""),
        ("my map", ""),
    ],
)
def test_whose_are_not_wanted(text: str, words: str) -> None:
    assert find_origin(text)[1] == words


def test_a_model_that_was_used() -> None:
    assert find_used("the one i used yesterday")
    assert find_used("the checkpoint i used most in march").most
    assert find_used("a used car") is None


@pytest.mark.parametrize(
    ("before", "time", "of_model"),
    [
        ("nelson from ", "summer 2023", True),
        ("the style i trained in ", "may this year", True),
        ("bramble, ", "october 2023", True),
        ("a drawing of between ", "february", True),
        ("", "yesterday's", True),
        ("lena by the lake, ", "autumn", False),
        ("a stormy sea in ", "november", False),
        ("realistic bear ", "older than march 2026", True),
        ("bear and dog, ", "newer than march", True),
        ("grandfather in his ", "sunday", False),
    ],
)
def test_times_of_the_model_and_of_the_scene(before: str, time: str, of_model: bool) -> None:
    text = f"{before}{time}, please"
    year = any(map(str.isdigit, time))
    assert is_of_model(text, len(before), len(before) + len(time), year) is of_model
