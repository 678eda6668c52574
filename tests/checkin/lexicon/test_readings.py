"""Names in Latin letters, found by how words in other signs are read."""

from __future__ import annotations

import pytest

from personalq.checkin.lexicon.readings import Names, initials

KOREAN = Names(
    "dubu bori sori sora umma eomma doyun doyoon kongsuni kkaebi shinmin jihoon park lee woojin "
    "seolla sola okja badugi minji".split(),
    "ko",
)


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("두부", ["dubu"]),
        ("소리", ["sori"]),
        ("소라", ["sola", "sora"]),
        ("엄마", ["eomma", "umma"]),
        ("도윤", ["doyoon", "doyun"]),
        ("콩순이", ["kongsuni"]),
        ("깨비", ["kkaebi"]),
        ("신민", ["shinmin"]),
        ("지훈", ["jihoon"]),
        ("박", ["park"]),
        ("이", ["lee"]),
        ("우진", ["woojin"]),
        ("설라", ["seolla", "sola", "sora"]),
        ("바둑이", ["badugi"]),
        ("옥자", ["okja"]),
        ("민서", []),
        ("두", []),
        ("dubu", []),
        ("두부 보리", []),
    ],
)
def test_a_korean_word_is_found_however_a_name_writes_it(word: str, names: list[str]) -> None:
    assert KOREAN.alike(word) == names


def test_a_word_is_a_name_only_as_it_is_usually_written() -> None:
    assert Names(["mirae", "milae"], "ko").alike("미래", usual=True) == ["milae", "mirae"]
    assert Names(["meeley"], "ko").alike("미래", usual=True) == []


@pytest.mark.parametrize(
    ("word", "short"),
    [
        ("马面裙", {"mmq"}),
        ("mamianqun", {"mmq"}),
        ("柯达200", {"kd200"}),
        ("xiaowen", {"xw"}),
        ("koyuki", set()),
        ("bear", set()),
        ("ma", set()),
    ],
)
def test_the_initials_of_pinyin(word: str, short: set[str]) -> None:
    assert initials(word) == short


@pytest.mark.parametrize(
    ("word", "name"),
    [("近江町", "oumicho"), ("紅葉", "momiji"), ("雪道", "yukimichi"), ("小百合", "sayuri")],
)
def test_words_of_several_kanji_are_read_as_a_whole(word: str, name: str) -> None:
    assert Names(["oumicho", "momiji", "yukimichi", "sayuri"], "ja").alike(word) == [name]
