"""CLIP's tokenizer, made from its list of merges; the vocabulary follows from it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from torch import Tensor

if TYPE_CHECKING:
    from transformers import CLIPTokenizer

TOKENS = 77
BEGIN, END = "<|startoftext|>", "<|endoftext|>"
MERGES = Path(__file__).parent / "clip" / "merges.txt"


def vocabulary() -> dict[str, int]:
    """Map token to number.

    In this order: the character of every byte, each of them at the end of a word, the merges, begin
    and end.
    """
    merges = MERGES.read_text("utf-8").splitlines()[1:]
    characters = _byte_characters()
    names = [
        *characters,
        *(c + "</w>" for c in characters),
        *("".join(pair.split()) for pair in merges),
        BEGIN,
        END,
    ]
    return {name: number for number, name in enumerate(names)}


def tokenizer() -> CLIPTokenizer:
    """Return CLIP's tokenizer of transformers, which pads with the end token."""
    from transformers import CLIPTokenizer

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "vocab.json").write_text(json.dumps(vocabulary()), "utf-8")
        (Path(folder) / "merges.txt").write_text(MERGES.read_text("utf-8"), "utf-8")
        return CLIPTokenizer.from_pretrained(
            folder, bos_token=BEGIN, eos_token=END, unk_token=END, pad_token=END
        )


def tokens(tokenizer: CLIPTokenizer, captions: list[str]) -> Tensor:
    """Return token numbers [n, 77]: begin, words, end, and the end token again as padding."""
    encoded = tokenizer(
        captions, padding="max_length", truncation=True, max_length=TOKENS, return_tensors="pt"
    )
    return encoded.input_ids


def _byte_characters() -> list[str]:
    """Return a visible character for every byte (Radford et al. 2019).

    Bytes whose own character is visible come first.
    """
    visible = [
        *range(ord("!"), ord("~") + 1),
        *range(ord("¡"), ord("¬") + 1),
        *range(ord("®"), ord("ÿ") + 1),
    ]
    others = [byte for byte in range(256) if byte not in visible]
    return [chr(byte) for byte in visible] + [chr(256 + number) for number in range(len(others))]
