"""Test that a text encoder answers what Check-in asks, by the host's own code.

It has the layout, the width and the tokens of Z-Image's, three narrow layers, and weights that say
one sentence: each of its tokens leads to the next. What a trained one would answer is not tested.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import comfy.model_management as management
import folder_paths
import torch
from comfy.text_encoders import llama
from comfy.text_encoders.z_image import Qwen3Tokenizer
from safetensors.torch import save_file

from personalq.checkin import Repository, check_in
from personalq.checkin.llm.prompt import NoAnswer
from personalq.nodes.host.models.language_model import LanguageModel, _ending_after, at_hand
from personalq.tests.host.narrow_host import ENCODERS
from personalq.tests.host.split_encoders import encoder_weights
from personalq.tests.host.split_files import random_model, write_lora

ANSWER = '{"decision":"clarify","choices":[1,0],"reason" : "wades"}'
"""No two tokens of it are the same."""
SIZES = ENCODERS["qwen3-4b"] | {"num_hidden_layers": 3}
BLANK_LINE, END = 271, 151645
"""The last token of a question, and that which ends an answer."""


def encoder_that_says(text: str) -> dict[str, torch.Tensor]:
    """Its tensors, in the form in which a CPU computes.

    Each token has a direction, and the first layer turns it to that of the next one.
    """
    shapes = encoder_weights("qwen3-4b", **SIZES)
    state = {
        name: (torch.ones if "norm" in name else torch.zeros)(one.shape, dtype=torch.float32)
        for name, one in shapes.items()
    }
    tokens = [BLANK_LINE, *Qwen3Tokenizer().tokenizer(text)["input_ids"], END]
    assert len({*tokens}) == len(tokens)
    for place, token in enumerate(tokens):
        state["model.embed_tokens.weight"][token, place] = 1
    for place in range(SIZES["intermediate_size"]):
        mlp = "model.layers.0.mlp"
        state[f"{mlp}.gate_proj.weight"][place, place] = 1
        state[f"{mlp}.up_proj.weight"][place, place] = 1
        state[f"{mlp}.down_proj.weight"][place + 1, place] = 1
    return state


@pytest.fixture
def birds(tmp_path: Path) -> Repository:
    """Two LoRAs."""
    for bird in ("heron", "egret"):
        write_lora(tmp_path, "z-image", random_model("z-image"), bird)
    return Repository.open(tmp_path / "loras")


@pytest.fixture
def encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The text encoder, which the host loads as narrow as it is."""
    file = tmp_path / "text_encoders" / "qwen_3_4b.safetensors"
    file.parent.mkdir()
    save_file(encoder_that_says(ANSWER), file)
    wide = llama.Qwen3_4B.__init__
    monkeypatch.setattr(
        llama.Qwen3_4B,
        "__init__",
        lambda self, config, *rest: wide(self, config | SIZES, *rest),
    )
    set_encoders(monkeypatch, file.parent)
    yield
    file.unlink()  # 1.6 GB


def set_encoders(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """The host has its text encoders there."""
    places = ([str(folder)], {".safetensors"})
    monkeypatch.setitem(folder_paths.folder_names_and_paths, "text_encoders", places)


def test_a_text_encoder_answers(birds, encoder):
    with at_hand():
        asked = check_in("the one that wades", birds, reasoner="text-encoder", deadline=600)
    assert (asked.outcome, asked.why) == ("clarify", "wades (decided by text-encoder)")
    assert {choice.label for choice in asked.question.choices} == {"heron", "egret"}


def test_outside_of_a_run_none_answers(birds):
    asked = check_in("the one that wades", birds, reasoner="text-encoder")
    assert "inside of ComfyUI" in asked.notices[-1]


def test_without_one_the_decision_stands_and_says_what_to_do(tmp_path, monkeypatch):
    set_encoders(monkeypatch, tmp_path)
    with pytest.raises(NoAnswer, match=r"qwen_3_4b\.safetensors into text_encoders"):
        LanguageModel()("qwen3-4b", "You choose.", "Which?", 20.0)


def test_what_takes_too_long_ends():
    def work() -> None:
        with _ending_after(0.05):
            while True:
                management.throw_exception_if_processing_interrupted()
                time.sleep(0.01)

    with pytest.raises(NoAnswer, match="in time"):
        work()
    assert not management.processing_interrupted()


def test_what_ends_in_time_but_is_late_by_its_clock_interrupts_nothing():
    with _ending_after(0.01):
        time.sleep(0.1)
    assert not management.processing_interrupted()


def test_what_fails_gives_no_answer():
    with pytest.raises(NoAnswer, match="too big"), _ending_after(20):
        raise RuntimeError("too big")


def test_a_persons_interruption_goes_on():
    management.interrupt_current_processing()
    with pytest.raises(management.InterruptProcessingException), _ending_after(20):
        management.throw_exception_if_processing_interrupted()
