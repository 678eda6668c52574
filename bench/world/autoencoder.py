"""A tiny autoencoder in the shape of TAESD (Bohan 2023), under the names that ComfyUI's loader expects.

8-fold downsampling, 4 latent channels, 64 channels throughout. Its latents have about unit variance, so they are the
diffusion model's space as they are; SD1.5's scale factor stands in `vae_scale`.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

SCALE_FACTOR = 0.18215
"""Of SD1.5's latent space: the host multiplies latents by it on the way to the UNet."""
_WIDTH = 64


class _Block(nn.Module):
    """Three convolutions beside a skip connection; the last one starts at zero, so a new block changes nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Sequential(_conv(), nn.ReLU(), _conv(), nn.ReLU(), _conv())
        nn.init.zeros_(self.conv[4].weight)
        nn.init.zeros_(self.conv[4].bias)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.conv(x) + x)


class _Bound(nn.Module):
    """Keeps latents within ±3."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh(x / 3) * 3


def _conv(inputs: int = _WIDTH, outputs: int = _WIDTH, stride: int = 1, bias: bool = True) -> nn.Conv2d:
    return nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=bias)


def _encoder() -> nn.Sequential:
    down = [layer for _ in range(3) for layer in (_conv(stride=2, bias=False), _Block(), _Block(), _Block())]
    return nn.Sequential(_conv(3), _Block(), *down, _conv(outputs=4))


def _decoder() -> nn.Sequential:
    up = [
        layer
        for _ in range(3)
        for layer in (_Block(), _Block(), _Block(), nn.Upsample(scale_factor=2), _conv(bias=False))
    ]
    return nn.Sequential(_Bound(), _conv(4), nn.ReLU(), *up, _Block(), _conv(outputs=3))


class Autoencoder(nn.Module):
    """Pictures [B, 3, H, W] in 0 to 1 <-> latents [B, 4, H/8, W/8] of about unit variance."""

    def __init__(self) -> None:
        super().__init__()
        self.taesd_encoder = _encoder()
        self.taesd_decoder = _decoder()

    def encode(self, pictures: Tensor) -> Tensor:
        return self.taesd_encoder(pictures)

    def decode(self, latents: Tensor) -> Tensor:
        return self.taesd_decoder(latents)

    def checkpoint(self) -> dict[str, Tensor]:
        """The weights as a checkpoint holds them under `first_stage_model.`, with scale and shift."""
        return self.state_dict() | {"vae_scale": torch.tensor(SCALE_FACTOR), "vae_shift": torch.tensor(0.0)}
