"""Test which device is used, and the message for one that does not exist."""

from __future__ import annotations

import pytest
import torch

from personalq.doctor.devices import chosen_device
from personalq.doctor.messages import WrongInput


@pytest.fixture
def two_gpus(monkeypatch):
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: torch.device("cuda"))
    monkeypatch.setattr(torch.accelerator, "device_count", lambda: 2)


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: False)


@pytest.mark.parametrize(
    ("name", "device"), [(None, "cuda:0"), ("cuda", "cuda:0"), ("cuda:1", "cuda:1"), ("cpu", "cpu")]
)
def test_with_two_gpus(two_gpus, name, device):
    assert str(chosen_device(name)) == device


@pytest.mark.parametrize("name", ["cuda:2", "mps", "warp"])
def test_others_are_wrong_input(two_gpus, name):
    with pytest.raises(WrongInput, match=f"--device {name}"):
        chosen_device(name)


def test_without_a_gpu(no_gpu):
    assert str(chosen_device(None)) == str(chosen_device("cpu")) == "cpu"
    with pytest.raises(WrongInput, match="none but the CPU"):
        chosen_device("cuda")
