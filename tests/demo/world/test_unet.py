"""The UNet has the names and shapes of the smallest SD1.5 checkpoint."""

from __future__ import annotations

import pytest

torch = pytest.importorskip(
    "torch", reason="torch is not installed: python quickstart.py test installs it"
)
pytest.importorskip(
    "diffusers", reason="diffusers is not installed: python quickstart.py test installs it"
)

from personalq.bench.unet_shapes import DEMO, unet_shapes  # noqa: E402
from personalq.demo.world.noise import ALPHAS_CUMPROD, add_noise, loss_weight, spread_steps  # noqa: E402
from personalq.demo.world.unet import in_checkpoint_layout, unet  # noqa: E402


def test_checkpoint_layout():
    state = in_checkpoint_layout(unet().state_dict())
    assert {name: tuple(value.shape) for name, value in state.items()} == unet_shapes(DEMO)


def test_noise_schedule_is_sd15s():
    assert ALPHAS_CUMPROD[0].item() == pytest.approx(1 - 0.00085)
    assert ALPHAS_CUMPROD[999].item() == pytest.approx(0.00466, rel=0.01)


def test_noised_keeps_unit_variance():
    latents, noise = torch.randn(2, 64, 4, 8, 8)
    assert add_noise(latents, noise, spread_steps(64)).std().item() == pytest.approx(1, abs=0.05)


def test_loss_weight_holds_down_steps_of_little_noise():
    weights = loss_weight(torch.tensor([0, 999]))  # signal to noise about 1176 and 0.0047
    assert weights[0] < 0.01
    assert weights[1] == 50


def test_spread_steps_cover_the_whole_range():
    assert sorted((spread_steps(10) // 100).tolist()) == list(range(10))
