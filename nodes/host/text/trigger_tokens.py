"""Finds a trigger's tokens in the cross-attention context, with the host's own tokenizer.

With CLIP, a token's position is chunk * CLIP_TOKENS + its position in the chunk. A chunk is BOS, up
to 75 tokens, EOS, padding. Tokenizers of T5's kind have one chunk without BOS.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import regex
import torch
from comfy.sd1_clip import SDTokenizer, escape_important, token_weights, unescape_important

from ....checkin.language.trigger_prompt import mentions
from ....taq_kernels.families import aligned_tokenizers
from .token_spans import token_spans

PRE_TOKEN = regex.compile(
    r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    regex.IGNORECASE,
)
"""How CLIP's tokenizer splits text before BPE (Radford et al. 2021, `simple_tokenizer.py`).

BPE works inside one piece, so punctuation directly after a trigger can share the trigger's last
token.
"""


def trigger_mask(clip, text: str, trigger: str | None) -> torch.Tensor:
    """Mask of the tokens of `trigger`: float [T], 1 at each of them and 0 elsewhere.

    T is the context length of `clip.tokenize(text)`. A trigger may be one word, several words, or
    `embedding:name`; its parentheses are plain, while those in the text are escaped. All mentions
    count, in every text encoder of the model (SDXL's two share positions). Without a trigger or a
    mention, the mask is all 0.
    """
    tokens = clip.tokenize(text, return_word_ids=True)
    aligned = aligned_tokenizers(tokens)
    mask = torch.zeros(min(sum(len(chunk) for chunk in tokens[name]) for name in aligned))
    if trigger:
        for name, attribute in aligned.items():
            tokenizer = getattr(clip.tokenizer, attribute)
            found = _positions(tokenizer, tokens[name], text, trigger)
            mask[[position for position in found if position < len(mask)]] = 1.0
    return mask


def end_mask(clip, text: str) -> torch.Tensor:
    """Mask of the end tokens, one in each chunk: bool [T].

    An end token attends to its whole chunk; so does the padding after it, which is not marked.
    """
    tokens = clip.tokenize(text)
    name, attribute = next(iter(aligned_tokenizers(tokens).items()))
    chunks, end = tokens[name], getattr(clip.tokenizer, attribute).end_token
    ids = torch.tensor(
        [[token if isinstance(token, int) else -1 for token, _ in chunk] for chunk in chunks]
    )
    ends = (ids == end).int().argmax(1)  # only the first one, because CLIP-L also pads with it
    return torch.zeros_like(ids, dtype=torch.bool).scatter_(1, ends[:, None], True).flatten()


def _positions(tokenizer: SDTokenizer, chunks: list, text: str, trigger: str) -> Iterator[int]:
    """The positions of every mention in the context, for one text encoder."""
    segments = zip(_segments(tokenizer, text), _positions_by_segment(chunks), strict=True)
    for (segment, is_embedding), positions in segments:
        if is_embedding:
            if segment.lower() == trigger.lower():
                yield from positions
            continue
        read = _as_read(tokenizer, segment)
        pieces = _pieces(tokenizer, read)
        for start, end in mentions(read, _as_read(tokenizer, trigger)):
            for piece_start, piece_end, first, count in pieces:
                if piece_start < end and piece_end > start:
                    yield from positions[first : first + count]


def _positions_by_segment(chunks: list) -> list[list[int]]:
    """The positions in the context of each segment that the host tokenized in one call.

    The host numbers segments from 1; 0 is BOS, EOS and padding.
    """
    found: dict[int, list[int]] = {}
    flat = (token for chunk in chunks for token in chunk)
    for position, (_, _, segment) in enumerate(flat):
        if segment:
            found.setdefault(segment, []).append(position)
    return [found[segment] for segment in sorted(found)]


def _segments(tokenizer: SDTokenizer, text: str) -> Iterator[tuple[str, bool]]:
    """(segment, whether it is a textual inversion) for each segment of `text`.

    A segment is what `SDTokenizer.tokenize_with_weights` tokenizes in one call, if that gives at
    least one token.
    """
    mark = tokenizer.embedding_identifier
    for weighted, _ in token_weights(escape_important(text), 1.0):
        first, *rest = re.split(rf"(?<=\s){re.escape(mark)}", unescape_important(weighted))
        for segment in filter(None, [first, *(mark + part for part in rest)]):
            if segment.startswith(mark) and tokenizer.embedding_directory is not None:
                vectors, name, segment = tokenizer._try_get_embedding(
                    segment[len(mark) :].strip("\n")
                )
                if vectors is not None:
                    yield mark + name.strip(","), True
            if _pieces(tokenizer, segment):
                yield segment, False


def _as_read(tokenizer: SDTokenizer, text: str) -> str:
    """`text` as the tokenizer splits it: accents composed and, with CLIP, in small letters, of
    which some have more characters than the capital.
    """
    composed = unicodedata.normalize("NFC", text)
    return composed if tokenizer.start_token is None else composed.lower()


def _pieces(tokenizer: SDTokenizer, segment: str) -> list[tuple[int, int, int, int]]:
    """(start, end, first token, number of tokens) of each pre-token, or of each token where the
    tokenizer is of T5's kind.

    Start and end are characters of the segment; tokens are counted from the segment's first one.
    """
    if tokenizer.start_token is None:
        spans = token_spans(tokenizer.tokenizer, segment)
        return [(*span, number, 1) for number, span in enumerate(spans)]
    pieces, first = [], 0
    special = tokenizer.tokens_start + tokenizer.tokenizer_adds_end_token
    for match in PRE_TOKEN.finditer(segment):
        count = len(tokenizer.tokenizer(match.group())["input_ids"]) - special
        pieces.append((*match.span(), first, count))
        first += count
    return pieces
