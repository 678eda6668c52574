"""Test Describe Models in a real ComfyUI.

It draws pictures, asks a model that looks at them, and writes cards.
"""

from __future__ import annotations

import io
import json
import os
import re
import time
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import randrange

import pytest
from PIL import Image

from personalq.checkin import Repository
from personalq.checkin.index.sidecar_file import write_sidecar
from personalq.cli.main import main
from personalq.demo.host_process import HostProcess
from personalq.tests.checkin.llm.server import Asked, Reply, openai, serving
from personalq.tests.host.graphs import check_in, ran, said

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
def asleep():
    with serving([Reply(wait=40)]) as server:
        yield server


@pytest.fixture(scope="module")
def describing(comfyui: Path, models: Path, eyes, asleep, tmp_path_factory):
    base = tmp_path_factory.mktemp("comfyui")
    settings = base / "user" / "__personalq"
    settings.mkdir(parents=True)
    (settings / "reasoners.yaml").write_text(
        f"eyes:\n  model: m\n  base_url: {eyes.url}/v1\n"
        "dark:\n  model: m\n  base_url: http://127.0.0.1:9/v1\n"
        f"asleep:\n  model: m\n  base_url: {asleep.url}/v1\n"
    )
    with HostProcess(comfyui, models, base) as process:
        yield process


def pictures_in(asked: Asked) -> list[Image.Image]:
    parts = [part for part in asked.body["messages"][1]["content"] if part["type"] == "image_url"]
    return [
        Image.open(io.BytesIO(b64decode(part["image_url"]["url"].partition(",")[2])))
        for part in parts
    ]


def run(host: HostProcess, describer: str, **inputs):
    """The history entry of a run of Describe Models, and of a node that saves a picture."""
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
        "3": {
            "class_type": "EmptyImage",
            "inputs": {"width": 8, "height": 8, "batch_size": 1, "color": randrange(2**24)},
        },
        "4": {"class_type": "SaveImage", "inputs": {"images": ["3", 0], "filename_prefix": "x"}},
    }
    return host.prompt(graph, "client")


def describe(host: HostProcess, describer: str, **inputs) -> str:
    """What a run of Describe Models reports."""
    return run(host, describer, **inputs)["outputs"]["2"]["text"][0]


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


@pytest.fixture
def bear_picture(models):
    """A picture beside the LoRA, so that none is drawn."""
    place = models / "loras" / "bear" / "bear_realistic_v4.png"
    Image.new("RGB", (8, 8), "red").save(place)
    yield place
    place.unlink()


def test_through_the_command_of_a_running_comfyui(describing, eyes, bear_picture, capsys):
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


def fingerprint_in(picture: Path) -> str:
    """The fingerprint of Describe Models, which ComfyUI writes into pictures."""
    with Image.open(picture) as opened:
        (found,) = json.loads(opened.info["prompt"])["1"]["is_changed"]
    return found


def test_it_runs_again_after_each_failure_and_pictures_tell_nothing(describing):
    entries = [run(describing, "dark", models="described by a program") for _ in range(3)]
    entries += [run(describing, "offline") for _ in range(2)]
    saved = [picture for entry in entries for picture in describing.pictures(entry)]
    prints = [fingerprint_in(picture) for picture in saved]
    assert all(re.fullmatch("[0-9a-f]{64}", str(one)) for one in prints), prints
    assert len(set(prints)) == 4, "the last one is that of a run without failures"
    assert prints[-2] == prints[-1]
    assert ["1" in ran(entry) for entry in entries] == [True, True, True, True, False]


def test_one_that_fails_lets_the_others_have_their_turn(
    describing, demo_repository, models, bear_picture
):
    other = bear_picture.with_name("bear_realistic_v3.safetensors")
    os.link(demo_repository / "loras" / "bear" / other.name, other)
    os.link(bear_picture, other.with_suffix(".png"))
    inputs = {"models": "described by a program", "limit": 1}
    reports = [describe(describing, "dark", **inputs) for _ in range(3)]
    named = ["v3" if "- bear-bear_realistic_v3: " in one else "v4" for one in reports]
    assert all("1 could not be described" in one for one in reports)
    assert named in (["v3", "v4", "v3"], ["v4", "v3", "v4"])
    other.unlink()
    other.with_suffix(".png").unlink()


def test_interrupt_ends_a_run_while_the_model_thinks(describing, bear_picture, asleep):
    with ThreadPoolExecutor() as pool:
        running = pool.submit(run, describing, "asleep", models="described by a program")
        while not asleep.asked:
            time.sleep(0.05)
        describing.post("/interrupt", {})
        entry = running.result(timeout=10)
    assert "execution_interrupted" in [kind for kind, _ in entry["status"]["messages"]]


@pytest.fixture
def drawn(describing):
    """How many pictures were drawn up to now."""
    folder = describing.base_directory / "user" / "__personalq" / "previews"
    return lambda: len(list(folder.rglob("*.png")))


def test_pictures_are_drawn_anew_if_they_would_be_others(describing, models, eyes, drawn):
    inputs = {"models": "described by a program", "pictures": 1}
    describe(describing, "eyes", **inputs)
    before = drawn()
    describe(describing, "eyes", **inputs)
    assert drawn() == before
    describe(describing, "eyes", **inputs, side=72)
    assert [picture.size for picture in pictures_in(eyes.asked[-1])] == [(72, 72)]
    assert drawn() == before + 1
    write_sidecar(models / "loras/bear/bear_realistic_v4.safetensors", {"triggers": "<other>"})
    describe(describing, "eyes", **inputs)
    assert drawn() == before + 2
    os.link(models / "checkpoints/demo_base.safetensors", models / "checkpoints/other.safetensors")
    settings = describing.base_directory / "user" / "__personalq" / "settings.yaml"
    settings.write_text("bases:\n  sd15: other\n")
    describe(describing, "eyes", **inputs)
    assert drawn() == before + 3
    settings.unlink()
    describe(describing, "eyes", **inputs)
    assert drawn() == before + 3


def test_pictures_are_drawn_with_the_settings_that_suit_the_model(describing, models, eyes, drawn):
    inputs = {"models": "described by a program", "pictures": 1, "side": 80}
    base = models / "checkpoints" / "demo_base.safetensors"
    write_sidecar(base, {"steps": 2})
    describe(describing, "eyes", **inputs)  # which gives the model a subject to be drawn with
    seen, before = [], drawn()
    for settings in ({"steps": 3}, {"steps": 3, "cfg": 1.5}, {"steps": 3, "cfg": 1.5}):
        write_sidecar(base, settings)
        describe(describing, "eyes", **inputs)
        seen.append(pictures_in(eyes.asked[-1])[0].tobytes())
    assert drawn() == before + 2
    assert seen[0] != seen[1] == seen[2]


def test_the_nodes_offer_the_users_profiles_and_no_key(describing):
    info = describing.get("/object_info/PersonalQCheckIn")["PersonalQCheckIn"]
    assert "eyes" in json.dumps(info["input"]["required"]["reasoner"])
