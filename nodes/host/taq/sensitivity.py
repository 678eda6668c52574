"""Measures Delta_i(b): how much a picture changes if one token's keys and values are quantized."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import comfy.sample
import torch
from comfy.model_patcher import ModelPatcher

from ....taq_kernels import AttentionSpec
from ....taq_kernels.attention.protected_tokens import TRIGGER
from ....taq_kernels.families import aligned_tokenizers
from ..text import token_mask
from ..text.trigger_tokens import end_mask, trigger_mask
from . import attention as taq_attention


@dataclass(frozen=True)
class Token:
    """A token, or all of the padding, which is quantized together."""

    label: str
    positions: tuple[int, ...]
    """Positions in the encoded text."""
    is_trigger: bool = False


@dataclass(frozen=True)
class TokenSensitivity:
    """The effect of quantizing one token."""

    token: Token
    delta: float
    """Mean squared error of the picture, values 0..1, averaged over seeds."""
    picture: torch.Tensor
    """Picture [H, W, 3] of the first seed."""


@dataclass(frozen=True)
class Sampling:
    """How the pictures are drawn."""

    seeds: tuple[int, ...]
    steps: int = 20
    cfg: float = 7.0
    width: int = 512
    height: int = 512
    sampler: str = "euler"
    scheduler: str = "normal"


def tokens_of(clip, text: str, trigger: str | None) -> list[Token]:
    """The start token, if there is one, the text's tokens in order, and the end token.

    The padding counts as one.
    """
    words = clip.tokenize(text, return_word_ids=True)
    name, attribute = next(iter(aligned_tokenizers(words).items()))
    chunks, tokenizer = words[name], getattr(clip.tokenizer, attribute)
    marked, ends = trigger_mask(clip, text, trigger), end_mask(clip, text)
    found: list[Token] = []
    padding: list[int] = []
    position = 0
    for chunk in chunks:
        for place, (token, *_, word) in enumerate(chunk):
            if word:
                found.append(Token(_label(tokenizer, token), (position,), bool(marked[position])))
            elif ends[position]:
                found.append(Token("end", (position,)))
            elif place == 0 and tokenizer.start_token is not None:
                found.append(Token("start", (position,)))
            else:
                padding.append(position)
            position += 1
    return [*found, Token(f"padding ({len(padding)})", tuple(padding))] if padding else found


def measure(
    model: ModelPatcher,
    vae,
    positive: list,
    negative: list,
    tokens: list[Token],
    bits: int,
    sampling: Sampling,
    progress: Callable[[int, int], None],
) -> tuple[torch.Tensor, list[TokenSensitivity]]:
    """The unquantized picture [H, W, 3] of the first seed, and the effect of quantizing each token.

    For each measurement, only the keys and values of the token under test are quantized to `bits`,
    in cross-attention, uniform affine with a scale for each token.
    """
    watched = model.clone()
    taq_attention.install(watched, lambda marks: marks <= 0, AttentionSpec(kv_bits=bits))
    unmarked = _marked(negative, ())
    total = (len(tokens) + 1) * len(sampling.seeds)
    done = 0

    def draw(positions: tuple[int, ...]) -> list[torch.Tensor]:
        nonlocal done
        pictures = []
        for seed in sampling.seeds:
            pictures.append(
                _draw(watched, vae, _marked(positive, positions), unmarked, sampling, seed)
            )
            progress(done := done + 1, total)
        return pictures

    exact = draw(())
    measured = []
    for token in tokens:
        pictures = draw(token.positions)
        errors = [(a - b).square().mean() for a, b in zip(pictures, exact, strict=True)]
        measured.append(TokenSensitivity(token, float(torch.stack(errors).mean()), pictures[0]))
    return exact[0], measured


def _marked(conditioning: list, positions: tuple[int, ...]) -> list:
    """The conditioning with these positions marked, and no others."""
    marked = []
    for text, options in conditioning:
        length = token_mask.T5_LENGTH if token_mask.T5_IDS in options else text.shape[1]
        marks = torch.zeros(max(length, *(position + 1 for position in positions), 0))
        marks[list(positions)] = TRIGGER
        marked.append([text, {**options, token_mask.KEY: marks}])
    return marked


def _draw(model, vae, positive, negative, sampling: Sampling, seed: int) -> torch.Tensor:
    latent_format = model.get_model_object("latent_format")
    ratio = latent_format.spacial_downscale_ratio
    frames = (1,) if latent_format.latent_dimensions == 3 else ()
    shape = (
        1,
        latent_format.latent_channels,
        *frames,
        sampling.height // ratio,
        sampling.width // ratio,
    )
    noise = torch.randn(shape, generator=torch.Generator().manual_seed(seed))
    latent = comfy.sample.sample(
        model,
        noise,
        sampling.steps,
        sampling.cfg,
        sampling.sampler,
        sampling.scheduler,
        positive,
        negative,
        torch.zeros(shape),
        disable_pbar=True,
        seed=seed,
    )
    picture = vae.decode(latent)[0]
    return (picture[0] if picture.ndim == 4 else picture).clamp(0, 1)  # a video has one frame


def _label(tokenizer, token) -> str:
    return (
        tokenizer.inv_vocab[token].removesuffix("</w>").removeprefix("\u2581") or "space"
        if isinstance(token, int)
        else "embedding"
    )
