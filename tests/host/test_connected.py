"""Test Repo Check-in on a model that another node has loaded, through the HTTP API."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import save_file

from personalq.checkin.index.sidecar_file import write_sidecar
from personalq.demo.host_process import HostProcess, failure
from personalq.tests.host.graphs import Graph, check_in, prompt_of, ran, said
from personalq.tests.host.templates import as_graph, load, small

CLEAR = "my latest realistic bear on forest grass"
WHOLE = "dog_realistic is a whole checkpoint; disconnect `model` to load it."
FOR_SD15 = "for the connected SD 1.5 model"


def loader(checkpoint: str = "demo_base") -> Graph:
    return {
        "load": {
            "class_type": "CheckpointLoaderSimple",
            "inputs": {"ckpt_name": f"{checkpoint}.safetensors"},
        }
    }


def connected(request: str, *parts: str, checkpoint: str = "demo_base", **inputs: Any) -> Graph:
    """Check-in with a loader of which `parts` are connected; default: all."""
    outputs = {"model": 0, "clip": 1, "vae": 2}
    links = {name: ["load", outputs[name]] for name in parts or outputs}
    return check_in(request, **(links | inputs)) | loader(checkpoint)


def drawing(model: list, clip: list = ("2", 1)) -> Graph:
    """A picture of 64 px by Check-in's conditioning."""
    empty = {"width": 64, "height": 64, "batch_size": 1}
    sampler = {"seed": 1, "steps": 4, "cfg": 2.5, "sampler_name": "euler", "scheduler": "normal"}
    sampler |= {"denoise": 1.0, "model": model, "positive": ["2", 3], "negative": ["negative", 0]}
    vae = {"samples": ["sample", 0], "vae": ["2", 2]}
    return {
        "negative": {"class_type": "CLIPTextEncode", "inputs": {"text": "", "clip": list(clip)}},
        "latent": {"class_type": "EmptyLatentImage", "inputs": empty},
        "sample": {"class_type": "KSampler", "inputs": sampler | {"latent_image": ["latent", 0]}},
        "decode": {"class_type": "VAEDecode", "inputs": vae},
        "save": {
            "class_type": "SaveImage",
            "inputs": {"images": ["decode", 0], "filename_prefix": "connected"},
        },
    }


def pixels(host: HostProcess, graph: Graph) -> np.ndarray:
    entry = host.prompt(graph, "client")
    assert failure(entry) is None
    (picture,) = host.pictures(entry)
    with Image.open(picture) as image:
        return np.asarray(image).astype(int)


@pytest.fixture
def stranger(demo_repository: Path) -> Iterator[str]:
    """An owl for SDXL in the LoRA folder."""
    folder = demo_repository / "loras" / "stranger"
    folder.mkdir()
    file = folder / "owl_xl.safetensors"
    name = "lora_unet_input_blocks_4_1_transformer_blocks_0_attn2_to_k"
    parts = {"lora_down": torch.zeros(4, 2048), "lora_up": torch.zeros(640, 4)}
    save_file({f"{name}.{part}.weight": tensor for part, tensor in parts.items()}, file)
    write_sidecar(file, {"subjects": ["owl"], "triggers": ["<owl>"], "base_model": "sdxl"})
    yield "owl_xl"
    for one in folder.iterdir():
        one.unlink()
    folder.rmdir()


def test_the_lora_is_applied_to_the_connected_model(host):
    """The picture is that of Check-in's own loading, since the checkpoint is the same."""
    entry = host.prompt(connected(CLEAR), "client")
    assert said(entry)["card"]["name"] == "bear_realistic_v4"
    assert FOR_SD15 in said(entry)["why"]
    assert FOR_SD15 in said(entry)["constraints"]
    assert prompt_of(entry) == "realistic <bear-v4> on forest grass"
    ours = pixels(host, check_in(CLEAR) | drawing(["2", 0]))
    theirs = pixels(host, connected(CLEAR) | drawing(["2", 0]))
    assert np.array_equal(ours, theirs)
    plain = pixels(host, connected(CLEAR) | drawing(["load", 0], ["load", 1]))
    assert abs(plain - theirs).mean() > 1


def test_another_upstream_model_runs_the_node_again(host):
    host.prompt(connected(CLEAR), "client")
    again = ran(host.prompt(connected(CLEAR), "client"))
    other = ran(host.prompt(connected(CLEAR, checkpoint="dog_realistic"), "client"))
    assert ("2" in again, "2" in other) == (False, True)


def test_a_whole_checkpoint_is_not_offered(host):
    entry = host.prompt(connected("my realistic dog"), "client")
    assert (said(entry)["outcome"], said(entry)["why"]) == ("no_match", WHOLE)
    assert said(entry)["near"][0] == {"name": "dog_realistic", "dropped": FOR_SD15}
    alone = failure(host.prompt(connected("my realistic dog")))
    assert alone.startswith(WHOLE)
    assert "- dog_realistic" not in alone, "writing its name into chosen would not help"
    assert WHOLE in failure(host.prompt(connected(CLEAR, chosen="dog_realistic")))


def test_a_lora_of_another_family(host, stranger):
    entry = host.prompt(connected("my owl on grass"), "client")
    assert said(entry)["why"].startswith(f"No owl {FOR_SD15}")
    by_hand = host.prompt(connected("my owl on grass", chosen=stranger), "client")
    assert (
        f"'{stranger}' fits no layer of the connected SD 1.5 model (demo_base): it was made for "
        "SDXL. Disconnect `model`"
    ) in failure(by_hand)


def test_a_model_chosen_by_hand(host):
    entry = host.prompt(connected("a red car", chosen="bear_realistic_v3"), "client")
    assert (said(entry)["by_hand"], said(entry)["card"]["name"]) == (True, "bear_realistic_v3")
    assert said(entry)["made_with"].startswith("for: a red car\nmodel: bear_realistic_v3")


def test_the_picture_names_the_lora_that_it_was_made_with(host):
    workflow = load("4-Inside-your-own-workflow-PersonalQ")
    graph = small(as_graph(workflow, host.get("/object_info")))
    (picture,) = host.pictures(host.prompt(graph, "client", workflow=workflow))
    with Image.open(picture) as image:
        saved = json.loads(image.info["workflow"])
    node = next(one for one in saved["nodes"] if one["type"] == "PersonalQCheckIn")
    assert "model: bear_realistic_v4" in node["properties"]["personalq_made_with"]
    assert "demo_base" not in node["properties"]["personalq_made_with"]


def test_without_clip_the_prompt_still_comes_out(host):
    more = {"4": {"class_type": "PreviewAny", "inputs": {"source": ["2", 3]}}}
    more["5"] = {"class_type": "PreviewAny", "inputs": {"source": ["2", 2]}}
    graph = connected(CLEAR, "model") | more
    messages, entry = asyncio.run(watched(host, graph))
    assert prompt_of(entry) == "realistic <bear-v4> on forest grass"
    assert not {"4", "5"} & set(entry["outputs"])
    said = " ".join(messages)
    assert "no text encoder: connect its input `clip` too" in said
    assert "no VAE: connect its input `vae` too" in said


async def watched(host: HostProcess, graph: Graph) -> tuple[list[str], dict[str, Any]]:
    """(error messages that the page gets during a run, its history)."""
    import aiohttp

    found = []
    address = host.url.replace("http", "ws") + "/ws?clientId=watching"
    async with aiohttp.ClientSession() as session, session.ws_connect(address) as socket:
        run = asyncio.create_task(asyncio.to_thread(host.prompt, graph, "watching"))
        async for message in socket:
            said = json.loads(message.data) if message.type is aiohttp.WSMsgType.TEXT else {}
            if said.get("type") == "execution_error":
                found.append(said["data"]["exception_message"])
            if said.get("type") == "executing" and said["data"]["node"] is None:
                break
        return found, await run


@pytest.mark.parametrize("part", ["clip", "vae"])
def test_parts_without_a_model(host, part):
    message = failure(host.prompt(connected(CLEAR, part), "client"))
    assert f"Connected: `{part}`, but no `model`. Connect the model too" in message


@pytest.mark.parametrize("preset", ["W8A8", "serving plan"])
def test_taq_quantizes_it(host, preset):
    inputs = {"model": ["2", 0], "preset": preset, "protect": "all", "quantizer": "uniform"}
    taq = {"class_type": "PersonalQTAQ", "inputs": inputs | {"selection": ["2", 5]}}
    graph = connected(CLEAR) | {"taq": taq}
    assert pixels(host, graph | drawing(["taq", 0])).std() > 1


def test_recommended_settings_are_those_of_the_connected_model(host):
    node = {"class_type": "PersonalQSettings", "inputs": {"selection": ["2", 5]}}
    show = {"class_type": "PreviewAny", "inputs": {"source": ["settings", 3]}}
    entry = host.prompt(connected(CLEAR) | {"settings": node, "show": show}, "client")
    assert "128 x 128" in said(entry, "settings")["why"]
    assert "the card of demo_base" in said(entry, "settings")["why"]
