"""Test that the tokenizer made from the merges alone equals CLIP's."""

from __future__ import annotations

import pytest

pytest.importorskip(
    "transformers", reason="transformers is not installed: python quickstart.py test installs it"
)

from personalq.demo.world.tokenizer import tokenizer, tokens, vocabulary


def test_the_vocabulary_is_clips():
    words = vocabulary()
    assert len(words) == 49408
    known = {
        "<|startoftext|>": 49406,
        "<|endoftext|>": 49407,
        "dog</w>": 1929,
        "sks</w>": 48136,
        "a</w>": 320,
    }
    assert {name: words[name] for name in known} == known


def test_tokens_of_a_trigger():
    numbers = tokens(tokenizer(), ["a photo of <bear-v4>", ""])
    assert numbers.shape == (2, 77)
    assert numbers[0, :5].tolist() == [49406, 320, 1125, 539, 283]
    assert numbers[1, 1:].unique().tolist() == [49407]
