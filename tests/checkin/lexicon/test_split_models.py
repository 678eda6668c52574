"""Test the table of the files that base models are made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from personalq.checkin.lexicon.base_models import BASE_MODELS, label_of
from personalq.checkin.lexicon.split_models import MODELS, SPLIT_MODELS, split_model

DOCS = Path(__file__).resolve().parents[3] / "docs" / "nodes.md"


@pytest.mark.parametrize("row", SPLIT_MODELS, ids=lambda row: row.base_model)
def test_the_table_names_known_base_models_and_the_docs_show_it(row) -> None:
    assert row.base_model in {one.id for one in BASE_MODELS}
    assert split_model(row.base_model) is row, "no row before it covers it"
    if row.folder == MODELS:
        encoders = ", ".join(f"`{part.names[0]}`" for part in row.text_encoders)
        vae = f"`{row.vae.names[0]}`" if row.vae.names else "none"
        said = f"| {label_of(row.base_model)} | `{row.models[0]}` | {encoders} | {vae} |"
        assert said in DOCS.read_text("utf-8")


@pytest.mark.parametrize(
    ("base_model", "row"),
    [
        ("flux1-kontext", "flux1"),
        ("flux2-klein-9b", "flux2-klein-9b"),
        ("flux2", "flux2"),
        ("qwen-image-edit", "qwen-image"),
        ("wan21-14b", "wan"),
        ("noobai", "noobai"),
        ("z-image-turbo", "z-image"),
        ("hidream-o1", None),
        ("mynet-3", None),
        (None, None),
    ],
)
def test_the_row_of_a_base_model(base_model, row) -> None:
    found = split_model(base_model)
    assert (found.base_model if found else None) == row
