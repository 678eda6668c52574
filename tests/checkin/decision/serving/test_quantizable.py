"""Test that no model is planned in 8 or 4 bits whose file tells that TAQ cannot quantize it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from personalq.checkin import Card
from personalq.checkin.decision.serving.plan import serving_plan
from personalq.checkin.language.intent import Intent
from personalq.checkin.user.context import Context
from personalq.checkin.user.history import Use
from personalq.tests.checkin.make_files import make_checkpoint
from personalq.tests.checkin.world import NOW

QUANTIZED = {"_quantization_metadata": '{"layers": {}}'}


@pytest.mark.parametrize("request_text", ["a bear", "a quick bear", "a bear, low vram"])
def test_quantized_weights_stay_as_they_are(tmp_path, request_text):
    path = make_checkpoint(tmp_path / "ink.safetensors", "sdxl", QUANTIZED)
    checkpoint = Card("ink", str(path), base_model="illustrious")
    lora = Card("bear", "/loras/bear.safetensors", "lora", base_model="illustrious")
    picked = Context(history=(Use(NOW - timedelta(days=1), "bear", "W4A8"),))
    for card, base in ((checkpoint, None), (lora, checkpoint)):
        made = serving_plan(Intent(request_text), card, picked, NOW, base)
        assert made.preset == "none"
        assert made.why.startswith("ink is quantized already; ")


@pytest.mark.parametrize("base_model", ["sd15", "sdxl"])
def test_full_precision_is_planned_in_8_bits(tmp_path, base_model):
    path = make_checkpoint(tmp_path / "ink.safetensors", base_model)
    card = Card("ink", str(path), base_model=base_model)
    assert serving_plan(Intent("a bear"), card, Context(), NOW).preset == "W8A8"


def test_a_file_whose_header_cannot_be_read_says_nothing(tmp_path):
    path = tmp_path / "ink.ckpt"
    path.write_bytes(b"PK\3\4" * 9)
    for one in (path, tmp_path / "gone.safetensors"):
        card = Card("ink", str(one), base_model="sdxl")
        assert serving_plan(Intent("a bear"), card, Context(), NOW).preset == "W8A8"
