"""Test requests for any build but the newest."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from personalq.checkin import Card, Repository, check_in
from personalq.tests.checkin.own_loras import own
from personalq.tests.checkin.world import NOW


def _card(name: str, days: int, subject: str) -> Card:
    return Card(
        name,
        f"/m/{name}.safetensors",
        "lora",
        (f"{name[:3]}trg",),
        subjects=(subject,),
        created_at=NOW - timedelta(days=days),
        base_model="sdxl",
    )


LIBRARY = Repository(
    [
        *(_card(f"nelson_v{number}", 100 - 10 * number, "cat") for number in (1, 2, 3)),
        _card("rosa_v1", 50, "bear"),
        _card("rosa_v2", 20, "bear"),
        _card("moss", 10, "dog"),
    ],
    embedder=None,
)


@pytest.mark.parametrize(
    "request_text",
    [
        "rosa, not the latest",
        "rosa but not the new one, in the snow",
        "not the newest rosa",
        "rosa, but an older version, not the new one",
        "not my latest rosa",
        "an older version of rosa",
        "the older rosa in the snow",
        "rosa, the older one, in the snow",
        "rosa, the older",
        "my old rosa by the fire",
        "rosa, not 2",
    ],
)
def test_the_newest_is_left_out(request_text) -> None:
    decision = check_in(request_text, LIBRARY, now=NOW)
    assert [one.name for one in decision.cards] == ["rosa_v1"]
    assert "older" not in decision.prompt
    assert "new" not in decision.prompt


def test_of_several_that_are_left_it_asks() -> None:
    request = "nelson but not the newest, by the fire"
    question = check_in(request, LIBRARY, now=NOW).question
    cards = [
        check_in(request, LIBRARY, now=NOW, answers=[one.label]).card for one in question.choices
    ]
    assert {card.name for card in cards} == {"nelson_v1", "nelson_v2"}


def test_where_there_is_one_only_nothing_fits() -> None:
    decision = check_in("moss, not the newest", LIBRARY, now=NOW)
    assert decision.outcome == "no_match"
    assert "not the newest" in decision.why


@pytest.mark.parametrize(
    ("request_text", "name"),
    [
        ("rosa with an older man", "rosa_v2"),
        ("my newest rosa on an older boat", "rosa_v2"),
    ],
)
def test_what_says_no_such_thing_takes_the_newest(request_text, name) -> None:
    decision = check_in(request_text, LIBRARY, now=NOW)
    assert [one.name for one in decision.cards] == [name]


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("not my latest rosa", "'not my latest'"),
        ("rosa, aber nicht die neueste", "'aber nicht die neueste'"),
        ("rosa, pas la plus récente", "'pas la plus récente'"),
    ],
)
def test_the_reason_says_it_in_the_words_of_the_request(request_text, words) -> None:
    decision = check_in(request_text, LIBRARY, now=NOW)
    assert decision.card.name == "rosa_v1"
    assert words in decision.why


def test_epochs_of_the_newest_version_are_left_out_with_it(tmp_path: Path) -> None:
    for name, day in (("kiko_v1", 10), ("kiko_v2-000008", 50), ("kiko_v2", 50), ("hachi", 20)):
        own(tmp_path, name, day, f"{name[:4]}chr woman")
    repository = Repository.open(tmp_path, embedder=None)
    for request in ("the old version of kiko", "the old version of kiko and hachi"):
        assert check_in(request, repository, now=NOW).cards[0].name == "kiko_v1"


def test_one_that_looks_old_is_no_older_build() -> None:
    decision = check_in("the old moss by the fire", LIBRARY, now=NOW)
    assert [one.name for one in decision.cards] == ["moss"]


@pytest.mark.parametrize(
    ("request_text", "name"),
    [
        ("ciaran before the beard, up a ladder", "ciaran_v1"),
        ("ciaran before he grew the beard", "ciaran_v1"),
        ("ciaran with the beard", "ciaran_beard"),
        ("ciaran before the mirror", "ciaran_beard"),
    ],
)
def test_what_came_later_is_left_out(request_text, name) -> None:
    cards = [_card("ciaran_v1", 90, "man"), _card("ciaran_beard", 10, "man")]
    decision = check_in(request_text, Repository(cards, embedder=None), now=NOW)
    assert [one.name for one in decision.cards] == [name]


@pytest.mark.parametrize(
    ("saved", "last_day", "chosen"),
    [
        (["rosa_z_v2_000003000"], 20, "rosa_z_v2_000003000"),  # nothing else was kept of v2
        (["rosa_z_v1_000003000"], 20, "rosa_z_v1"),
        (["rosa_z_v2-000008"], 20, "rosa_z_v1"),  # v2 is still being trained
        (["rosa_z_v2-000008"], 40, "rosa_z_v2-000008"),  # it was the best
        (["rosa_z_v2-000004", "rosa_z_v2-000008"], 40, "rosa_z_v1"),  # which was, is not known
    ],
)
def test_what_was_saved_during_training_is_finished_where_it_alone_was_kept(
    tmp_path: Path, saved: list[str], last_day: int, chosen: str
) -> None:
    own(tmp_path, "rosa_z_v1", 10, "rosatrg bear")
    for one in saved:
        own(tmp_path, one, 20, "rosatrg bear")
    own(tmp_path, "moss", last_day, "mosstrg dog")
    decision = check_in("rosa in the snow", Repository.open(tmp_path, embedder=None), now=NOW)
    assert [one.name for one in decision.cards] == [chosen], decision.why


@pytest.mark.parametrize(
    ("request_text", "name"),
    [
        ("a fox in my ink", "ink_v4"),
        ("a fox in my ink v4", "ink_v4"),
        ("a fox in my ink v4 hatched", "ink_v4_hatched"),
        ("a fox in my ink, hatched", "ink_v4_hatched"),
    ],
)
def test_what_is_noted_beside_the_same_version_is_no_newer_build(
    tmp_path: Path, request_text: str, name: str
) -> None:
    for day, one in enumerate(("ink_v3", "ink_v4", "ink_v4_hatched"), 10):
        own(tmp_path, one, day, "mthnk style")
    decision = check_in(request_text, Repository.open(tmp_path, embedder=None), now=NOW)
    assert [one.name for one in decision.cards] == [name], decision.why


def test_the_first_may_be_called_old(tmp_path: Path) -> None:
    own(tmp_path, "dubu_old", 1, "dubucat")
    own(tmp_path, "dubu_v2", 20, "dubucat")
    own(tmp_path, "dubu_broken", 0, "dubucat")
    repository = Repository.open(tmp_path, embedder=None)
    for request, name in (("my first dubu", "dubu_old"), ("my newest dubu", "dubu_v2")):
        assert [one.name for one in check_in(request, repository, now=NOW).cards] == [name]


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("rosa in the garden, late August", ["rosa_v2"]),
        ("rosa at the lake, mid-october, mist", ["rosa_v2"]),
        ("rosa from late August", []),
        ("rosa, late August", []),
    ],
)
def test_part_of_a_month_behind_a_place_is_when_it_is_drawn(request_text, names) -> None:
    decision = check_in(request_text, LIBRARY, now=NOW)
    assert [one.name for one in decision.cards] == names, decision.why
    assert not decision.prompt or request_text.split(", ", 1)[1] in decision.prompt


def test_what_a_model_of_a_time_is_drawn_in_is_not_what_it_is_of(tmp_path: Path) -> None:
    own(tmp_path, "tib_v1", 100, "tibpup dog")
    own(tmp_path, "moss_v1", 50, "mosscat cat")
    repository = Repository.open(tmp_path, embedder=None)
    made = check_in("tib", repository, now=NOW).card.created_at
    for request in ("the one from {day}, in a basket", "the one I trained on {day}: in a basket"):
        decision = check_in(request.format(day=made.strftime("%d %B %Y")), repository, now=NOW)
        assert [one.name for one in decision.cards] == ["tib_v1"], decision.why


@pytest.mark.parametrize(
    ("request_text", "name"),
    [
        ("the one I trained last week, at the lake", "moss"),
        ("moss from last month", "moss"),
        ("rosa from last week", None),
    ],
)
def test_the_last_week_may_be_the_days_up_to_now(request_text, name) -> None:
    """Where nothing is from the week before: NOW is a Thursday, and moss three days old."""
    cards = [_card("moss", 3, "dog"), _card("rosa_v2", 60, "bear")]
    decision = check_in(request_text, Repository(cards, embedder=None), now=NOW)
    assert [one.name for one in decision.cards] == ([name] if name else []), decision.why


def test_the_older_of_a_look_is_one_of_its_builds(tmp_path) -> None:
    own(tmp_path, "dana_watercolour_v1", 10, "dwash watercolor")
    own(tmp_path, "dana_watercolour_v3", 30, "dwash watercolor")
    own(tmp_path, "pickles_xl", 20, "p1ckles cat")
    own(tmp_path, "kitchen_v1", 11, "ktchn kitchen")
    own(tmp_path, "kitchen_v2", 31, "ktchn kitchen")
    library = Repository.open(tmp_path, embedder=None)
    for asked, wanted in (
        ("pickles in the older watercolour", "dana_watercolour_v1"),
        ("pickles in my old watercolour", "dana_watercolour_v1"),
        ("pickles in the old kitchen", "kitchen_v2"),
        ("pickles in the earlier kitchen", "kitchen_v1"),
    ):
        names = [one.name for one in check_in(asked, library, now=NOW).cards]
        assert names == ["pickles_xl", wanted], asked
