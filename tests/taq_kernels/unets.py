"""A small UNet that runs."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


class SmallUNet(nn.Module):
    """One residual and one transformer block in the LDM names: [B, 4, H, W] and text [B, T, 32] to
    [B, 4, H, W].
    """

    def __init__(self, width: int = 256, text: int = 32) -> None:
        super().__init__()
        self.time_embed = nn.Sequential(nn.Linear(16, width), nn.SiLU(), nn.Linear(width, width))
        block = nn.ModuleList([_Residual(width), _Transformer(width, text)])
        down = nn.ModuleList([nn.Conv2d(width, width, 3, stride=2, padding=1)])
        self.input_blocks = nn.ModuleList(
            [nn.ModuleList([nn.Conv2d(4, width, 3, padding=1)]), block, down]
        )
        self.out = nn.Sequential(
            nn.GroupNorm(8, width), nn.SiLU(), nn.Conv2d(width, 4, 3, padding=1)
        )

    def forward(self, x: Tensor, text: Tensor) -> Tensor:
        embedding = self.time_embed(torch.linspace(0, 1, 16).expand(x.shape[0], 16))
        first, (residual, transformer), (down,) = self.input_blocks
        x = transformer(residual(first[0](x), embedding), text)
        return self.out(x + functional.interpolate(down(x), scale_factor=2))


class _Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.in_layers = nn.Sequential(
            nn.GroupNorm(8, width), nn.SiLU(), nn.Conv2d(width, width, 3, padding=1)
        )
        self.emb_layers = nn.Sequential(nn.SiLU(), nn.Linear(width, width))
        self.out_layers = nn.Sequential(
            nn.GroupNorm(8, width), nn.SiLU(), nn.Dropout(0), nn.Conv2d(width, width, 3, padding=1)
        )
        self.skip_connection = nn.Conv2d(width, width, 1)

    def forward(self, x: Tensor, embedding: Tensor) -> Tensor:
        hidden = self.in_layers(x) + self.emb_layers(embedding)[:, :, None, None]
        return self.skip_connection(x) + self.out_layers(hidden)


class _Transformer(nn.Module):
    def __init__(self, width: int, text: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(8, width)
        self.proj_in, self.proj_out = nn.Conv2d(width, width, 1), nn.Conv2d(width, width, 1)
        block = nn.Module()
        block.attn1, block.attn2 = _Attention(width, width), _Attention(width, text)
        block.norm1, block.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.transformer_blocks = nn.ModuleList([block])

    def forward(self, x: Tensor, text: Tensor) -> Tensor:
        hidden = self.proj_in(self.norm(x)).movedim(1, 3)
        shape, hidden = hidden.shape, hidden.flatten(1, 2)
        for block in self.transformer_blocks:
            normed = block.norm1(hidden)
            hidden = hidden + block.attn1(normed, normed)
            hidden = hidden + block.attn2(block.norm2(hidden), text)
        return x + self.proj_out(hidden.view(shape).movedim(3, 1))


class _Attention(nn.Module):
    def __init__(self, width: int, context: int) -> None:
        super().__init__()
        self.to_q = nn.Linear(width, width, bias=False)
        self.to_k, self.to_v = (
            nn.Linear(context, width, bias=False),
            nn.Linear(context, width, bias=False),
        )
        self.to_out = nn.Sequential(nn.Linear(width, width))

    def forward(self, x: Tensor, context: Tensor) -> Tensor:
        q, k, v = (
            y.unflatten(-1, (4, -1)).transpose(1, 2)
            for y in (self.to_q(x), self.to_k(context), self.to_v(context))
        )
        return self.to_out(
            functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        )
