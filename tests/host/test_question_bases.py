"""Test which base model a choice of a question can set in the node."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

from personalq.checkin import Repository, check_in
from personalq.nodes.payload import _question
from personalq.tests.checkin import make_files as make

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
ENDS = {
    "SDXL": "xl",
    "Pony": "pony_v3",
    "Flux.1": "flux_jan26",
    "Z-Image": "zit_v2.1",
}
"""Base model -> the end of the name of a LoRA for it."""


@pytest.mark.parametrize(
    ("bases", "options"),
    [
        (["SDXL", "Flux.1"], {"SDXL": "SDXL", "Flux.1": "Flux"}),
        (["SDXL", "Pony"], {"SDXL": None, "Pony": "Pony"}),
        (
            ["SDXL", "Flux.1", "Z-Image"],
            {"SDXL": "SDXL", "Flux.1": "Flux", "Z-Image": "Z-Image", "the newest of any": None},
        ),
    ],
)
def test_an_option_takes_the_models_of_one_choice_alone(
    tmp_path: Path, bases: list[str], options: dict[str, str | None]
) -> None:
    assert asked(tmp_path, {f"kittiwake_{ENDS[base]}": base for base in bases}) == options


def asked(folder: Path, models: dict[str, str]) -> dict[str, str | None]:
    """Label -> option, of the question which of some models for base models is meant."""
    for name, base in models.items():
        model = make.make_lora(folder / f"{name}.safetensors")
        card = {"triggers": ["ktwk"], "base_model": base}
        make.beside(model, ".personalq.yaml", json.dumps(card))
    repository = Repository.open(folder, embedder=None)
    question = check_in("kittiwake at dawn", repository, now=NOW).question
    assert question
    choices = _question(question, repository)["choices"]
    return {choice["label"]: choice["base_model"] for choice in choices}


def test_a_question_about_something_else_sets_none(tmp_path: Path) -> None:
    found = asked(tmp_path, {"kittiwake_bow_v1": "SDXL", "kittiwake_stern_v2": "Flux.1"})
    assert set(found.values()) == {None}
