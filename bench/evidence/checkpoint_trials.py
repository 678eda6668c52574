"""Trials of a user's checkpoint: a published prompt set, drawn with its trigger."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ...taq_kernels.calibration.prompts import calibration_prompts
from ..prompts import prompts
from .checkpoint import Loading, load
from .judge import Judge, Unjudged
from .subject import Case
from .torchmetrics_scores import scores
from .trial import Source, Trial


def sources(
    file: Path,
    loading: Loading,
    prompt_set: str,
    pictures: int,
    calibration: int,
    scored: Sequence[str],
    seed: int = 0,
) -> list[Source]:
    """Return the checkpoint as the one source.

    `scored` are scores of `torchmetrics_scores`. Raises ValueError as `prompts` does, for an empty
    class word, and for a score that cannot run here.
    """
    texts = prompts(prompt_set, loading.trigger, loading.noun)
    captions = calibration_prompts(loading.trigger, loading.noun, calibration, seed)
    judge: Judge = scores(scored) if scored else Unjudged()
    drawn = [
        Case(
            texts[n % len(texts)],
            seed * 1_000_000 + n,
            {"text": _plain(texts[n % len(texts)], loading)},
        )
        for n in range(pictures)
    ]
    learned = [Case(text, seed * 1_000_000 + 500_000 + n) for n, text in enumerate(captions)]
    return [Source(file.stem, partial(_trial, file, loading, drawn, learned, judge))]


def _trial(
    file: Path, loading: Loading, drawn: Sequence[Case], learned: Sequence[Case], judge: Judge
) -> Trial:
    return Trial(load(file, loading), drawn, learned, judge)


def _plain(prompt: str, loading: Loading) -> str:
    """Return the prompt without the trigger, which networks trained on plain words do not know."""
    return " ".join(prompt.replace(loading.trigger, "").split()) if loading.trigger else prompt
