"""Test Describe Models in a real ComfyUI.

It draws pictures, asks a model that looks at them, and writes cards.
"""

from __future__ import annotations

import io
import json
import os
from base64 import b64decode
from pathlib import Path

import pytest
from PIL import Image

from personalq.checkin import Repository
from personalq.cli.main import main
from personalq.demo.host_process import HostProcess
from personalq.tests.checkin.llm.server import Asked, openai, serving
from personalq.tests.host.graphs import check_in, said

pytest.importorskip(
    "openai", reason="openai is not installed: python quickstart.py test installs it"
)
ANSWER = {
    "description": "A grey thing that nobody can name",
    "subjects": ["blob"],
    "styles": ["abstract"],
}


@pytest.fixture(scope="module")
def models(demo_repository: Path, tmp_path_factory) -> Path:
    """The demo base and one LoRA of it, without any card."""
    folder = tmp_path_factory.mktemp("models")
    for name in ("checkpoints/demo_base.safetensors", "loras/bear/bear_realistic_v4.safetensors"):
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        os.link(demo_repository / name, place)
    return folder


@pytest.fixture(scope="module")
def eyes():
    with serving([openai(ANSWER)]) as server:
        yield server


@pytest.fixture(scope="module")
def describing(comfyui: Path, models: Path, eyes, tmp_path_factory):
    base = tmp_path_factory.mktemp("comfyui")
    settings = base / "user" / "__personalq"
    settings.mkdir(parents=True)
    (settings / "reasoners.yaml").write_text(
        f"eyes:\n  model: m\n  base_url: {eyes.url}/v1\n"
        "dark:\n  model: m\n  base_url: http://127.0.0.1:9/v1\n"
    )
    with HostProcess(comfyui, models, base) as process:
        yield process


def pictures_in(asked: Asked) -> list[Image.Image]:
    parts = [part for part in asked.body["messages"][1]["content"] if part["type"] == "image_url"]
    return [
        Image.open(io.BytesIO(b64decode(part["image_url"]["url"].partition(",")[2])))
        for part in parts
    ]


def describe(host: HostProcess, describer: str, **inputs) -> str:
    graph = {
        "1": {
            "class_type": "PersonalQDescribe",
            "inputs": {
                "repository": "loras",
                "describer": describer,
                "models": "not described",
                "pictures": 2,
                "side": 64,
                "limit": 0,
            }
            | inputs,
        },
        "2": {"class_type": "PreviewAny", "inputs": {"source": ["1", 0]}},
    }
    return host.prompt(graph, "client")["outputs"]["2"]["text"][0]


def test_offline_finds_nothing_to_go_by_in_a_file_without_captions(describing, models):
    assert "0 described, 1 with nothing to go by" in describe(describing, "offline")
    assert not list(models.rglob("*.yaml"))


def test_it_draws_two_pictures_asks_and_writes_the_card(describing, models, eyes):
    assert "1 described" in describe(describing, "eyes")
    [asked] = eyes.asked
    pictures = pictures_in(asked)
    assert [picture.size for picture in pictures] == [(64, 64)] * 2
    assert pictures[0].tobytes() != pictures[1].tobytes()
    [card] = Repository.open(models / "loras", embedder=None).cards
    assert card.description == ANSWER["description"]
    assert card.sources["description"] == "generated"
    assert [path.suffix for path in (models / "loras" / "bear").iterdir()].count(".png") == 0


def test_the_pictures_that_were_drawn_are_shown_with_the_model(describing):
    entry = describing.prompt(check_in("my blob", repository="loras"), "client")
    shown = said(entry)
    assert shown["card"]["name"] == "bear_realistic_v4"
    assert shown["card"]["image"]
    assert shown["constraints"] == ["blob"]


def test_through_the_command_of_a_running_comfyui(describing, eyes, capsys):
    before = len(eyes.asked)
    assert (
        main(["describe", "--server", describing.url, "--with", "eyes", "--again", "--limit", "1"])
        == 0
    )
    assert "1 described" in capsys.readouterr().out
    assert len(eyes.asked) == before + 1
    command = ["describe", "--server", describing.url, "--with", "dark", "--again"]
    assert [main(command), main(command)] == [1, 1]
    assert capsys.readouterr().out.count("1 could not be described") == 2
    assert main(["describe", "--server", describing.url, "--with", "nobody"]) == 2
    assert "refused" in capsys.readouterr().err
    assert main(["describe", "--server", "http://127.0.0.1:9"]) == 2
    assert "no ComfyUI answers" in capsys.readouterr().err


def test_the_nodes_offer_the_users_profiles_and_no_key(describing):
    info = describing.get("/object_info/PersonalQCheckIn")["PersonalQCheckIn"]
    assert "eyes" in json.dumps(info["input"]["required"]["reasoner"])
