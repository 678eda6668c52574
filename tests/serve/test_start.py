"""Test what is said where the service cannot start, without starting Ray."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("sqlalchemy", reason="SQLAlchemy comes with ComfyUI")

from personalq.serve.start import CannotServe, _room, _why, check
from personalq.serve.tokens import Tokens
from personalq.tests.serve.service import make_models, make_plan

NO_CARD, ONE_CARD = {"CPU": 8.0}, {"CPU": 8.0, "GPU": 1.0}


@pytest.fixture
def used() -> Iterator[int]:
    """A port of this machine's IPv6 that another program uses."""
    try:
        listening = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        pytest.skip("this machine has no IPv6")
    with listening:
        yield listening.getsockname()[1]


@pytest.mark.parametrize("host", ["::1", "::"])
def test_an_address_of_ipv6(tmp_path: Path, used: int, host: str) -> None:
    make_models(tmp_path / "models")
    plan = make_plan(tmp_path)
    Tokens(plan.tokens).make("anna")
    check(plan, host, 0)
    with pytest.raises(CannotServe, match=f"port {used} of {host} cannot be used"):
        check(plan, host, used)


def test_no_card_where_one_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(CannotServe, match=r"Ray sees no GPU.*--device cpu.*nvidia-smi"):
        _room(make_plan(tmp_path, device="gpu"), NO_CARD)
    _room(make_plan(tmp_path, device="gpu"), ONE_CARD)
    _room(make_plan(tmp_path, device="cpu"), NO_CARD)


def test_fewer_cards_than_painters(tmp_path: Path) -> None:
    with pytest.raises(CannotServe, match=r"Ray sees 1 graphics card, .*--painters 1"):
        _room(make_plan(tmp_path, device="gpu", painters=2, most_painters=2), ONE_CARD)


def test_fewer_cores_than_painters_need(tmp_path: Path) -> None:
    with pytest.raises(CannotServe, match=r"Ray has 8 cores.*need 12.*--cores"):
        _room(make_plan(tmp_path, painters=3, most_painters=3, cores=4), NO_CARD)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (
            "The deployment failed.\nTraceback (most recent call last):\n  File x, line 1\n"
            "personalq.serve.comfyui_process.NotStarted: ComfyUI did not start (exit code 1).\n"
            "ImportError: no numpy",
            "ComfyUI did not start (exit code 1).\nImportError: no numpy",
        ),
        (
            "Traceback (most recent call last):\n  File x, line 1\n"
            "personalq.checkin.index.repository.EmptyRepository: no model in checkpoints",
            "no model in checkpoints",
        ),
        ("resources are not there yet", "resources are not there yet"),
    ],
)
def test_why_it_did_not_start_is_said_without_a_traceback(message: str, said: str) -> None:
    status = SimpleNamespace(deployments={"painter": SimpleNamespace(message=message)})
    assert _why(status, RuntimeError("failed")) == f"the service did not start: {said}"
