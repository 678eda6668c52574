"""Drawn pictures in a folder: to look at, as sheets, and to rate."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap

from PIL import Image, ImageDraw, ImageFont
from torch import Tensor

from .subject import Case

FULL = "full precision"
"""Name of the folder, and of the row of a table, of pictures in full precision."""
PROMPTS = "prompts.json"
_ROWS = 8
"""How many pictures a sheet shows."""
_SIDE, _EDGE, _HEAD = 256, 8, 40
"""Of a sheet, in pixels: of a picture, between pictures, and of the headings."""


class Drawn:
    """A folder with a folder for each model, and in it one for each row of a table.

    Pictures of the same name have the same prompt and noise.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def has(self, source: str, row: str) -> bool:
        """Whether the pictures of that model and row are there."""
        return self._of(source, row).is_dir()

    def keep(self, source: str, row: str, pictures: Tensor, cases: Sequence[Case]) -> None:
        """Write pictures [n, 3, H, W] in 0 to 1, and the prompts."""
        folder = self._of(source, row)
        folder.mkdir(parents=True, exist_ok=True)
        prompts = {}
        for number, (picture, case) in enumerate(zip(pictures, cases, strict=True)):
            name = f"{number:04}.png"
            values = (picture * 255).round().byte().movedim(0, -1).numpy()
            Image.fromarray(values).save(folder / name)
            prompts[name] = case.prompt
        (folder.parent / PROMPTS).write_text(json.dumps(prompts, indent=1) + "\n", "utf-8")

    def sheets(self, sources: Sequence[str], rows: Sequence[str]) -> list[Path]:
        """Write a sheet of each model and bits: full precision beside each of the `rows`.

        Bits are the end of a row's name, such as "TAQ, W8A8".
        """
        widths = list(dict.fromkeys(_bits(row) for row in rows))
        return [
            self._sheet(source, bits, [row for row in rows if _bits(row) == bits])
            for source in sources
            for bits in widths
        ]

    def _of(self, source: str, row: str) -> Path:
        return self._folder / _name(source) / _name(row)

    def _sheet(self, source: str, bits: str, rows: Sequence[str]) -> Path:
        columns = [FULL, *rows]
        folder = self._folder / _name(source)
        prompts = json.loads((folder / PROMPTS).read_text("utf-8"))
        shown = list(prompts)[:_ROWS]
        step = _SIDE + _EDGE
        sheet = Image.new(
            "RGB",
            (step * len(columns) + _EDGE, _HEAD + (step + _HEAD) * len(shown) + _EDGE),
            "white",
        )
        draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(13)
        for column, row in enumerate(columns):
            left = _EDGE + column * step
            draw.text((left, _EDGE), _lines(row.removesuffix(f", {bits}"), 40), "black", font)
            for place, name in enumerate(shown):
                with Image.open(folder / _name(row) / name) as picture:
                    scaled = picture.resize((_SIDE, _SIDE), Image.Resampling.LANCZOS)
                sheet.paste(scaled, (left, _HEAD + place * (step + _HEAD)))
        for place, name in enumerate(shown):
            below = _HEAD + place * (step + _HEAD) + _SIDE + 4
            text = _lines(prompts[name], 40 * len(columns))
            draw.text((_EDGE, below), text, "black", font)
        written = folder / f"sheet_{bits}.png"
        sheet.save(written)
        return written


def _bits(row: str) -> str:
    found = re.search(r"W\d+A\d+", row)
    return found[0] if found else "sheet"


def _lines(text: str, width: int) -> str:
    return "\n".join(wrap(text, width)[:2])


def _name(text: str) -> str:
    """Return the name of a file or folder for a text."""
    return re.sub(r"[^\w +().,-]", "_", text)
