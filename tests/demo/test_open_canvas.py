"""What `python quickstart.py open` prints and opens."""

from __future__ import annotations

import socket

import pytest

from personalq.demo.host_process import free_port
from personalq.demo.open_canvas import TEMPLATE, has_display, template_address
from personalq.ray_cluster import PACK


def test_the_address_names_a_template_of_the_pack() -> None:
    assert (PACK / "workflows" / f"{TEMPLATE}.json").is_file()
    address = template_address("http://127.0.0.1:8190")
    assert (
        address
        == "http://127.0.0.1:8190/?template=1-Ask-for-your-model-PersonalQ.app&source=personalq"
    )


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_these_systems_always_have_a_display(
    monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    assert has_display({})


@pytest.mark.parametrize(
    ("environment", "there_is_one"),
    [
        ({}, False),
        ({"DISPLAY": ""}, False),
        ({"DISPLAY": ":0"}, True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, True),
        ({"BROWSER": "firefox"}, True),
    ],
)
def test_elsewhere_the_environment_tells(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], there_is_one: bool
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    assert has_display(environment) is there_is_one


def test_a_taken_port_is_passed_over() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert free_port([port]) != port
    assert free_port([port]) == port


def test_any_port_when_none_is_preferred() -> None:
    assert free_port() > 0
