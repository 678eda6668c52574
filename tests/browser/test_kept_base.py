"""Test that a base model can be chosen: in a question, for all requests of the node, and in a swap.

In both renderers.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.browser.asking import CHECK_IN, answers
from personalq.tests.checkin import make_files as make

MADE = {"xl": "SDXL", "flux_jan26": "Flux.1", "zit_v2.1": "Z-Image"}
KEEP = "Use this base model from now on"


@pytest.fixture(scope="module")
def moored(host, demo_repository: Path) -> Iterator[None]:
    """Two boats, each as a LoRA for three base models."""
    folder = demo_repository / "loras" / "boats"
    for boat in ("kittiwake", "guillemot"):
        for called, base in MADE.items():
            model = make.make_lora(folder / f"{boat}_{called}.safetensors")
            card = {"triggers": [boat], "base_model": base}
            make.beside(model, ".personalq.yaml", json.dumps(card))
    host.post("/personalq/rescan", {})
    yield
    shutil.rmtree(folder)
    host.post("/personalq/rescan", {})


def test_a_base_model_is_kept_for_other_requests(moored, editor):
    editor.set_value(CHECK_IN, "request", "kittiwake at dawn")
    expect(editor.choices).to_have_count(4)
    editor.page.get_by_role("checkbox", name=KEEP).check()
    editor.choices.filter(has_text="Flux.1").click()
    editor.wait_for_value(CHECK_IN, "base_model", "Flux")  # the node's option for all of them
    expect(answers(editor)).to_have_count(0)
    name = editor.page.locator(".personalq-decision .personalq-label").first
    expect(name).to_have_text("kittiwake_flux_jan26")
    editor.set_value(CHECK_IN, "request", "guillemot at dawn")
    expect(name).to_have_text("guillemot_flux_jan26")


def test_the_newest_of_any_is_no_base_model(moored, editor):
    editor.set_value(CHECK_IN, "request", "kittiwake at noon")
    editor.page.get_by_role("checkbox", name=KEEP).check()
    editor.choices.last.click()
    expect(answers(editor)).to_have_count(1)
    assert editor.value(CHECK_IN, "base_model") == "any"


def test_without_it_an_answer_is_for_its_request(moored, editor):
    editor.set_value(CHECK_IN, "request", "kittiwake at dusk")
    editor.choices.first.click()
    expect(answers(editor)).to_have_count(1)
    assert editor.value(CHECK_IN, "base_model") == "any"
    editor.set_value(CHECK_IN, "request", "guillemot at dusk")
    expect(editor.choices).to_have_count(4)


def test_a_question_of_another_kind_does_not_offer_it(editor):
    editor.set_value(CHECK_IN, "request", "a bear in the rain")
    expect(editor.choices.first).to_be_visible()
    expect(editor.page.get_by_role("checkbox", name=KEEP)).to_have_count(0)


def test_a_swap_for_another_base_model_takes_the_other_model_along(moored, editor):
    editor.set_value(CHECK_IN, "request", "at dawn")
    editor.set_value(CHECK_IN, "chosen", "kittiwake_xl; strength: 0.6\nguillemot_xl; strength: 0.5")
    panel = editor.page.locator(".personalq-decision")
    panel.get_by_role("button", name="Swap kittiwake_xl").click()
    offered = panel.get_by_role("group", name="Use instead of kittiwake_xl")
    instead = offered.get_by_role("button", name="Use kittiwake_flux_jan26 instead")
    expect(instead).to_contain_text("for Flux.1, with guillemot_flux_jan26")
    instead.click()
    expect(panel.get_by_role("group", name="guillemot_flux_jan26", exact=True)).to_be_visible()
    picked = editor.value(CHECK_IN, "chosen").split("\n")[-2:]
    assert [line.split("; id")[0] for line in picked] == [
        "model: kittiwake_flux_jan26; strength: 0.6",
        "model: guillemot_flux_jan26; strength: 0.5",
    ]
