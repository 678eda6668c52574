"""Test that the files of docs/serving are valid: for YAML, for the command and for Ray Serve."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from personalq.cli.main import parse
from personalq.serve.plan import STORE, Plan

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "serving"


def load(name: str) -> dict[str, Any]:
    return yaml.safe_load((FOLDER / name).read_text("utf-8"))


def entrypoint() -> list[str]:
    lines = (FOLDER / "Dockerfile").read_text("utf-8").splitlines()
    (said,) = (line for line in lines if line.startswith("ENTRYPOINT"))
    return yaml.safe_load(said.removeprefix("ENTRYPOINT "))


def test_compose_runs_our_command_and_knows_its_parts() -> None:
    compose = load("compose.yaml")
    services, volumes = compose["services"], compose["volumes"]
    serve = services["serve"]
    program, *start = [*entrypoint(), *serve["command"]]
    assert program == "personalq"
    options = parse(start)
    assert (options.host, options.device, options.painters) == ("0.0.0.0", "gpu", 2)
    (cards,) = serve["deploy"]["resources"]["reservations"]["devices"]
    assert cards["count"] == options.painters
    assert set(serve["depends_on"]) <= services.keys()
    assert serve["ports"] == [f"{options.port}:{options.port}"]
    assert f":{options.port}/healthz" in serve["healthcheck"]["test"][-1]
    named = [place.split(":")[0] for one in services.values() for place in one["volumes"]]
    assert {name for name in named if not name.startswith("$")} == volumes.keys()
    assert (FOLDER / serve["build"]["context"] / serve["build"]["dockerfile"]).is_file()
    assert "@store/" in serve["environment"][STORE]


def test_no_file_has_a_password() -> None:
    for file in FOLDER.iterdir():
        for said in re.findall(r"(?i)password\s*[:=]\s*(\S+)", file.read_text("utf-8")):
            assert said.startswith("$"), (file.name, said)


def test_the_ray_service_has_what_its_parts_name() -> None:
    service = load("rayservice.yaml")
    assert (service["apiVersion"], service["kind"]) == ("ray.io/v1", "RayService")
    cluster = service["spec"]["rayClusterConfig"]
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    for group in groups:
        pod = group["template"]["spec"]
        (container,) = pod["containers"]
        mounts = {one["name"] for one in container["volumeMounts"]}
        assert mounts == {one["name"] for one in pod["volumes"]}
        assert [one["name"] for one in container["env"]] == [STORE]
    plan = configured()
    (workers,) = cluster["workerGroupSpecs"]
    card = workers["template"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"]
    assert card * workers["maxReplicas"] == plan.most_painters
    assert card * workers["minReplicas"] == plan.painters


def configured() -> Plan:
    """The plan of the Ray Serve configuration inside the manifest."""
    (one,) = yaml.safe_load(load("rayservice.yaml")["spec"]["serveConfigV2"])["applications"]
    module, name = one["import_path"].split(":")
    assert module.startswith("personalq.serve.")
    assert f"def {name}(" in (FOLDER.parents[1] / "serve" / "deployments.py").read_text("utf-8")
    return Plan.of(one["args"])


def test_the_configuration_is_a_plan() -> None:
    plan = configured()
    assert (plan.device, plan.local) == ("gpu", False)
    assert (plan.models, plan.database) == ("/models", "sqlite:////state/serve/jobs.sqlite")


def test_ray_serve_takes_the_configuration() -> None:
    pytest.importorskip("ray", reason="the extra serve is not installed (docs/development.md)")
    from ray.serve.schema import ServeDeploySchema

    from personalq.serve.deployments import application

    said = yaml.safe_load(load("rayservice.yaml")["spec"]["serveConfigV2"])
    taken = ServeDeploySchema.model_validate(said)
    assert application(taken.applications[0].args)


def test_a_wrong_setting_is_named() -> None:
    with pytest.raises(ValueError, match="paintres"):
        Plan.of({"models": "m", "comfyui": "c", "state": "s", "paintres": 2})
