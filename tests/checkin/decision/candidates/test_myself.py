"""Test requests for the user's own face."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin.own_loras import own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


def test_all_models_in_a_folder_of_me_are_of_me(tmp_path) -> None:
    folder = tmp_path / "loras" / "me"
    folder.mkdir(parents=True)
    for name in ("me_selfie", "minhanh", "mnh_short_hair"):
        own(folder, name, 30, "mnhanh woman")
    own(folder.parent, "dev", 30, "dvp man")
    decision = check_in("me on a rooftop", Repository.open(tmp_path, embedder=None), now=NOW)
    assert decision.question
    offered = {one for choice in decision.question.choices for one in choice.card_ids}
    assert len(offered) == 3


@pytest.mark.parametrize(
    "request_",
    [
        "me on a lake",
        "ein Bild von mir am See",
        "ich am See",
        "ich und der Hund am See",
        "une photo de moi au lac",
        "moi dans la cuisine",
        "una foto mía en la playa",
        "mi perro y yo en la playa",
        "我在湖边",
        "我的照片 湖边",
        "내 사진 호수에서",
        "自分の写真 湖で",
    ],
)
def test_oneself_in_each_language(tmp_path: Path, request_: str) -> None:
    own(tmp_path, "brandi", 20, "br4ndi woman")
    own(tmp_path, "me", 30, "br4ndi woman")
    own(tmp_path, "dev", 40, "dvp man")
    decision = check_in(request_, Repository.open(tmp_path, embedder=None), now=NOW)
    assert [one.name for one in decision.cards] == ["me"]


@pytest.mark.parametrize(
    ("request_", "prompt"),
    [
        ("moi et inès au lac", "mthlyn et inslb femme au lac"),
        ("inès et moi au lac", "inslb femme et mthlyn au lac"),
        ("avec moi: inès au lac", "avec mthlyn: inslb femme au lac"),
    ],
)
def test_a_model_called_moi_is_of_oneself(tmp_path: Path, request_: str, prompt: str) -> None:
    own(tmp_path, "moi_flux_v1", 20, "mthlyn")
    own(tmp_path, "ines_flux_v2", 30, "inslb femme")
    decision = check_in(request_, Repository.open(tmp_path, embedder=None), now=NOW)
    assert {one.name for one in decision.cards} == {"moi_flux_v1", "ines_flux_v2"}
    assert decision.prompt == prompt


@pytest.mark.parametrize(
    "request_", ["ich will ein Bild von dev", "dev, den ich am Montag trainiert habe, am See"]
)
def test_who_asks_is_not_in_the_picture(tmp_path: Path, request_: str) -> None:
    own(tmp_path, "me", 30, "br4ndi woman")
    own(tmp_path, "dev", 461, "dvp man")
    decision = check_in(request_, Repository.open(tmp_path, embedder=None), now=NOW)
    assert "me" not in [one.name for one in decision.cards]


@pytest.mark.parametrize("note", ["me, 2026", "das bin ich, Fotos vom Juli", "c'est moi", "soy yo"])
def test_a_note_says_that_it_is_of_oneself(tmp_path: Path, note: str) -> None:
    own(tmp_path, "jana_zimage", 30, "jnpzt")
    (tmp_path / "jana_zimage.txt").write_text(note)
    own(tmp_path, "dev", 40, "dvp man")
    decision = check_in("me on a lake", Repository.open(tmp_path, embedder=None), now=NOW)
    assert [one.name for one in decision.cards] == ["jana_zimage"]


@pytest.mark.parametrize(
    "request_",
    [
        "first lora of me",
        "the very first lora i ever made of me lol, at a fair",
        "my first lora of me",
    ],
)
def test_the_first_of_oneself(tmp_path: Path, request_: str) -> None:
    own(tmp_path, "me", 30, "br4ndi woman")
    own(tmp_path, "brandi_v2", 60, "br4ndi woman")
    own(tmp_path, "dev", 10, "dvp man")
    decision = check_in(request_, Repository.open(tmp_path, embedder=None), now=NOW)
    assert [one.name for one in decision.cards] == ["me"]


@pytest.mark.parametrize("request_", ["my girlfriend on a beach", "meine Freundin am Strand"])
def test_a_note_says_whose_it_is(tmp_path: Path, request_: str) -> None:
    own(tmp_path, "meg_flux_v2", 30, "m3gz woman")
    (tmp_path / "meg_flux_v2.txt").write_text("my gf meg, new set")
    own(tmp_path, "dev", 40, "dvp man")
    decision = check_in(request_, Repository.open(tmp_path, embedder=None), now=NOW)
    assert [one.name for one in decision.cards] == ["meg_flux_v2"]


def test_a_note_names_the_model_that_its_file_does_not(tmp_path: Path) -> None:
    own(tmp_path, "new one 3", 30, "tashaw woman")
    (tmp_path / "new one 3.txt").write_text("tasha from work")
    own(tmp_path, "dev", 40, "dvp man")
    decision = check_in("tasha on a beach", Repository.open(tmp_path, embedder=None), now=NOW)
    assert [one.name for one in decision.cards] == ["new one 3"]


def test_who_gets_a_picture_is_not_in_it(tmp_path: Path) -> None:
    own(tmp_path, "me", 30, "br4ndi woman")
    own(tmp_path, "dev", 40, "dvp man")
    repository = Repository.open(tmp_path, embedder=None)
    decision = check_in("hey can u make me a pic of me and dev", repository, now=NOW)
    assert decision.prompt == "br4ndi woman and dvp man"


def test_the_choice_of_a_relative_is_the_newest_build(tmp_path: Path) -> None:
    own(tmp_path, "dustin", 30, "dstn man")
    own(tmp_path, "dustin_v2", 90, "", base="sd15")
    own(tmp_path, "dusty_beard", 40, "dstbrd man")
    repository = Repository.open(tmp_path, embedder=None)
    for request in ("portrait of my husband", "husband at work"):
        question = check_in(request, repository, now=NOW).question
        assert question
        choice = next(one for one in question.choices if "dustin" in one.label)
        decision = check_in(request, repository, now=NOW, answers=(choice.label,))
        assert [one.name for one in decision.cards] == ["dustin_v2"]


@pytest.mark.parametrize("request_", ["me on a lake", "rex and me on a lake", "tom on a lake"])
def test_the_newest_of_oneself_also_where_it_has_a_name(tmp_path: Path, request_: str) -> None:
    own(tmp_path, "me_tom_sd15", 20, "tom_br man", base="sd15")
    own(tmp_path, "tom_xl", 400, "tom_br man")
    own(tmp_path, "rex_xl", 30, "rxq dog")
    decision = check_in(request_, Repository.open(tmp_path, embedder=None), now=NOW)
    assert "tom_xl" in [one.name for one in decision.cards], decision.why


def test_however_much_is_drawn_the_user_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "loras" / "me"
    folder.mkdir(parents=True)
    own(folder, "minhq_v2", 30, "minhq woman")
    own(folder, "first_try_of_me", 10, "fstry woman", base="sd15")
    own(folder.parent, "dev", 30, "dvp man")
    request = "me on a rooftop patio on ossington, golden hour, candid, holding a spritz"
    decision = check_in(request, Repository.open(tmp_path, embedder=None), now=NOW)
    assert [one.name for one in decision.cards] == ["minhq_v2"], decision.why
