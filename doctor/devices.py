"""Finds the device for the option `--device`."""

from __future__ import annotations

import torch

from .messages import WrongInput


def chosen_device(name: str | None) -> torch.device:
    """The device called `name` ("cuda", "cuda:1", "cpu", ...).

    None = this machine's accelerator, or the CPU if it has none. Raises WrongInput if PyTorch sees
    no such device.
    """
    here = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    if name is None:
        return _numbered(here) if here else torch.device("cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise WrongInput(f"--device {name}: PyTorch knows no such device") from error
    count = torch.accelerator.device_count() if here else 0
    if device.type != "cpu" and (
        here is None or device.type != here.type or (device.index or 0) >= count
    ):
        seen = f"{count} of type {here.type}" if here else "none but the CPU"
        raise WrongInput(f"--device {name} is not here; PyTorch sees {seen}")
    return _numbered(device)


def _numbered(device: torch.device) -> torch.device:
    """The device with its number, as ComfyUI names it."""
    return torch.device(device.type, device.index or 0) if device.type == "cuda" else device
