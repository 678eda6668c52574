"""Test which tokens are the trigger's with the tokenizers of Anima and Wan."""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

from comfy.text_encoders.anima import AnimaTokenizer
from comfy.text_encoders.wan import WanT5Tokenizer

from personalq.nodes.host.text.token_spans import token_spans
from personalq.nodes.host.text.trigger_tokens import end_mask, trigger_mask
from personalq.taq_kernels.families import aligned_tokenizers
from personalq.tests.host.split_files import tokenizer_of

BEAR = "<bear-v4>"
TEXTS = [
    (f"a photo of {BEAR}, on grass", BEAR, "<bear-v4>"),
    (f"({BEAR}:1.3) here", BEAR, "<bear-v4>"),
    ("he asks for sks", "sks", "sks"),
    ("sks and (sks:0.8)", "sks", "skssks"),
    ("naïve café 北京 ﬁn sks", "sks", "sks"),  # of several bytes, and of two letters in one
    ("a bear", BEAR, ""),
    # between weights, what these tokenizers drop: a space without width, as pages have, or any
    ("(masterpiece:1.2)\u200b(sks:1.1) (a cat:1.2)", "sks", "sks"),
    ("\u200b", "sks", ""),
]


class Encoder:
    """The part of the host's CLIP that only tokenizes."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def tokenize(self, text, **options):
        return self.tokenizer.tokenize_with_weights(text, **options)


@pytest.fixture(scope="module", params=["anima", "wan"])
def clip(request):
    if request.param == "anima":
        return Encoder(AnimaTokenizer())
    return Encoder(WanT5Tokenizer(tokenizer_data=tokenizer_of("umt5-xxl")))


def pieces(clip, text: str, marked: torch.Tensor) -> str:
    """The text of the marked tokens. T5 has no token for some signs."""
    tokens = clip.tokenize(text)
    ((name, attribute),) = aligned_tokenizers(tokens).items()
    vocabulary = getattr(clip.tokenizer, attribute).inv_vocab
    found = (vocabulary[tokens[name][0][place][0]] for place in marked.nonzero().flatten().tolist())
    joined = "".join(found).replace("\u2581", "").replace("<unk>", "<")
    return joined.replace("<0x3C>", "<").replace("<0x3E>", ">").replace("<0x2D>", "-")


@pytest.mark.parametrize(("text", "trigger", "expected"), TEXTS)
def test_tokens_of_the_trigger(clip, text, trigger, expected):
    found = pieces(clip, text, trigger_mask(clip, text, trigger))
    for digit in range(0x20, 0x7F):
        found = found.replace(f"<0x{digit:02X}>", chr(digit))
    assert found == expected


@pytest.mark.parametrize("text", ["a photo of sks", ""])
def test_the_end_follows_the_last_word(clip, text):
    marks = end_mask(clip, text)
    assert pieces(clip, text, marks) == "</s>"
    assert marks.sum() == 1


def test_a_mask_is_as_long_as_the_text(clip):
    tokens = clip.tokenize("a photo of sks")
    (name,) = aligned_tokenizers(tokens)
    assert len(trigger_mask(clip, "a photo of sks", "sks")) == len(tokens[name][0])


def test_a_tokenizer_of_another_kind_marks_nothing():
    assert token_spans(object(), "a bear") == []


def test_every_character_is_in_a_token(clip):
    text = "naïve café 北京 ﬁn <sks>"
    ((_, attribute),) = aligned_tokenizers(clip.tokenize(text)).items()
    spans = token_spans(getattr(clip.tokenizer, attribute).tokenizer, text)
    seen = {place for start, end in spans for place in range(start, end)}
    assert {place for place, one in enumerate(text) if not one.isspace()} <= seen
