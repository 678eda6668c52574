"""Test a workflow that is saved on one machine and run on another.

Folders and names of files differ there.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from personalq.checkin.catalog.pinned import PinnedModels
from personalq.demo.host_process import HostError, HostProcess, failure
from personalq.tests.host.graphs import check_in, prompt_of, ran, said
from personalq.tests.host.templates import as_graph, load, small

REQUEST = "my latest realistic bear on forest grass"
CHECK_IN = "2"
MADE_WITH = "personalq_made_with"


@pytest.fixture(scope="module")
def elsewhere(
    comfyui: Path, demo_repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[HostProcess]:
    """Another machine: the base, the third realistic bear, and a cartoon bear under another name,
    in other folders.
    """
    models = tmp_path_factory.mktemp("elsewhere")
    bears = demo_repository / "loras" / "bear"
    for source, target in (
        (
            demo_repository / "checkpoints" / "demo_base.safetensors",
            "checkpoints/sd/demo_base.safetensors",
        ),
        (bears / "bear_realistic_v3.safetensors", "loras/inbox/bear_realistic_v3.safetensors"),
        (
            bears / "bear_realistic_v3.personalq.yaml",
            "loras/inbox/bear_realistic_v3.personalq.yaml",
        ),
        (bears / "bear_cartoon_v2.safetensors", "loras/inbox/smiling.safetensors"),
        (bears / "bear_cartoon_v2.civitai.info", "loras/inbox/smiling.civitai.info"),
    ):
        (models / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, models / target)
    with HostProcess(comfyui, models, tmp_path_factory.mktemp("comfyui_elsewhere")) as process:
        yield process


def offer(entry, name: str) -> dict:
    """One of the models that a run offered."""
    return next(one for one in said(entry)["offers"] if one["name"] == name)


def workflow_of(request: str, host: HostProcess) -> tuple[dict, dict]:
    """A template with this request: as it is saved, and as it is queued, without its last nodes."""
    workflow = load("5-A-longer-prompt-PersonalQ")
    node = next(node for node in workflow["nodes"] if node["type"] == "PersonalQCheckIn")
    node["widgets_values"][0] = request
    return workflow, small(as_graph(workflow, host.get("/object_info")))


def properties(workflow: dict) -> dict:
    return next(node for node in workflow["nodes"] if node["type"] == "PersonalQCheckIn")[
        "properties"
    ]


def test_runners_up_are_offered_and_one_is_taken(host):
    entry = host.prompt(check_in(REQUEST), "client")
    assert [one["name"] for one in said(entry)["offers"]] == [
        f"bear_realistic_v{n}" for n in (3, 2, 1)
    ]
    assert all(one["image"] for one in said(entry)["offers"])
    chosen = offer(entry, "bear_realistic_v2")["chosen"]
    assert chosen.startswith(f"for: {REQUEST}\nmodel: bear_realistic_v2; ")
    entry = host.prompt(check_in(REQUEST, chosen=chosen), "client")
    assert (said(entry)["card"]["name"], said(entry)["by_hand"]) == ("bear_realistic_v2", True)
    assert prompt_of(entry) == "realistic <bear-v2> on forest grass"


def test_a_choice_does_not_apply_to_another_request(host):
    entry = host.prompt(
        check_in(REQUEST, chosen="for: another\nmodel: bear_realistic_v2"), "client"
    )
    assert (said(entry)["card"]["name"], said(entry)["by_hand"]) == ("bear_realistic_v4", False)


def test_a_choice_holds_while_the_request_asks_for_the_same(host):
    entry = host.prompt(check_in(REQUEST), "client")
    chosen = offer(entry, "bear_realistic_v2")["chosen"]
    entry = host.prompt(check_in(f"{REQUEST}, at night", chosen=chosen), "client")
    assert (said(entry)["card"]["name"], said(entry)["by_hand"]) == ("bear_realistic_v2", True)
    assert prompt_of(entry) == "realistic <bear-v2> on forest grass, at night"
    assert f"As you chose for '{REQUEST}'." in said(entry)["notices"]


def test_a_strength_holds_while_the_request_is_worded_on(host):
    chosen = "for: the checker taxi\nchecker_taxi; strength: 0.4"
    asked = check_in("the checker taxi in blueprint style", chosen=chosen)
    entry = host.prompt(asked, "client")
    strengths = {one["name"]: one["strength"] for one in said(entry)["models"]}
    assert strengths["checker_taxi"] == 0.4
    assert "As you set it before: checker_taxi." in said(entry)["notices"]
    of_another = chosen.replace("taxi\n", "taxi at dawn\n")
    entry = host.prompt(check_in("my checker taxi, drawn at night", chosen=of_another), "client")
    assert said(entry)["models"][0]["strength"] != 0.4


def test_a_near_miss_can_be_taken_by_a_script_too(host):
    asked = check_in("my December watercolour")
    assert "write its name into chosen" in failure(host.prompt(asked))
    taken = check_in("my December watercolour", chosen="dog_watercolour_v2")
    assert prompt_of(host.prompt(taken)) == "<dog-v2> watercolour"


def test_a_chosen_model_is_found_under_another_name_elsewhere(host, elsewhere):
    """The hash that its sidecar claims there was not computed; so it is not found by content."""
    entry = host.prompt(check_in("a cartoon bear on grass"), "client")
    chosen = PinnedModels.from_text(said(entry)["made_with"])
    assert len(chosen.models[0].reference.sha256) == 64
    entry = elsewhere.prompt(check_in("a cartoon bear on grass", chosen=chosen.to_text()), "client")
    assert said(entry)["card"]["name"] == "smiling"
    assert said(entry)["why"] == "You chose smiling, found by its trigger and version."


def test_a_chosen_model_is_found_by_its_card_elsewhere(host, elsewhere):
    chosen = offer(host.prompt(check_in(REQUEST), "client"), "bear_realistic_v3")["chosen"]
    entry = elsewhere.prompt(check_in(REQUEST, chosen=chosen))
    assert said(entry)["why"] == "You chose bear_realistic_v3."


def test_a_chosen_model_that_is_missing_is_named_with_the_nearest(host, elsewhere):
    chosen = offer(host.prompt(check_in(REQUEST), "client"), "bear_realistic_v2")["chosen"]
    entry = elsewhere.prompt(check_in(REQUEST, chosen=chosen), "client")
    assert said(entry)["outcome"] == "no_match"
    assert said(entry)["why"].startswith("bear_realistic_v2 is not here. Choose one of the nearest")
    nearest = said(entry)["offers"][0]
    assert (nearest["name"], nearest["reason"]) == ("bear_realistic_v3", "without “version 2”")
    entry = elsewhere.prompt(check_in(REQUEST, chosen=nearest["chosen"]), "client")
    assert said(entry)["card"]["name"] == "bear_realistic_v3"


def test_a_folder_that_only_the_other_machine_has_is_no_error(elsewhere):
    entry = elsewhere.prompt(
        check_in("my newest realistic bear", repository="loras/bear"), "client"
    )
    assert said(entry)["card"]["name"] == "bear_realistic_v3"
    assert "There is no folder 'loras/bear' here: looked in all models." in said(entry)["notices"]
    with pytest.raises(HostError, match="Value not in list"):
        elsewhere.prompt(check_in("my newest realistic bear", repository="../loras"), "client")


def test_the_picture_tells_which_model_it_was_made_with(host, elsewhere):
    workflow, graph = workflow_of(REQUEST, host)
    entry = host.prompt(graph, "client", workflow=workflow)
    (picture,) = host.pictures(entry)
    with Image.open(picture) as image:
        carried = dict(image.info)
    shared = json.loads(carried["workflow"])
    made = PinnedModels.from_text(properties(shared)[MADE_WITH])
    assert (made.request, made.models[0].reference.name, made.models[0].reference.version) == (
        REQUEST,
        "bear_realistic_v4",
        "4",
    )

    entry = elsewhere.prompt(
        small(as_graph(shared, elsewhere.get("/object_info"))), "client", workflow=shared
    )
    assert said(entry)["card"]["name"] == "bear_realistic_v3"
    assert (
        said(entry)["notices"][0]
        == "This workflow was made with bear_realistic_v4, which is not here."
    )

    places = {
        str(host.models),
        str(host.base_directory),
        str(host.models.resolve()),
        os.path.expanduser("~/"),
    }
    for text in (*carried.values(), json.dumps(entry["outputs"])):
        assert not [
            place for place in places if place in text or place in text.replace("\\\\", "\\")
        ]


def test_what_another_model_made_is_offered_where_it_is_here(host):
    workflow, graph = workflow_of("a bear on forest grass", host)
    properties(workflow)[MADE_WITH] = (
        "for: a bear on forest grass\nmodel: bear_realistic_v1\nversion: 1"
    )
    entry = host.prompt(graph, "client", workflow=workflow)
    assert said(entry)["outcome"] == "clarify"
    assert said(entry)["notices"][0] == "This workflow was made with bear_realistic_v1."
    assert [(one["name"], one["reason"]) for one in said(entry)["offers"]] == [
        ("bear_realistic_v1", "made with it")
    ]


def test_what_one_workflow_was_made_with_is_not_said_of_another(host):
    """Though their runs are decided from the same, and the host keeps the first one's outputs."""
    workflow, graph = workflow_of("my latest bear on a hill", host)
    properties(workflow)[MADE_WITH] = "for: my latest bear on a hill\nmodel: bear_realistic_v1"
    entry = host.prompt(graph, "client", workflow=workflow)
    assert said(entry)["notices"][0] == "This workflow was made with bear_realistic_v1."
    properties(workflow)[MADE_WITH] = said(entry)["made_with"]  # as the page does
    assert ran(host.prompt(graph, "client", workflow=workflow)) == set()

    other, _ = workflow_of("my latest bear on a hill", host)
    entry = host.prompt(graph, "client", workflow=other)
    assert said(entry)["notices"] == []
    assert "made with it" not in [one["reason"] for one in said(entry)["offers"]]
    properties(other)[MADE_WITH] = said(entry)["made_with"]
    assert ran(host.prompt(graph, "client", workflow=other)) == set()


def test_each_picture_of_a_batch_names_its_model(host):
    """All of its runs are queued before the first one is shown, and the page stores the models."""
    workflow, graph = workflow_of("my latest realistic bear on a beach", host)
    sampler = next(one for one in graph.values() if one["class_type"] == "KSampler")
    for seed in range(3):
        sampler["inputs"]["seed"] = seed
        entry = host.prompt(graph, "client", workflow=workflow)
        (picture,) = host.pictures(entry)
        with Image.open(picture) as image:
            made = properties(json.loads(image.info["workflow"]))[MADE_WITH]
        assert PinnedModels.from_text(made).models[0].reference.name == "bear_realistic_v4"
    properties(workflow)[MADE_WITH] = said(entry)["made_with"]  # as the page does
    assert ran(host.prompt(graph, "client", workflow=workflow)) == set()
    sampler["inputs"]["seed"] = 3
    assert CHECK_IN not in ran(host.prompt(graph, "client", workflow=workflow))


def test_a_run_without_a_workflow_stays_as_it_is(host):
    graph = check_in("my latest realistic bear on a roof")
    assert CHECK_IN in ran(host.prompt(graph, "client"))
    assert ran(host.prompt(graph, "client")) == set()


def test_a_workflow_from_before_the_choice_could_be_kept_runs(host):
    graph = as_graph(load("2-Ask-for-your-model-PersonalQ"), host.get("/object_info"))
    graph = {
        key: node
        for key, node in graph.items()
        if node["class_type"] in ("PersonalQClarify", "PersonalQCheckIn")
    }
    node = next(node for node in graph.values() if node["class_type"] == "PersonalQCheckIn")
    del node["inputs"]["chosen"]
    graph["3"] = {"class_type": "PreviewAny", "inputs": {"source": [CHECK_IN, 4]}}
    assert prompt_of(host.prompt(graph, "client"))
