"""The autoencoder has the shape and the names that ComfyUI's TAESD loader expects."""

from __future__ import annotations

import pytest

torch = pytest.importorskip(
    "torch", reason="torch is not installed: python quickstart.py test installs it"
)

from personalq.demo.weights import base_checkpoint  # noqa: E402
from personalq.demo.world.autoencoder import Autoencoder  # noqa: E402


def test_eightfold_and_back():
    model = Autoencoder()
    latents = model.encode(torch.rand(2, 3, 64, 32))
    assert latents.shape == (2, 4, 8, 4)
    assert model.decode(latents).shape == (2, 3, 64, 32)


def test_names_and_shapes_are_those_of_a_checkpoint():
    prefix = "first_stage_model."
    wanted = {
        k.removeprefix(prefix): v.shape
        for k, v in base_checkpoint().items()
        if k.startswith(prefix)
    }
    assert {
        name: tuple(value.shape) for name, value in Autoencoder().checkpoint().items()
    } == wanted


def test_latents_stay_bounded():
    decoder = Autoencoder().taesd_decoder
    far, farther = (decoder(torch.full((1, 4, 4, 4), value)) for value in (1000.0, 2000.0))
    assert torch.equal(far, farther)


def test_untrained_it_makes_thumbnails():
    chance = torch.Generator().manual_seed(0)
    corners = 0.3 + 0.5 * torch.rand(
        1, 3, 3, 3, generator=chance
    )  # extremes are bounded, and so not kept
    smooth = torch.nn.functional.interpolate(corners, 64, mode="bilinear")
    model = Autoencoder()
    with torch.no_grad():
        restored = model.decode(model.encode(smooth))
    assert (restored - smooth).abs().mean() < 0.08
