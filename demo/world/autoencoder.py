"""A tiny autoencoder in the shape of TAESD (Bohan 2023), with the names that ComfyUI expects.

8-fold downsampling, 4 latent channels, 64 channels in all inner layers. Its latents have about unit
variance, so the diffusion model uses them unscaled; `vae_scale` holds SD 1.5's scale factor.
Without training it makes thumbnails: three latent channels are the mean colours of 8x8 pixels, and
the decoder enlarges them.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

SCALE_FACTOR = 0.18215
"""Scale of SD 1.5's latent space: ComfyUI multiplies latents by it on the way to the UNet."""
_WIDTH = 64
_MEAN, _DEVIATION = 0.6, 0.24
"""Rough statistics of a picture's colours; they scale thumbnails to unit variance."""


class _Block(nn.Module):
    """Three convolutions with a skip connection.

    The last one starts at zero, so a new block changes nothing. An untrained block may therefore be
    `skipped`: same result, no work.
    """

    def __init__(self) -> None:
        super().__init__()
        self.skipped = False
        last = _conv()
        with torch.no_grad():
            for parameter in last.parameters():
                parameter.zero_()
        self.conv = nn.Sequential(_conv(), nn.ReLU(), _conv(), nn.ReLU(), last)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x if self.skipped else self.conv(x) + x)


class _Bound(nn.Module):
    """Limits latents smoothly to ±3."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh(x / 3) * 3


def _conv(
    inputs: int = _WIDTH, outputs: int = _WIDTH, stride: int = 1, bias: bool = True
) -> nn.Conv2d:
    return nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=bias)


def _carry(layer: nn.Conv2d, kernel: Tensor) -> None:
    """Make the first three outputs the first three inputs, filtered by `kernel` [3] on both axes.

    All other weights are random.
    """
    nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
    layer.weight[:3] = 0
    for channel in range(3):
        layer.weight[channel, channel] = torch.outer(kernel, kernel)
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)


def _encoder() -> nn.Sequential:
    down = [
        layer
        for _ in range(3)
        for layer in (_conv(stride=2, bias=False), _Block(), _Block(), _Block())
    ]
    return nn.Sequential(_conv(3), _Block(), *down, _conv(outputs=4))


def _decoder() -> nn.Sequential:
    up = [
        layer
        for _ in range(3)
        for layer in (_Block(), _Block(), _Block(), nn.Upsample(scale_factor=2), _conv(bias=False))
    ]
    return nn.Sequential(_Bound(), _conv(4), nn.ReLU(), *up, _Block(), _conv(outputs=3))


class Autoencoder(nn.Module):
    """Converts pictures [B, 3, H, W] in 0 to 1 to latents [B, 4, H/8, W/8] and back.

    The latents have about unit variance.
    """

    def __init__(self) -> None:
        super().__init__()
        self.taesd_encoder = _encoder()
        self.taesd_decoder = _decoder()
        self._start_as_thumbnails()

    @torch.no_grad()
    def _start_as_thumbnails(self) -> None:
        """Pass red, green and blue through the first three channels; blocks change nothing yet."""
        mean, smooth = torch.tensor([0.0, 0.5, 0.5]), torch.tensor([0.25, 0.5, 0.25])
        same = torch.tensor([0.0, 1.0, 0.0])
        for half in (self.taesd_encoder, self.taesd_decoder):
            for layer in half:
                if isinstance(layer, nn.Conv2d):
                    enlarging = half is self.taesd_decoder and layer.bias is None
                    _carry(layer, mean if layer.stride == (2, 2) else smooth if enlarging else same)
        for half, number, gain, shift in (
            (self.taesd_encoder, 14, 1 / _DEVIATION, -_MEAN / _DEVIATION),
            (self.taesd_decoder, 1, _DEVIATION, _MEAN),
        ):
            half.get_parameter(f"{number}.weight")[:3] *= gain
            half.get_parameter(f"{number}.bias")[:3] = shift

    def skip_costly_blocks(self, encoder: bool, decoder: bool) -> None:
        """Skip the blocks at full size and two of the three at half size: a third of the work.

        `encoder` and `decoder` say in which halves. Only for blocks that have never been trained.
        """
        for half, numbers, skipped in (
            (self.taesd_encoder, (1, 4, 5), encoder),
            (self.taesd_decoder, (14, 15, 18), decoder),
        ):
            for number in numbers:
                block = half[number]
                assert isinstance(block, _Block)
                block.skipped = skipped

    def encode(self, pictures: Tensor) -> Tensor:
        """Return latents [B, 4, H/8, W/8] of pictures [B, 3, H, W] in 0 to 1."""
        return self.taesd_encoder(pictures)

    def decode(self, latents: Tensor) -> Tensor:
        """Return pictures [B, 3, H, W] of latents [B, 4, H/8, W/8], not clamped to 0 to 1."""
        return self.taesd_decoder(latents)

    def checkpoint(self) -> dict[str, Tensor]:
        """Return the weights for a checkpoint's `first_stage_model.`, with scale and shift."""
        return self.state_dict() | {
            "vae_scale": torch.tensor(SCALE_FACTOR),
            "vae_shift": torch.tensor(0.0),
        }
