"""The characters of each token of a tokenizer of T5's kind, which splits a text into pieces."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

_BYTE = re.compile(r"<0x([0-9A-F]{2})>")
_SPACE = "\u2581"
"""How SentencePiece writes a space."""


def token_spans(tokenizer: Any, text: str) -> list[tuple[int, int]]:
    """(start, end) in characters of each token of `text`, without the end token.

    `tokenizer` is the host's wrapper of SentencePiece, or a fast tokenizer of transformers. A token
    for a space alone has the span of the character after it. Empty for any other tokenizer.
    """
    if hasattr(tokenizer, "serialize_model"):
        pieces = tokenizer.tokenizer.encode(text, out_type=str, add_bos=False, add_eos=False)
        return _walk(pieces, text)
    if getattr(tokenizer, "is_fast", False):
        found = tokenizer(text, return_offsets_mapping=True, add_special_tokens=False)
        return found["offset_mapping"]
    return []


def _walk(pieces: list[str], text: str) -> list[tuple[int, int]]:
    """The spans of `pieces`, which are `text` normalised (NFKC), with spaces changed."""
    owners = [
        place
        for place, character in enumerate(text)
        for _ in "".join(unicodedata.normalize("NFKC", character).split()).encode()
    ]
    spans, at = [], 0
    for piece in pieces:
        byte = _BYTE.fullmatch(piece)
        size = 1 if byte else len("".join(piece.replace(_SPACE, " ").split()).encode())
        own = owners[at : at + max(size, 1)] or owners[-1:]
        spans.append((own[0], own[-1] + 1))
        at += size
    return spans
