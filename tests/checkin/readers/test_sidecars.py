"""Test the sidecars of other programs: each alone, all together, and malicious ones."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from personalq.checkin.catalog.cards import Card
from personalq.checkin.index.repository import Repository
from personalq.checkin.readers.instance_phrase import trigger_of
from personalq.tests.checkin import make_files as make


def only_card(folder: Path) -> Card:
    repository = Repository.open(folder, embedder=None)
    assert repository.notices == ()
    (card,) = repository.cards
    return card


def with_sidecar(folder: Path, ending: str, content: Any, **lora: Any) -> Card:
    make.beside(make.make_lora(folder / "bear.safetensors", **lora), ending, content)
    return only_card(folder)


def test_stability_matrix(tmp_path: Path) -> None:
    card = with_sidecar(tmp_path, ".cm-info.json", make.STABILITY_MATRIX, base_model="sdxl")
    assert (card.triggers, card.version, card.sha256) == (("cm bear", "plush"), "2.1", "ab" * 32)
    assert (card.subjects, card.styles) == (("teddy bear",), ("watercolor",))
    assert card.description == "A bear you can hug."
    assert card.sources["description"] == "cm-info.json"
    assert card.base_model == "pony", "the tensors only tell SDXL; Pony is a kind of it"
    assert card.sources["created_at"] == "file time", "ImportedAt is when the file came here"


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


BOMB = "a: &a [x, x]\nb: &b [*a, *a]\n"
FORMS: dict[str, Callable[[Any], str | bytes]] = {
    ending: lambda value, keys=tuple(form): json.dumps(dict.fromkeys(keys, value))
    for ending, form in (
        (".civitai.info", make.CIVITAI),
        (".cm-info.json", make.STABILITY_MATRIX),
        (".metadata.json", make.LORA_MANAGER | {"trainedWords": 0, "sub_type": 0, "model_type": 0}),
        (".json", make.A1111),
        (".safetensors.rgthree-info.json", make.RGTHREE),
        (".swarm.json", make.SWARM),
    )
}
VALUES = (
    *(
        None,
        True,
        -1,
        1e308,
        10**4000,
        "",
        "x" * 100_000,
        "\ud800\u202e\0",
        "<lora:evil:1>",
        "9" * 5000,
        {},
        {"a": {"b": []}},
    ),
    *(
        [],
        [None],
        [[]],
        [{"word": 5, "user": True}],
        ["x"] * 50_000,
        ["(a:1.2)"] * 50_000,
        {"type": ["LORA"], "tags": 5},
    ),
    *(
        "<p>" * 30_000,
        "<" * 60_000,
        "&" * 60_000,
        [{"hashes": {"SHA256": 5}}],
        {"civitai": 5},
        '{"strength": []}',
    ),
)


@pytest.mark.parametrize("ending", FORMS)
def test_wrong_types_in_every_key_cost_at_most_the_source(tmp_path: Path, ending: str) -> None:
    start = time.monotonic()
    for number, value in enumerate(VALUES):
        model = make.make_lora(tmp_path / f"bear{number}x.safetensors", metadata=make.KOHYA)
        make.beside(model, ending, FORMS[ending](value))
    repository = Repository.open(tmp_path, embedder=None)
    assert len(repository.cards) == len(VALUES)
    assert len(repository.notices) < 12 * len(VALUES)
    for card in repository.cards:
        assert card.kind == "lora"
        assert card.created_at.year == 2025
        assert card.base_model == "sd15" or isinstance(VALUES[int(card.id[4:-1])], str), (
            "any text may be a new family"
        )
        assert len(card.description.encode()) <= 2048
        assert -10 <= card.strength <= 10
        assert all(len(trigger) <= 120 and "<lora" not in trigger for trigger in card.triggers)
        assert not any(
            char in text for text in (*card.triggers, card.description) for char in "\ud800\u202e\0"
        )
    assert time.monotonic() - start < 20


@pytest.mark.parametrize(
    ("ending", "content", "notice"),
    [
        (".md", "---\n" + BOMB + "---\n", "aliases (*name) are not allowed"),
        (".md", "---\na: " + "[" * 30 + "]" * 30 + "\n---\n", "nested too deep"),
        (".md", "---\n" + "x: y\n" * 20_000 + "---\n", "front matter is longer than"),
        (".md", "# Trigger Words\n\n<lora:evil:1>, ok\n", "trigger '<lora:evil:1>' dropped"),
        (".md", b"\xff", "not UTF-8 text"),
        (".txt", b"\xff", "not UTF-8 text"),
        (".txt", "x" * (1024 * 1024 + 1), "larger than 1,048,576 bytes"),
        (
            ".cm-info.json",
            {"TrainedWords": ["{a|b}", "b", "{c|d}", "{d|}"]},
            "'{a|b}' and 2 more dropped",
        ),
        (".swarm.json", {"modelspec.tags": [5]}, "expected a text or a list of texts"),
        (".personalq.yaml", "generated: nonsense", "generated: expected lines of `key: value`"),
        (".personalq.yaml", "base_model: {a: b}", "base_model: expected a text"),
        (".personalq.yaml", "created_at: 1970-01-01", "is before 2010: a clock that was not set"),
        (".personalq.yaml", "triggers: '...'", "trigger '...' dropped"),
        (".personalq.yaml", "{a: b}: c", "broken YAML"),
    ],
)
def test_bad_sidecar_costs_only_itself(
    tmp_path: Path, ending: str, content: Any, notice: str
) -> None:
    model = make.make_lora(tmp_path / "bear.safetensors", metadata=make.KOHYA)
    sidecar = make.beside(model, ending, content)
    repository = Repository.open(tmp_path, embedder=None)
    (said,) = repository.notices
    assert said.startswith(f"{sidecar.name}: ")
    assert notice in said
    assert len(repository.cards) == 1
    assert repository.cards[0].subjects == ("teddy bear",)


@pytest.mark.parametrize(
    "text",
    [
        "![" * 30_000,
        "[" * 60_000,
        "<a " * 20_000,
        "*_`" * 20_000,
        "# \n" * 20_000,
        "---\n" * 15_000,
    ],
)
def test_hostile_text_takes_no_time(tmp_path: Path, text: str) -> None:
    start = time.monotonic()
    for ending in (".md", ".txt"):
        make.beside(make.make_lora(tmp_path / "bear.safetensors"), ending, text)
    (tmp_path / "README.md").write_text(text)
    assert len(Repository.open(tmp_path, embedder=None).cards) == 1
    assert time.monotonic() - start < 3


def test_hostile_readme_is_a_notice(tmp_path: Path) -> None:
    make.make_lora(tmp_path / "bear.safetensors")
    (tmp_path / "README.md").write_text("---\n" + BOMB + "---\n")
    (said,) = Repository.open(tmp_path, embedder=None).notices
    assert said.startswith("README.md: ")
    assert "aliases" in said


def test_readme_names_no_picture_of_the_machine(tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(b"")
    make.make_lora(tmp_path / "loras" / "bear.safetensors")
    widget = "".join(
        f"- output: {{url: '{place}'}}\n"
        for place in (secret, "../secret.png", "x" * 5000, "a\\..\\..\\b.png")
    )
    (tmp_path / "loras" / "README.md").write_text(f"---\nwidget:\n{widget}---\n")
    assert only_card(tmp_path / "loras").previews == ()


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
    ]
    for ending in (*shown, ".mp4", ".preview.webm", ".jxl", ".example.0.jpeg.txt"):
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
    theirs = with_sidecar(tmp_path, ".metadata.json", own | {"from_civitai": True})
    assert theirs.origin == "downloaded"
