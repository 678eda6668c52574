"""Test `personalq mcp` with the SDK's own client, over stdio, on real files."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
import yaml
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, Implementation, TextContent

from personalq.checkin.lexicon.text import without_folders
from personalq.checkin.user.context import HISTORY_FILE
from personalq.cli.main import main
from personalq.cli.mcp.library import PAGE
from personalq.tests.checkin import make_files as make

CARDS = {
    "realistic": "subjects: bear\nstyles: realistic\ntriggers: <bear>\ncreated_at: 2025-03-01\n",
    "toon": "subjects: bear\nstyles: cartoon\ntriggers: <toon>\ncreated_at: 2025-04-01\n",
}
PACK = Path(__file__).resolve().parents[2]
REALISTIC, TOON = "loras-bears-realistic", "loras-bears-toon"


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A base, two bears, and a LoRA of which nothing is known but its name."""
    folder = tmp_path / "my models"
    make.make_checkpoint(folder / "checkpoints" / "base.safetensors")
    for name, card in CARDS.items():
        model = make.make_lora(folder / "loras" / "bears" / f"{name}.safetensors")
        make.beside(model, ".personalq.yaml", card)
    make.make_lora(folder / "loras" / "xk7.safetensors")
    (folder / "loras" / "broken.safetensors").write_bytes(b"")
    return folder


class Agent:
    """A client, and everything that it was told."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.told = ""

    async def tools(self) -> dict[str, Any]:
        return {tool.name: tool for tool in (await self.client.list_tools()).tools}

    async def ask(self, tool: str, **arguments: object) -> dict[str, Any]:
        result = await self._call(tool, arguments)
        assert not result.is_error, self.told
        assert result.structured_content is not None
        assert json.loads(self.told) == result.structured_content
        return result.structured_content

    async def refused(self, tool: str, **arguments: object) -> str:
        result = await self._call(tool, arguments)
        assert result.is_error
        return self.told

    async def _call(self, tool: str, arguments: dict[str, object]) -> CallToolResult:
        result = await self.client.call_tool(tool, arguments)
        (content,) = result.content
        assert isinstance(content, TextContent)
        self.told = content.text
        return result


@asynccontextmanager
async def agent(*arguments: object) -> AsyncIterator[Agent]:
    """An agent that started the pack's folder as its server, as docs/agents.md says."""
    settings = {"PERSONALQ_SETTINGS": os.environ["PERSONALQ_SETTINGS"]}
    server = StdioServerParameters(
        command=sys.executable, args=[str(PACK), "mcp", *map(str, arguments)], env=settings
    )
    name = Implementation(name="a test", version="1")
    async with Client(server, client_info=name, read_timeout_seconds=120) as client:
        yield Agent(client)


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_an_agent_finds_a_model_and_nothing_is_written(models: Path, tmp_path: Path) -> None:
    before, settings = files_in(models), tmp_path / "settings"

    async def talk() -> None:
        async with agent(models, "--settings", settings) as person:
            tools = await person.tools()
            assert set(tools) == {"find", "list", "show"}
            assert all(tool.annotations.read_only_hint for tool in tools.values())
            found = await person.ask("find", request="my realistic bear on grass")
            assert str(tmp_path) not in person.told
            assert (found["outcome"], found["prompt"]) == ("select", "realistic <bear> on grass")
            (card,) = found["cards"]
            assert (card["id"], card["file"]) == (
                REALISTIC,
                "loras/bears/realistic.safetensors",
            )
            assert card["triggers"] == ["<bear>"]
            assert found["base"] == "checkpoints-base"
            nothing = await person.ask("find", request="a submarine")
            assert (nothing["outcome"], nothing["cards"]) == ("no_match", [])
            assert nothing["why"]

    anyio.run(talk)
    assert files_in(models) == before
    assert not (settings / HISTORY_FILE).exists()


def test_an_agent_hands_a_question_on(models: Path) -> None:
    async def talk() -> None:
        async with agent(models) as person:
            asked = await person.ask("find", request="a bear")
            assert (asked["outcome"], asked["cards"]) == ("clarify", [])
            assert asked["question"]
            labels = [choice["label"] for choice in asked["choices"]]
            assert {"realistic", "cartoon"} <= set(labels)
            found = await person.ask("find", request="a bear", answers=["cartoon"])
            assert [card["id"] for card in found["cards"]] == [TOON]

    anyio.run(talk)


def test_an_agent_lists_what_is_there_now(models: Path, tmp_path: Path) -> None:
    async def talk() -> None:
        async with agent(models) as person:
            listed = await person.ask("list")
            assert listed["total"] == 4
            assert listed["next_offset"] is None
            assert [note for note in listed["notices"] if "broken.safetensors" in note]
            assert str(tmp_path) not in person.told
            toons = await person.ask("list", style="cartoon", base_model="sd15")
            assert [card["id"] for card in toons["cards"]] == [TOON]
            of_march = await person.ask("list", since="2025-02-28", until="2025-03-01")
            assert [card["id"] for card in of_march["cards"]] == [REALISTIC]
            for number in range(PAGE):
                make.make_lora(models / "loras" / f"new_{number}.safetensors")
            first = await person.ask("list")
            rest = await person.ask("list", offset=first["next_offset"])
            ids = [card["id"] for card in (*first["cards"], *rest["cards"])]
            assert first["total"] == len(set(ids)) == len(ids) == PAGE + 4
            assert "sd15" in await person.refused("list", base_model="sd17")
            assert "2025" in await person.refused("list", since="last year, 2025")
            assert "9999-12-31 is outside" in await person.refused("list", until="9999-12-31")
            assert "0001-01-01 is outside" in await person.refused("list", since="0001-01-01")

    anyio.run(talk)


def test_an_agent_sees_one_card_with_its_sources(models: Path, tmp_path: Path) -> None:
    (models / "loras" / "bears" / "toon.png").write_bytes(b"picture")

    async def talk() -> None:
        async with agent(models) as person:
            shown = await person.ask("show", model=TOON)
            assert str(tmp_path) not in person.told
            assert shown["base"] == "checkpoints-base"
            assert shown["card"]["subjects"] == ["bear"]
            assert shown["card"]["sources"]["subjects"] == "sidecar"
            assert not {"path", "previews"} & set(shown["card"])
            refused = await person.refused("show", model=str(models / "loras"))
            assert "take one that `list` gives" in refused

    anyio.run(talk)


def test_an_agent_describes_only_with_write_and_never_over_a_person(models: Path) -> None:
    async def talk() -> None:
        async with agent(models, "--write") as person:
            tools = await person.tools()
            assert set(tools) == {"find", "list", "show", "describe"}
            assert tools["describe"].annotations.read_only_hint is False
            said = await person.ask(
                "describe", model="loras-xk7", description="A red fox.", subjects=["fox"]
            )
            assert said["card"]["description"] == "A red fox."
            assert said["kept"] == []
            found = await person.ask("find", request="my fox in the snow")
            assert [card["id"] for card in found["cards"]] == ["loras-xk7"]
            said = await person.ask("describe", model=TOON, subjects=["cat"], description="Blue.")
            assert said["kept"] == ["subjects"]
            assert said["card"]["subjects"] == ["bear"]
            assert said["card"]["description"] == "Blue."
            assert "at least one" in await person.refused("describe", model=TOON)

    anyio.run(talk)
    written = yaml.safe_load((models / "loras" / "xk7.personalq.yaml").read_text("utf-8"))
    assert set(written) == {"generated"}
    assert written["generated"]["by"] == "a test"


def test_wrong_input_is_an_error_of_the_tool_without_paths(models: Path, tmp_path: Path) -> None:
    async def talk() -> None:
        async with agent(models) as person:
            assert "The request is empty" in await person.refused("find", request=" ")
            for file in models.rglob("*.safetensors"):
                file.unlink()
            refused = await person.refused("find", request="a bear")
            assert "No model found in my models" in refused
            assert str(tmp_path) not in refused

    anyio.run(talk)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [([], "say where your models are"), (["nowhere/at/all"], "does not exist")],
)
def test_wrong_folders_end_with_2_and_one_sentence(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mcp", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("/models/my bears/a.safetensors: left out", "a.safetensors: left out"),
        (r"C:\models\a.safetensors: left out", "a.safetensors: left out"),
        ("loras/a.safetensors: left out", "loras/a.safetensors: left out"),
        ("see https://example.org/models/1", "see https://example.org/models/1"),
        ("No model found in /a/b, /c/d.", "No model found in b, d."),
        ("realistic/cartoon", "realistic/cartoon"),
    ],
)
def test_only_folders_of_absolute_paths_are_taken_out(text: str, left: str) -> None:
    assert without_folders(text) == left
