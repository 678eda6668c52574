"""Pictures of a measurement: a bar for each token, and a strip of the pictures drawn with tokens
quantized.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from PIL import Image, ImageDraw, ImageFont

PAPER, INK, BAR, MARKED = (250, 250, 248), (40, 40, 44), (132, 146, 166), (214, 92, 60)
_ROW, _NAME, _SCALE, _VALUE = 26, 150, 460, 90
_LINE = 22


def bar_chart(title: str, bars: Sequence[tuple[str, float, bool]]) -> torch.Tensor:
    """Image [1, H, W, 3], values 0..1, with a horizontal bar for each (label, value, highlighted).

    Values must not be negative.
    """
    width, height = _NAME + _SCALE + _VALUE + 20, 44 + _ROW * len(bars) + 12
    image = Image.new("RGB", (width, height), PAPER)
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(14)
    draw.text((12, 12), title, INK, font)
    largest = max((value for _, value, _ in bars), default=0) or 1
    for place, (label, value, highlighted) in enumerate(bars):
        top = 44 + _ROW * place
        draw.text((12, top + 3), label[:18], MARKED if highlighted else INK, font)
        length = round(_SCALE * value / largest)
        draw.rectangle(
            (_NAME, top + 2, _NAME + max(1, length), top + _ROW - 6),
            fill=MARKED if highlighted else BAR,
        )
        draw.text((_NAME + length + 8, top + 3), f"{value:.2e}", INK, font)
    return _tensor(image)


def strip(pictures: Sequence[tuple[str, torch.Tensor]], side: int = 192) -> torch.Tensor:
    """Image [1, H, W, 3] of (caption, picture [h, w, 3]) side by side.

    Each picture is at most `side` pixels wide and high.
    """
    image = Image.new("RGB", (side * len(pictures), side + _LINE), PAPER)
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(13)
    for place, (caption, picture) in enumerate(pictures):
        one = Image.fromarray((picture.cpu().numpy() * 255).round().astype(np.uint8))
        one.thumbnail((side, side))
        image.paste(one, (side * place, _LINE))
        draw.text((side * place + 4, 3), caption[:24], INK, font)
    return _tensor(image)


def _tensor(image: Image.Image) -> torch.Tensor:
    return torch.from_numpy(np.asarray(image).astype(np.float32) / 255)[None]
