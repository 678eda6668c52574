"""Test all sidecars of one model together."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.readers.sidecars import only_card


def test_all_sources_together(tmp_path: Path) -> None:
    """Each field from its best source; then that source is taken away, again and again, until the
    file is alone.
    """
    header = (
        make.KOHYA
        | make.MODELSPEC
        | make.ADDITIONAL_NETWORKS
        | {"modelspec.usage_hint": "Trigger word: hint bear"}
    )
    model = make.make_lora(tmp_path / "bear_v7.safetensors", "sdxl", header)
    own = (
        "triggers: own bear\ndescription: own words\nversion: 9\nbase_model: sdxl\ngenerated:\n  "
        "description: made up\n"
    )
    beside: dict[str, Any] = {
        ".personalq.yaml": own,
        ".swarm.json": make.SWARM,
        ".json": make.A1111,
        ".txt": "plain text",
        ".metadata.json": make.LORA_MANAGER,
        ".civitai.info": make.CIVITAI,
        ".cm-info.json": make.STABILITY_MATRIX,
        ".safetensors.rgthree-info.json": make.RGTHREE,
        ".md": make.MODEL_MANAGER,
    }
    files = {ending: make.beside(model, ending, content) for ending, content in beside.items()}
    (tmp_path / "README.md").write_text(make.README)

    def sources() -> dict[str, str]:
        return dict(only_card(tmp_path).sources)

    card = only_card(tmp_path)
    assert card.triggers == ("own bear",)
    assert card.description == "own words"
    assert card.version == "9"
    assert card.base_model == "sdxl", "the person's word stands, though others say Pony"
    assert card.created_at == datetime.fromisoformat("2025-04-11T09:00:00.25+00:00"), (
        "the trainer's time, with a zone"
    )
    assert card.sources == {
        "triggers": "sidecar", "description": "sidecar", "version": "sidecar",
        "base_model": "sidecar",
        "subjects": "safetensors", "styles": "metadata.json", "created_at": "safetensors",
        "kind": "safetensors",
        "base": "safetensors", "sha256": "metadata.json", "strength": "metadata.json",
        "clip_skip": "metadata.json", "variants": "metadata.json",
        "title": "swarm.json", "tags": "metadata.json", "captions": "captions",
        "origin": "civitai.info",
        "lineage": "file name",
    }  # fmt: skip

    expected = (
        (
            ".personalq.yaml",
            {"triggers": "swarm.json", "description": "a1111", "version": "file name"},
        ),
        (
            ".swarm.json",
            {
                "triggers": "safetensors",
                "description": "a1111",
                "strength": "metadata.json",
                "title": "metadata.json",
            },
        ),
        (".json", {"triggers": "safetensors", "description": "text"}),
        (
            ".metadata.json",
            {
                "styles": "civitai.info",
                "sha256": "rgthree",
                "title": "civitai.info",
                "tags": "civitai.info",
            },
        ),
        (
            ".safetensors.rgthree-info.json",
            {"sha256": "cm-info.json", "base_model": "cm-info.json"},
        ),
        (".cm-info.json", {"sha256": "civitai.info", "base_model": "safetensors"}),
        (
            ".civitai.info",
            {
                "styles": "safetensors",
                "sha256": "markdown",
                "title": "safetensors",
                "tags": "safetensors",
                "origin": "safetensors",
            },
        ),
        (".txt", {"description": "safetensors"}),
        (".md", {"description": "safetensors", "triggers": "safetensors"}),
    )
    for ending, changed in expected:
        files[ending].unlink()
        found = sources()
        assert {name: found.get(name) for name in changed} == changed, f"without {ending}"
    assert "sha256" not in sources()
    assert only_card(tmp_path).version == "7"


def test_triggers_go_by_how_surely_they_are_meant(tmp_path: Path) -> None:
    keys = ("modelspec.trigger_phrase", "ssmd_keywords", "modelspec.usage_hint", "ss_dataset_dirs")
    header = (
        make.KOHYA
        | make.MODELSPEC
        | make.ADDITIONAL_NETWORKS
        | {"modelspec.usage_hint": "Trigger word: hint bear"}
    )
    found = []
    for key in keys:
        make.make_lora(tmp_path / "bear.safetensors", "sdxl", header)
        found.append(only_card(tmp_path).trigger)
        header = {name: value for name, value in header.items() if name != key}
    make.make_lora(tmp_path / "bear.safetensors", "sdxl", header)
    assert [*found, only_card(tmp_path).trigger] == [
        "wtrclr bear",
        "kwd bear",
        "hint bear",
        "sks teddy bear",
        None,
    ]


def test_generated_goes_before_guesses_and_after_people(tmp_path: Path) -> None:
    tags = json.dumps({"x": {"house": 20}})
    model = make.make_lora(tmp_path / "a.safetensors", metadata={"ss_tag_frequency": tags})
    make.beside(
        model,
        ".personalq.yaml",
        "generated:\n  by: x\n  subjects: [bear]\n  description: a bear\n  triggers: z\n",
    )
    card = only_card(tmp_path)
    assert (card.subjects, card.description, card.triggers) == (("bear",), "a bear", ())
    assert card.sources["subjects"] == card.sources["description"] == "generated"

    make.beside(model, ".txt", "a person's words")
    assert only_card(tmp_path).description == "a person's words"


@pytest.mark.parametrize(
    ("name", "on_site", "version", "source"),
    [
        ("bear_v10", "v1.0", "1.0", "civitai.info"),  # a site leaves the dot out of its file names
        ("bear_v21", "v2.1 (baked VAE)", "2.1", "civitai.info"),
        ("bear_v10", "v10", "10", "file name"),
        ("bear_v3", "v1.0", "3", "file name"),  # its user's own
    ],
)
def test_the_version_of_a_file_from_a_site(
    tmp_path: Path, name: str, on_site: str, version: str, source: str
) -> None:
    model = make.make_lora(tmp_path / f"{name}.safetensors")
    make.beside(model, ".civitai.info", make.CIVITAI | {"name": on_site})
    card = only_card(tmp_path)
    assert (card.version, card.sources["version"]) == (version, source)


def test_a_build_is_found_as_its_file_writes_the_version(tmp_path: Path) -> None:
    make.make_checkpoint(tmp_path / "sd15.safetensors")
    for name, on_site in (("plush_v140", "v14.0"), ("plush_v150", "v15.0")):
        model = make.make_lora(tmp_path / f"{name}.safetensors")
        make.beside(model, ".civitai.info", make.CIVITAI | {"name": on_site})
    repository = Repository.open(tmp_path, embedder=None)
    for request in ("plush 140, in the rain", "plush v14 in the rain"):
        decision = check_in(request, repository)
        assert [card.name for card in decision.cards] == ["plush_v140"]
        assert "14" not in (decision.prompt or "")
