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


@pytest.mark.parametrize(
    ("bases", "options"),
    [
        (["SDXL", "Flux.1"], {"SDXL": "SDXL", "Flux.1": "Flux"}),
        (["SDXL", "Pony"], {"SDXL": None, "Pony": "Pony"}),
        (["Flux.1", "Flux.2 Klein 4B"], {"Flux.1": None, "Flux.2 Klein 4B": "Flux.2"}),
        (
            ["SD 1.5", "SDXL", "Z-Image"],
            {"SD 1.5": "SD 1.5", "SDXL": "SDXL", "Z-Image": "Z-Image", "the newest of any": None},
        ),
    ],
)
def test_an_option_takes_the_models_of_one_choice_alone(
    tmp_path: Path, bases: list[str], options: dict[str, str | None]
) -> None:
    for place, base in enumerate(bases):
        model = make.make_lora(tmp_path / f"kittiwake_{'xyz'[place] * 3}_v{place + 1}.safetensors")
        card = {"triggers": ["ktwk"], "base_model": base}
        make.beside(model, ".personalq.yaml", json.dumps(card))
    repository = Repository.open(tmp_path, embedder=None)
    question = check_in("kittiwake at dawn", repository, now=NOW).question
    assert question
    choices = _question(question, repository)["choices"]
    found = {choice["label"]: choice["base_model"] for choice in choices}
    assert {label.rpartition("(")[2].rstrip(")"): one for label, one in found.items()} == options
