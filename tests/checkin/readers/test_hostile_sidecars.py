"""Test broken and malicious sidecars."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from personalq.checkin.index.repository import Repository
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.readers.sidecars import only_card

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
    start = time.process_time()
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
    assert time.process_time() - start < 20


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
    start = time.process_time()
    for ending in (".md", ".txt"):
        make.beside(make.make_lora(tmp_path / "bear.safetensors"), ending, text)
    (tmp_path / "README.md").write_text(text)
    assert len(Repository.open(tmp_path, embedder=None).cards) == 1
    assert time.process_time() - start < 3


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


@pytest.mark.parametrize(
    ("ending", "key"),
    [(".civitai.info", "model"), (".metadata.json", "tags"), (".cm-info.json", "Tags")],
)
def test_tags_of_another_type_cost_only_themselves(tmp_path: Path, ending: str, key: str) -> None:
    tags: Any = [{"id": 1, "name": "plush"}]
    sidecar = {
        ".civitai.info": make.CIVITAI,
        ".metadata.json": make.LORA_MANAGER,
        ".cm-info.json": make.STABILITY_MATRIX,
    }[ending]
    own = {"model": make.CIVITAI["model"] | {"tags": tags}} if key == "model" else {key: tags}
    make.beside(make.make_lora(tmp_path / "bear.safetensors"), ending, sidecar | own)
    repository = Repository.open(tmp_path, embedder=None)
    assert repository.cards[0].triggers
    assert all("tags: expected" in notice for notice in repository.notices)
