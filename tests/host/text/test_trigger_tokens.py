"""Test which tokens are the trigger's, in ComfyUI's own tokenizer.

The check is to change nothing but the trigger.
"""

from __future__ import annotations

import importlib

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import comfy.sd
from safetensors.torch import save_file

from personalq.checkin import Card, rewrite
from personalq.nodes.host.text import token_mask
from personalq.nodes.host.text.encode import encode
from personalq.nodes.host.text.trigger_tokens import end_mask, trigger_mask

BEAR = "<bear-v4>"
FILLER = " ".join(["tree"] * 73)


SABER = "saber_(fate)"


def rows(clip, text: str, trigger: str | None = BEAR) -> list[int]:
    return torch.nonzero(trigger_mask(clip, text, trigger)).flatten().tolist()


@pytest.fixture(scope="module")
def clip(base):
    return base[1]


@pytest.mark.parametrize(
    ("text", "trigger", "expected"),
    [
        (f"a photo of {BEAR} on grass", BEAR, [4, 5, 6, 7, 8, 9]),
        ("a photo of sks dog", "sks", [4]),
        ("a photo of sks dog", "sks dog", [4, 5]),
        ("he asks for sks", "sks", [4]),
        (f"{BEAR} , sitting", BEAR, [1, 2, 3, 4, 5, 6]),
        (f"{BEAR}, sitting", BEAR, [1, 2, 3, 4, 5, 6, 7]),  # ">," is one pre-token of two tokens
        (f"({BEAR}:1.3) on grass", BEAR, [1, 2, 3, 4, 5, 6]),
        (f"a (photo of ({BEAR}:1.2)) here", BEAR, [4, 5, 6, 7, 8, 9]),
        (rf"a \({BEAR}\) here", BEAR, [2, 3, 4, 5, 6, 7, 8, 9]),  # so are "(<" and ">)"
        (f"{BEAR} and {BEAR}", BEAR, [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13]),
        ("<BEAR-V4> in capitals", BEAR, [1, 2, 3, 4, 5, 6]),
        ("naïve café 北京 sks", "sks", None),
        ("a cafe\u0301 of sks", "sks", None),  # macOS writes accents apart, as in names of files
        ("sks of cafe\u0301", "café", None),
        ("sks of café", "cafe\u0301", None),
        ("an İ/of sks", "sks", None),  # the small letter is two characters
        (r"a saber_\(fate\) here", SABER, [2, 3, 4, 5]),  # saber _( fate )
        (r"(saber_\(fate\) :1.2) here", SABER, [1, 2, 3, 4]),
        (r"a ((saber_\(fate\)))", SABER, [2, 3, 4, 5]),
        (r"Saber \(Fate\) here", SABER, [1, 2, 3, 4]),
        ("a re:zero girl", "re:zero", [2, 3, 4]),
        (r"a :\) smile", ":)", [2]),
        ("a bear", BEAR, []),
        ("", BEAR, []),
        (f"a {BEAR}", None, []),
    ],
)
def test_rows_of_the_trigger(clip, text, trigger, expected):
    found = rows(clip, text, trigger)
    if (
        expected is None
    ):  # how many tokens the foreign words take is the tokenizer's affair; the trigger is the last
        end = next(
            i for i, (token, _) in enumerate(clip.tokenize(text)["l"][0]) if i and token == 49407
        )
        expected = [end - 1]
    assert found == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("a photo", [3]), ("", [1]), (" ".join(["tree"] * 90), [76, 77 + 16])]
)
def test_end_rows(clip, text, expected):
    assert torch.nonzero(end_mask(clip, text)).flatten().tolist() == expected


def test_second_chunk(clip):
    long = " ".join(["tree"] * 90)
    assert rows(clip, f"{long} sks", "sks") == [77 + 16]


def test_trigger_split_over_two_chunks(clip):
    """The host cuts a long segment after 75 tokens, wherever that is."""
    assert rows(clip, f"{FILLER} {BEAR} and more") == [74, 75, 78, 79, 80, 81]


def test_mask_is_as_long_as_the_context(clip):
    assert len(trigger_mask(clip, "short", BEAR)) == 77
    assert len(trigger_mask(clip, " ".join(["tree"] * 90), BEAR)) == 154


@pytest.mark.parametrize(
    "text", [f"a photo of {BEAR} on grass", f"({BEAR}:1.3) here", f"{FILLER} {BEAR} and more"]
)
def test_first_row_that_the_trigger_changes_is_its_first(clip, text):
    """CLIP is causal: up to the trigger the context is the same, from its first row on it is
    not.
    """
    with_trigger = clip.encode_from_tokens_scheduled(clip.tokenize(text))[0][0]
    without = clip.encode_from_tokens_scheduled(clip.tokenize(text.replace(BEAR, "cat")))[0][0]
    changed = (with_trigger - without[:, : with_trigger.shape[1]]).abs().amax(-1)[0] > 1e-4
    assert torch.nonzero(changed)[0].item() == rows(clip, text)[0]


def test_textual_inversion_takes_a_row_for_each_vector(demo_repository, tmp_path):
    save_file({"emb_params": torch.zeros(3, 768)}, tmp_path / "mybear.safetensors")
    path = demo_repository / "checkpoints" / "demo_base.safetensors"
    clip = comfy.sd.load_checkpoint_guess_config(
        str(path), output_vae=False, output_model=False, embedding_directory=[str(tmp_path)]
    )[1]
    assert rows(clip, "a photo of embedding:mybear, sks", "embedding:mybear") == [4, 5, 6]
    assert rows(clip, "a photo of embedding:mybear, sks", "sks") == [8]
    assert rows(clip, "a embedding:missing sks", "sks") == [2]


class Tokenizing:
    """The tokenizing half of a CLIP: the encoders weigh gigabytes."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def tokenize(self, text, return_word_ids=False):
        return self.tokenizer.tokenize_with_weights(text, return_word_ids)

    def encode_from_tokens_scheduled(self, tokens):
        """What the test sees of the tokens: which encoders they are for."""
        return [[torch.zeros(1, 1, 1), {"encoders": list(tokens)}]]


def test_sdxl_encoders_share_their_rows():
    from comfy.sdxl_clip import SDXLTokenizer

    clip = Tokenizing(SDXLTokenizer())
    assert rows(clip, f"a photo of {BEAR} on grass") == [4, 5, 6, 7, 8, 9]
    assert token_mask.KEY in encode(clip, f"a photo of {BEAR} on grass", BEAR)[0][0][1]


@pytest.mark.parametrize(
    ("module", "tokenizer", "encoders"),
    [("flux", "FluxTokenizer", ["l", "t5xxl"]), ("z_image", "ZImageTokenizer", ["qwen3_4b"])],
)
def test_a_prompt_for_other_text_encoders_is_encoded_without_marks(module, tokenizer, encoders):
    """A LoRA on a connected model of any family; TAQ runs none of these."""
    made = getattr(importlib.import_module(f"comfy.text_encoders.{module}"), tokenizer)()
    conditioning, mask = encode(Tokenizing(made), f"a {BEAR} on grass", BEAR)
    assert conditioning[0][1] == {"encoders": encoders}
    assert len(mask) == 0


@pytest.mark.parametrize(
    "text",
    [
        "a saber on a throne",
        "(saber_(fate):1.2), 1girl",
        r"saber \(fate\)",
        "a castle",
        "((SABER))",
    ],
)
def test_a_rewritten_text_carries_a_trigger_with_parentheses_once_and_whole(clip, text):
    prompt = rewrite(text, Card("saber", triggers=(SABER,), subjects=("saber",))).text
    found = rows(clip, prompt, SABER)
    ids = [token for token, _ in clip.tokenize(prompt)["l"][0]]
    assert [ids[row] for row in found] == clip.tokenizer.clip_l.tokenizer(SABER)["input_ids"][1:-1]
