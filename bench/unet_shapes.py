"""Names and shapes of a Stable Diffusion UNet's weights in the LDM layout.

They follow from its configuration alone.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class UNetConfig:
    """A UNet with levels of residual blocks, and spatial transformers between the blocks.

    Each level has one channel multiplier.
    """

    channel_mult: tuple[int, ...]
    res_blocks: int
    """Residual blocks per level on the way down; one more on the way up."""
    depth: tuple[int, ...]
    """Transformer blocks after each residual block of a level; 0 = no transformer."""
    depth_middle: int
    context_dim: int
    linear_projection: bool = False
    """proj_in and proj_out are Linear (SDXL), not 1x1 convolutions (SD1.5)."""
    adm_channels: int | None = None
    """Width of the pooled conditioning (SDXL)."""
    model_channels: int = 320
    latent_channels: int = 4


SD15 = UNetConfig(
    channel_mult=(1, 2, 4, 4), res_blocks=2, depth=(1, 1, 1, 0), depth_middle=1, context_dim=768
)
SDXL = UNetConfig((1, 2, 4), 2, (0, 2, 10), 10, 2048, linear_projection=True, adm_channels=2816)
DEMO = UNetConfig(channel_mult=(1, 1), res_blocks=1, depth=(0, 1), depth_middle=1, context_dim=768)
"""The UNet of the miniature world, which ComfyUI takes for SD 1.5."""

Shapes = dict[str, tuple[int, ...]]


def unet_shapes(config: UNetConfig) -> Shapes:
    """Map weight name to shape for the `UNetModel` of Rombach et al. (2022)."""
    width = config.model_channels
    embedding = 4 * width
    shapes: Shapes = _linear("time_embed.0", width, embedding) | _linear(
        "time_embed.2", embedding, embedding
    )
    if config.adm_channels:
        shapes |= _linear("label_emb.0.0", config.adm_channels, embedding)
        shapes |= _linear("label_emb.0.2", embedding, embedding)
    shapes |= _conv("input_blocks.0.0", config.latent_channels, width, 3)
    shapes |= _down(config, skips := [width])
    channels = skips[-1]
    shapes |= _residual("middle_block.0", channels, channels, embedding)
    if config.depth_middle:
        shapes |= _transformer("middle_block.1", channels, config.depth_middle, config)
    shapes |= _residual("middle_block.2", channels, channels, embedding)
    shapes |= _up(config, skips)
    return shapes | _norm("out.0", width) | _conv("out.2", width, config.latent_channels, 3)


def _down(config: UNetConfig, skips: list[int]) -> Shapes:
    """Return the input blocks after the first; append each block's output channels to `skips`."""
    shapes: Shapes = {}
    for level, multiplier in enumerate(config.channel_mult):
        channels = multiplier * config.model_channels
        for _ in range(config.res_blocks):
            name = f"input_blocks.{len(skips)}"
            shapes |= _residual(f"{name}.0", skips[-1], channels, 4 * config.model_channels)
            if config.depth[level]:
                shapes |= _transformer(f"{name}.1", channels, config.depth[level], config)
            skips.append(channels)
        if level + 1 < len(config.channel_mult):
            shapes |= _conv(f"input_blocks.{len(skips)}.0.op", channels, channels, 3)
            skips.append(channels)
    return shapes


def _up(config: UNetConfig, skips: list[int]) -> Shapes:
    """Return the output blocks; each takes its skip connection from the end of `skips`."""
    shapes: Shapes = {}
    incoming, block = skips[-1], 0
    for level in reversed(range(len(config.channel_mult))):
        channels = config.channel_mult[level] * config.model_channels
        for turn in range(config.res_blocks + 1):
            name = f"output_blocks.{block}"
            shapes |= _residual(
                f"{name}.0", incoming + skips.pop(), channels, 4 * config.model_channels
            )
            if config.depth[level]:
                shapes |= _transformer(f"{name}.1", channels, config.depth[level], config)
            if level and turn == config.res_blocks:
                shapes |= _conv(
                    f"{name}.{2 if config.depth[level] else 1}.conv", channels, channels, 3
                )
            incoming, block = channels, block + 1
    return shapes


def _residual(name: str, channels: int, out: int, embedding: int) -> Shapes:
    shapes = _norm(f"{name}.in_layers.0", channels) | _conv(f"{name}.in_layers.2", channels, out, 3)
    shapes |= _linear(f"{name}.emb_layers.1", embedding, out)
    shapes |= _norm(f"{name}.out_layers.0", out) | _conv(f"{name}.out_layers.3", out, out, 3)
    return (
        shapes if channels == out else shapes | _conv(f"{name}.skip_connection", channels, out, 1)
    )


def _transformer(name: str, channels: int, depth: int, config: UNetConfig) -> Shapes:
    def projection(which: str) -> Shapes:
        full = f"{name}.{which}"
        return (
            _linear(full, channels, channels)
            if config.linear_projection
            else _conv(full, channels, channels, 1)
        )

    shapes = _norm(f"{name}.norm", channels) | projection("proj_in")
    for number in range(depth):
        block = f"{name}.transformer_blocks.{number}"
        shapes |= _attention(f"{block}.attn1", channels, channels)
        shapes |= _linear(f"{block}.ff.net.0.proj", channels, 8 * channels)
        shapes |= _linear(f"{block}.ff.net.2", 4 * channels, channels)
        shapes |= _attention(f"{block}.attn2", channels, config.context_dim)
        shapes |= (
            _norm(f"{block}.norm1", channels)
            | _norm(f"{block}.norm2", channels)
            | _norm(f"{block}.norm3", channels)
        )
    return shapes | projection("proj_out")


def _attention(name: str, channels: int, context: int) -> Shapes:
    shapes: Shapes = {f"{name}.to_q.weight": (channels, channels)}
    shapes |= {
        f"{name}.to_k.weight": (channels, context),
        f"{name}.to_v.weight": (channels, context),
    }
    return shapes | _linear(f"{name}.to_out.0", channels, channels)


def _linear(name: str, inputs: int, outputs: int) -> Shapes:
    return {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}


def _conv(name: str, inputs: int, outputs: int, kernel: int) -> Shapes:
    return {f"{name}.weight": (outputs, inputs, kernel, kernel), f"{name}.bias": (outputs,)}


def _norm(name: str, channels: int) -> Shapes:
    return {f"{name}.weight": (channels,), f"{name}.bias": (channels,)}
