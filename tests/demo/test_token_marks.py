"""Test which tokens are marked as the trigger's, however it is tokenized."""

from __future__ import annotations

import pytest

from personalq.demo.token_marks import mentions, row_marks
from personalq.demo.world.tokenizer import tokenizer


def rows(prompt: str, trigger: str, mark: float = 1) -> list[int]:
    return (row_marks(tokenizer(), [prompt], trigger)[0] == mark).nonzero()[:, 0].tolist()


@pytest.mark.parametrize(
    ("prompt", "trigger", "wanted"),
    [
        ("a photo of a <bear-v4> on grass", "<bear-v4>", [5, 6, 7, 8, 9, 10]),
        ("a photo of a <bear-v4>, on grass", "<bear-v4>", [5, 6, 7, 8, 9, 10]),
        ("sks dog", "sks", [1]),
        ("SKS dog and sks", "sks", [1, 4]),
        ("a tasks list", "sks", []),
        ("a photo of a dog", "", []),
    ],
)
def test_trigger_rows(prompt: str, trigger: str, wanted: list[int]):
    assert rows(prompt, trigger) == wanted


def test_end_token_and_padding_are_marked():
    """BOS, three words, then the end."""
    assert rows("a red dog", "red", -1) == list(range(4, 77))
    assert rows("", "red", -1) == list(range(1, 77))


def test_a_trigger_beyond_the_last_row_is_not_marked():
    assert rows("word " * 90 + "sks", "sks") == []
    assert rows("word " * 90 + "sks", "sks", -1) == [76]


def test_mentions_are_whole():
    assert mentions("sks, sks2 (sks)", "sks") == [(0, 3), (11, 14)]
