"""Test that the trigger's tokens are marked in a prompt without the words that only chose."""

from __future__ import annotations

from datetime import datetime

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

from personalq.checkin import Card, Repository, ServingPlan, check_in
from personalq.checkin.language.variants import triggers_in
from personalq.nodes.host.text.encode import encode
from personalq.nodes.host.text.token_mask import KEY
from personalq.nodes.sockets import Selection
from personalq.nodes.trigger_rewrite import TriggerRewrite
from personalq.taq_kernels.attention.protected_tokens import TRIGGER

NOW = datetime(2026, 5, 15, 12, 0).astimezone()
CARDS = (
    Card("bear", "bear_v4.safetensors", triggers=("<bear-v4>", "brwnbear"), subjects=("bear",)),
    Card("dog", "dog_v2.safetensors", triggers=("<dog-v2>",), subjects=("dog",)),
)
REPOSITORY = Repository(CARDS, version="drawn", embedder=None)


@pytest.mark.parametrize(
    ("request_", "whole", "prompt", "tokens"),
    [
        ("my latest bear on grass please", False, "<bear-v4> on grass", range(1, 7)),
        (
            "my latest bear on grass please",
            True,
            "my latest <bear-v4> on grass please",
            range(3, 9),
        ),
        ("my latest brwnbear on grass", False, "<bear-v4> on grass", range(1, 7)),
        ("the newest bear_v4, in snow", False, "<bear-v4> , in snow", range(1, 7)),
    ],
)
def test_the_mask_of_the_conditioning_is_on_the_trigger(base, request_, whole, prompt, tokens):
    decision = check_in(request_, REPOSITORY, now=NOW, whole_prompt=whole)
    assert decision.prompt == prompt
    conditioning, mask = encode(base[1], decision.prompt, decision.card.trigger)
    assert torch.nonzero(mask).flatten().tolist() == list(tokens)
    marks = conditioning[0][1][KEY].flatten()
    assert torch.nonzero(marks == TRIGGER).flatten().tolist() == list(tokens)


ANNA = Card(
    "anna",
    "anna.safetensors",
    triggers=("anna", "red dress", "high heels", "blue coat"),
    variants=("anna, red dress, high heels", "anna, blue coat"),
)
OUTFIT = "anna in a red dress, high heels"
OUTFIT_TOKENS = [1, 4, 5, 7, 8]
"""Those of anna, red dress and high heels: 2 and 3 are "in a", 6 is the comma."""


def test_the_mask_is_on_all_triggers_of_an_outfit(base):
    library = Repository((ANNA,), version="outfits", embedder=None)
    decision = check_in("anna in a red dress", library, now=NOW)
    assert decision.prompt == OUTFIT
    triggers = triggers_in(decision.prompt, decision.card)
    _, mask = encode(base[1], decision.prompt, decision.card.trigger, triggers)
    assert torch.nonzero(mask).flatten().tolist() == OUTFIT_TOKENS


def test_trigger_rewrite_puts_the_outfit_in_and_marks_it(base):
    selection = Selection(ANNA, ServingPlan("none", ""))
    conditioning, prompt = TriggerRewrite.execute(base[1], selection, "anna in a red dress").args
    assert prompt == OUTFIT
    marks = conditioning[0][1][KEY].flatten()
    assert torch.nonzero(marks == TRIGGER).flatten().tolist() == OUTFIT_TOKENS
