"""Run a few steps of ComfyUI's sampler in the test process, and quantize models for it."""

from __future__ import annotations

import comfy.sample
import torch

from personalq.nodes.host.taq import attention as taq_attention
from personalq.nodes.host.taq.model import QuantConfig, quantize_model
from personalq.nodes.host.taq.patcher import TAQPatcher
from personalq.taq_kernels import PRESETS, AttentionSpec

STEPS = 2


def encode(clip, text: str) -> list:
    return clip.encode_from_tokens_scheduled(clip.tokenize(text))


def sample(
    model,
    positive,
    negative,
    *,
    cfg: float = 7.0,
    batch: int = 1,
    size: int = 8,
    steps: int = STEPS,
):
    """Latents [batch, 4, size, size] after `steps` Euler steps from a fixed noise."""
    noise = torch.randn(batch, 4, size, size, generator=torch.Generator().manual_seed(0))
    latent = torch.zeros(batch, 4, size, size)
    return comfy.sample.sample(
        model,
        noise,
        steps,
        cfg,
        "euler",
        "normal",
        positive,
        negative,
        latent,
        seed=1,
        disable_pbar=True,
    )


def relative_error(result: torch.Tensor, exact: torch.Tensor) -> float:
    """L2 of the difference over L2 of `exact`."""
    return float((result - exact).norm() / exact.norm())


def nothing(done: int, total: int) -> None:
    """Progress that nobody watches."""


def quantized(
    model,
    preset: str = "W8A8",
    protect: str = "trigger + BOS",
    spec: AttentionSpec | None = None,
    config: QuantConfig | None = None,
):
    """What the node TAQ Quantize Model makes of `model`."""
    config = config or QuantConfig(PRESETS[preset])
    out = TAQPatcher.with_patches_of(model, quantize_model(model, config, nothing).patcher)
    taq_attention.install(out, protect, spec or config.preset.attention)
    return out
