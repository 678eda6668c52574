"""Test the sidecars of other programs, each alone."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from personalq.checkin.index.repository import Repository
from personalq.checkin.readers.instance_phrase import trigger_of
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.readers.sidecars import only_card, with_sidecar


def test_stability_matrix(tmp_path: Path) -> None:
    card = with_sidecar(tmp_path, ".cm-info.json", make.STABILITY_MATRIX, base_model="sdxl")
    assert (card.triggers, card.version, card.sha256) == (("cm bear", "plush"), "2.1", "ab" * 32)
    assert (card.subjects, card.styles) == (("teddy bear",), ("watercolor",))
    assert card.description == "A bear you can hug."
    assert card.sources["description"] == "cm-info.json"
    assert card.base_model == "pony", "the tensors only tell SDXL; Pony is a kind of it"
    assert card.sources["created_at"] == "file time", "ImportedAt is when the file came here"


@pytest.mark.parametrize("ending", [".civitai.info", ".cm-info.json"])
def test_a_description_need_not_be_html(tmp_path: Path, ending: str) -> None:
    about = "say <bear-v4>, **plush**"
    said = {"description": about, "VersionDescription": about}
    assert with_sidecar(tmp_path, ending, said).description == "say <bear-v4>, plush"


def test_a_title_is_not_said_twice(tmp_path: Path) -> None:
    same = {"UserTitle": "Plush Teddy Bear"}
    card = with_sidecar(tmp_path, ".cm-info.json", make.STABILITY_MATRIX | same)
    assert card.title == "Plush Teddy Bear v2.1"


def test_rgthree(tmp_path: Path) -> None:
    card = with_sidecar(tmp_path, ".safetensors.rgthree-info.json", make.RGTHREE, base_model="sdxl")
    assert card.triggers == (
        "my bear",
        "rg bear",
    ), "the user's words first; 'solo' is a caption tag"
    assert (card.base_model, card.base, card.sha256) == (
        "illustrious",
        "illustriousXL_v01.safetensors",
        "ab" * 32,
    )
    assert card.created_at == datetime.fromisoformat("2025-03-02T10:11:12.345+00:00"), (
        "the site's date, not `modified`"
    )
    assert card.sources["triggers"] == "rgthree"


def test_rgthree_without_civitai_has_no_date(tmp_path: Path) -> None:
    card = with_sidecar(tmp_path, ".safetensors.rgthree-info.json", make.RGTHREE | {"raw": {}})
    assert card.sources["created_at"] == "file time"


def test_rgthree_beside_another_ending(tmp_path: Path) -> None:
    make.make_lora(tmp_path / "bear.sft")
    (tmp_path / "Bear.sft.rgthree-info.json").write_text(json.dumps(make.RGTHREE))
    assert only_card(tmp_path).triggers == ("my bear", "rg bear")


def test_swarm(tmp_path: Path) -> None:
    card = with_sidecar(
        tmp_path, ".swarm.json", make.SWARM, base_model="sdxl", metadata=make.MODELSPEC
    )
    assert (card.triggers, card.strength, card.styles) == (("swarm bear",), 0.6, ("ink",))
    assert card.description == "typed in the other program"
    assert card.sha256 is None
    assert card.created_at == datetime(2025, 4, 11, 9, 30).astimezone(), (
        "time_created is when the file came here"
    )
    assert card.sources["triggers"] == "swarm.json"
    assert card.sources["created_at"] == "safetensors"


@pytest.mark.parametrize("ending", [".txt", ".description.txt"])
def test_text(tmp_path: Path, ending: str) -> None:
    card = with_sidecar(tmp_path, ending, "# My bear\n\nsay <bear-v4>, it is **plush**\n")
    assert (card.description, card.triggers) == ("My bear say <bear-v4>, it is plush", ())
    assert card.sources["description"] == "text"


def test_a_text_may_call_the_trigger_so(tmp_path: Path) -> None:
    card = with_sidecar(tmp_path, ".txt", "Trigger word: sks bear\n\nStrength 0.7")
    assert (card.triggers, card.sources["triggers"]) == (("sks bear",), "text")


@pytest.mark.parametrize(
    ("text", "triggers"),
    [
        ("trigger: mybr", ("mybr",)),
        ("triggers: mybr, brown fur\nuse at 0.8", ("mybr", "brown fur")),
        ("Activation text: mybr", ("mybr",)),
        ("mybr\n", ("mybr",)),
        ("mybr, brown fur, red scarf\n", ("mybr", "brown fur", "red scarf")),
        ("good", ()),
        ("nice, but overcooked", ()),
        ("Pip, my bear", ()),
        ("mybr, use at 0.8", ()),
        ("mybr, brown fur\n\nmade in May", ()),
        ("triggers: none", ()),
    ],
)
def test_a_text_that_is_only_triggers_is_told_from_a_description(tmp_path, text, triggers):
    assert with_sidecar(tmp_path, ".txt", text).triggers == triggers


def test_markdown_of_model_manager(tmp_path: Path) -> None:
    card = with_sidecar(tmp_path, ".md", make.MODEL_MANAGER, base_model="sdxl")
    assert card.triggers == ("<md_bear>", "plush")
    assert card.sha256 == "ab" * 32
    assert card.description == "Now with softer fur, see the page. A bear you can hug."
    assert card.sources["triggers"] == "markdown"


def test_markdown_that_says_nothing(tmp_path: Path) -> None:
    text = (
        "---\nwebsite: HuggingFace\n---\n\n# Trigger Words\n\nNo trigger words\n\n# About this "
        "version\n\n"
    )
    card = with_sidecar(tmp_path, ".md", text + "No description about this version\n")
    assert (card.triggers, card.description) == ((), "")


def test_markdown_of_a_person(tmp_path: Path) -> None:
    assert (
        with_sidecar(tmp_path, ".md", "my *own* notes\n\n- good\n").description
        == "my own notes good"
    )


def test_readme_of_a_folder_with_one_model(tmp_path: Path) -> None:
    folder = tmp_path / "bear"
    make.make_lora(folder / "pytorch_lora_weights.safetensors", "sdxl")
    (folder / "README.md").write_text(make.README)
    (folder / "image_0.png").write_bytes(b"")
    card = only_card(tmp_path)
    assert (card.triggers, card.subjects, card.styles) == (
        ("sks teddy bear",),
        ("teddy bear",),
        ("watercolor",),
    )
    assert (card.base_model, card.base) == ("sdxl", "stabilityai/stable-diffusion-xl-base-1.0")
    assert card.previews == (str(folder / "image_0.png"),), "what lies on a site is no preview"
    assert card.sources["triggers"] == "readme"


def test_readme_of_a_folder_with_two_models_belongs_to_neither(tmp_path: Path) -> None:
    make.make_lora(tmp_path / "a.safetensors")
    make.make_lora(tmp_path / "b.safetensors")
    (tmp_path / "README.md").write_text(make.README)
    assert [card.triggers for card in Repository.open(tmp_path, embedder=None).cards] == [(), ()]


@pytest.mark.parametrize(
    ("phrase", "trigger"),
    [
        ("a photo of sks dog", "sks dog"),
        ("A portrait of a TOK man.", "TOK man"),
        ("in the style of TOK", "in the style of TOK"),
        ("photo", "photo"),
        ("", None),
        (5, None),
    ],
)
def test_instance_phrase(phrase: object, trigger: str | None) -> None:
    assert trigger_of(phrase) == trigger


def test_previews_of_every_name(tmp_path: Path) -> None:
    model = make.make_lora(tmp_path / "Bear.safetensors")
    shown = [
        ".preview.png",
        ".PREVIEW.webp",
        ".png",
        ".jpeg",
        ".gif",
        ".avif",
        ".thumb.jpg",
        ".example.0.jpeg",
        ".preview.webm",
        ".MP4",
    ]
    for ending in (*shown, ".jxl", ".mov", ".example.0.jpeg.txt"):
        make.beside(model, ending)
    assert [Path(found).name for found in only_card(tmp_path).previews] == [
        f"Bear{ending}" for ending in shown
    ]


def test_links_to_files_that_are_gone_are_no_sidecars(tmp_path: Path) -> None:
    make.make_lora(tmp_path / "bear.safetensors")
    (tmp_path / "bear.civitai.info").symlink_to(tmp_path / "gone")
    (tmp_path / "bear.png").symlink_to(tmp_path / "gone")
    (tmp_path / "bear.txt").mkdir()
    assert only_card(tmp_path).previews == ()


def test_lora_manager_keeps_what_the_user_trained_too(tmp_path: Path) -> None:
    own = {"from_civitai": False, "civitai": {"trainedWords": ["isoldem woman"]}}
    card = with_sidecar(tmp_path, ".metadata.json", own)
    assert (card.origin, card.triggers) == (None, ("isoldem woman",))
    said = own | {"from_civitai": True}
    assert with_sidecar(tmp_path, ".metadata.json", said).origin is None, "it is said of all files"
    theirs = with_sidecar(tmp_path, ".metadata.json", said | {"civitai": {"id": 5, "modelId": 3}})
    assert theirs.origin == "downloaded"


@pytest.mark.parametrize("nothing", ["null", "~", "NULL", ""])
def test_nothing_in_a_readme_is_no_trigger(tmp_path: Path, nothing: str) -> None:
    make.make_lora(tmp_path / "bear.safetensors")
    (tmp_path / "README.md").write_text(f"---\ninstance_prompt: {nothing}\n---\n")
    (card,) = Repository.open(tmp_path, embedder=None).cards
    assert card.triggers == ()


def test_files_that_a_mac_leaves_are_no_models(tmp_path: Path) -> None:
    make.make_lora(tmp_path / "bear.safetensors")
    (tmp_path / "._bear.safetensors").write_bytes(bytes(4096))
    (tmp_path / "README.md").write_text("---\ninstance_prompt: sks bear\n---\n")
    repository = Repository.open(tmp_path, embedder=None)
    assert [card.triggers for card in repository.cards] == [("sks bear",)]
    assert repository.notices == ()


SD_NEXT: dict[str, Any] = {
    "id": 501,
    "name": "Plush Bear",
    "description": "<p>A <b>bear</b> you can hug.</p>",
    "type": "LORA",
    "tags": ["bear", "watercolor"],
    "modelVersions": [
        {
            "id": 1002,
            "name": "v3.0",
            "baseModel": "Pony",
            "trainedWords": ["new bear"],
            "files": [{"name": "plushBear_v30.safetensors"}],
        },
        {
            "id": 1001,
            "name": "v2.0",
            "baseModel": "SD 1.5",
            "trainedWords": ["old bear"],
            "createdAt": "2025-03-02T10:11:12.345Z",
            "files": [{"name": "bear.safetensors"}],
        },
    ],
}


def test_sd_next(tmp_path: Path) -> None:
    card = with_sidecar(tmp_path, ".json", SD_NEXT)
    assert (card.triggers, card.version, card.title) == (("old bear",), "2.0", "Plush Bear v2.0")
    assert (card.subjects, card.styles) == (("bear",), ("watercolor",))
    assert (card.description, card.origin) == ("A bear you can hug.", "downloaded")
    assert card.sources["description"] == "sd.next"


def test_sd_next_of_a_renamed_file_tells_what_all_versions_share(tmp_path: Path) -> None:
    versions = SD_NEXT["modelVersions"][:1]
    assert with_sidecar(tmp_path, ".json", SD_NEXT | {"modelVersions": versions}).version == "3.0"
    card = with_sidecar(tmp_path, ".json", SD_NEXT | {"modelVersions": versions * 2})
    assert (card.triggers, card.version, card.title) == ((), None, "Plush Bear")


def test_notes_of_a1111_may_be_html(tmp_path: Path) -> None:
    card = with_sidecar(tmp_path, ".json", {"description": "<p>A <b>bear</b>.</p>", "notes": None})
    assert card.description == "A bear."
