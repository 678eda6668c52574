"""Test requests whose words can be read in more than one way."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.checkin import Card, Decision, Repository, check_in
from personalq.tests.checkin.own_loras import downloaded, own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)
_FILE = Path(__file__).with_name("readings_requests.txt")


def _scenes(folder: Path) -> None:
    own(folder, "bear_v2", 10, "brbear bear")  # June
    own(folder, "bear_watercolour", 31, "brbear bear, watercolour")  # July
    own(folder, "bear_christmas", 60, "brbear bear")
    own(folder, "bear_halloween", 70, "brbear bear")
    own(folder, "bear_autumn", 138, "brbear bear")  # made at Halloween
    own(folder, "nan", 20, "nanwmn woman")
    own(folder, "nan_winter", 15, "nanwmn woman")
    own(folder, "nan_summer", 16, "nanwmn woman")
    own(folder, "april", 200, "aprwmn woman")
    own(folder, "bear_pentecost", 80, "brbear bear")
    own(folder, "xmas_ornaments", 150, "xmorn ornament")
    downloaded(folder, "brick_wall", "Brick wall texture", ["background"], "brick wall")


def _people(folder: Path) -> None:
    own(folder, "moss_v2", 30, "mosdog collie")
    own(folder, "pip", 35, "pipdog terrier")
    own(folder, "rose_v2", 10, "rosewmn woman", "hat")
    own(folder, "jasper", 11, "jsprman man")
    own(folder, "amber_v1", 12, "ambrwmn woman")
    own(folder, "hunter", 13, "hntrboy boy")
    own(folder, "noodle", 14, "ndlcat cat")


def _things(folder: Path) -> None:
    _people(folder)
    downloaded(folder, "rose_flower", "Rose flower", ["flower", "plant"], "rose flower")
    downloaded(folder, "jasper_stone", "Jasper gemstone", ["gemstone"], "jasper stone")
    downloaded(folder, "amber_glow", "Amber light", ["lighting", "concept"], "amber light")
    downloaded(folder, "monster_hunter", "Hunter armor", ["fantasy", "hunter"], "hunter armor")


def _styles(folder: Path) -> None:
    downloaded(folder, "ghibli_style", "Ghibli style", ["style", "anime"], "ghibli style")
    own(folder, "ghibli", 20, "ghbcat cat")
    own(folder, "ink_style", 21, "inkst style")
    own(folder, "ink", 26, "inkcat cat")
    own(folder, "bear_v2", 22, "brbear bear")
    own(folder, "bear_oil", 12, "oilbear bear")
    own(folder, "clay_style", 23, "clay style")
    own(folder, "clay", 27, "claydog dog")
    own(folder, "fox_v1", 24, "fxfox fox")


def _names(folder: Path) -> None:
    own(folder, "farrusco", 20, "frrsc dog")
    downloaded(folder, "pixel-art-xl-v1.1", "Pixel Art XL", ["style", "pixel art"], "pixel")
    own(folder, "ines_xl_v2", 21, "inesM girl")
    downloaded(folder, "papercut_SDXL", "Papercut SDXL", ["style", "papercut"], "papercut")
    own(folder, "finn_v1", 22, "finnb boy")
    own(folder, "finn_jumper", 23, "finnb boy")


_LIBRARIES = {
    "scenes": _scenes,
    "people": _people,
    "things": _things,
    "styles": _styles,
    "names": _names,
}


@pytest.fixture(scope="module")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Repository]:
    found = {}
    for name, fill in _LIBRARIES.items():
        folder = tmp_path_factory.mktemp(name)
        fill(folder)
        found[name] = Repository.open(folder, embedder=None)
    return found


def _said(decision: Decision) -> str:
    if decision.outcome == "no_match":
        return "none"
    if decision.outcome == "clarify":
        first = [choice.card_ids[0] for choice in decision.question.choices]
        return "ask " + ", ".join(dict.fromkeys(first))
    return " + ".join(card.name for card in decision.cards)


def _requests() -> list[tuple[str, ...]]:
    lines = _FILE.read_text("utf-8").splitlines()
    return [tuple(line.split(" | ")) for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize(("library", "request_text", "expected"), _requests())
def test_words_with_several_readings(repositories, library, request_text, expected) -> None:
    assert _said(check_in(request_text, repositories[library], now=NOW)) == expected


def test_a_question_between_namesakes_names_the_word(repositories) -> None:
    question = check_in("ghibli cat", repositories["styles"], now=NOW).question
    assert question.text == "Which 'ghibli' do you mean: cat or style?"


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        ("a train but not cartoony", None),
        ("a real rabbit, not the plush one", None),
        ("white roses instead of the pink ones", "roses"),
    ],
)
def test_what_is_refused_is_not_taken_in_another_reading(request_: str, name: str | None) -> None:
    cards = [
        Card("chuffy", "/m/chuffy.safetensors", subjects=("train",), styles=("cartoon",)),
        Card("plushbun", "/m/plushbun.safetensors", subjects=("plush toy", "rabbit")),
        Card("roses", "/m/roses.safetensors", subjects=("roses",), tags=("pink",)),
    ]
    decision = check_in(request_, Repository(cards, embedder=None), now=NOW)
    assert (decision.card.id if decision.card else None) == name
    if name is None:
        assert " without '" in decision.why
