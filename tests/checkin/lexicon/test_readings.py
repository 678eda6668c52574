"""Names in Latin letters, found by how words in other signs are read."""

from __future__ import annotations

import pytest

from personalq.checkin.lexicon.readings import Names, initials, names_heard

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


SPELT_OUT, LOANWORDS = names_heard(
    "juggernaut cinestill metaljig hyper realvis dreamshaper lightning cyberrealistic michael wave "
    "citi100 cb750 vf125 xl it".split()
)


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("저거너트", "juggernaut"),
        ("시네스틸", "cinestill"),
        ("메탈지그", "metaljig"),
        ("하이퍼", "hyper"),
        ("리얼비스", "realvis"),
        ("드림셰이퍼", "dreamshaper"),
        ("라이트닝", "lightning"),
        ("사이버리얼리스틱", "cyberrealistic"),
        ("마이클", "michael"),
        ("웨이브", "wave"),
        ("시티백", "citi100"),
        ("네온", None),
    ],
)
def test_an_english_name_is_found_as_korean_writes_its_sounds(word: str, name: str | None) -> None:
    assert LOANWORDS.alike(word) == ([name] if name else [])


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("씨비750", "cb750"),
        ("씨비칠오공", "cb750"),
        ("브이에프125", "vf125"),
        ("엑스엘", "xl"),
        ("아이티", None),
        ("씨비125", None),
    ],
)
def test_a_name_is_found_as_korean_says_its_letters(word: str, name: str | None) -> None:
    assert SPELT_OUT.alike(word) == ([name] if name else [])


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


@pytest.mark.parametrize(("word", "name"), [("墩墩", "zhudundun"), ("墩" * 4, None), ("墩", None)])
def test_a_given_name_has_three_signs_at_most(word: str, name: str | None) -> None:
    assert Names(["zhudundun", "zhudundundundun"], "zh").given(word) == name
