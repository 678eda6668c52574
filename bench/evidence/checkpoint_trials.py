"""Trials of a user's checkpoint: published prompts, or a user's, drawn with its trigger."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ...taq_kernels.calibration.prompts import calibration_prompts
from ..prompts import from_file, prompts, with_subject
from ..prompts.read import DREAMBOOTH, SETS
from .checkpoint import Loading, load
from .judge import Judge, Unjudged
from .options import Checkpoint
from .real_pictures import batches, pictures_in
from .subject import Case
from .torchmetrics_scores import scores
from .trial import Source, Trial
from .world_trials import Size


def sources(own: Checkpoint, size: Size) -> list[Source]:
    """Return the checkpoint as the one source.

    Raises ValueError as `prompts` and `from_file` do, for an empty class word, for a score that
    cannot run here, and for real pictures that nothing compares or that are not there.
    """
    if own.real and "fid" not in own.scores:
        raise ValueError("real pictures are compared by FID: add --scores fid, or leave --real out")
    real = pictures_in(own.real) if own.real else []
    texts, loading = spread(_texts(own), size.pictures), own.loading
    judge: Judge = scores(own.scores) if own.scores else Unjudged()
    drawn = [
        Case(text, size.seed * 1_000_000 + n, {"text": _plain(text, loading)})
        for n, text in enumerate(texts)
    ]
    captions = calibration_prompts(loading.trigger, loading.noun, size.calibration, size.seed)
    learned = [
        Case(
            text if size.has_trigger(n) else _plain(text, loading),
            size.seed * 1_000_000 + 500_000 + n,
        )
        for n, text in enumerate(captions)
    ]
    return [Source(own.file.stem, partial(_trial, own.file, loading, drawn, learned, judge, real))]


def spread(texts: Sequence[str], count: int) -> list[str]:
    """Return `count` prompts, spread over all: lists are often sorted by kind."""
    if count > len(texts):
        return [texts[n % len(texts)] for n in range(count)]
    return [texts[n * len(texts) // count] for n in range(count)]


def _texts(own: Checkpoint) -> list[str]:
    """Return the prompts, with the subject appended to those that do not speak of it."""
    trigger, noun = own.loading.trigger, own.loading.noun
    if own.prompts == DREAMBOOTH:
        return prompts(own.prompts, trigger, noun)
    texts = prompts(own.prompts) if own.prompts in SETS else from_file(Path(own.prompts))
    return [
        text if trigger and trigger in text else with_subject(text, trigger, noun) for text in texts
    ]


def _trial(
    file: Path,
    loading: Loading,
    drawn: Sequence[Case],
    learned: Sequence[Case],
    judge: Judge,
    real: Sequence[Path],
) -> Trial:
    subject = load(file, loading)
    side = 8 * subject.latent[1]
    return Trial(subject, drawn, learned, judge, partial(batches, real, side) if real else None)


def _plain(prompt: str, loading: Loading) -> str:
    """Return the prompt without the trigger, which networks trained on plain words do not know."""
    return " ".join(prompt.replace(loading.trigger, "").split()) if loading.trigger else prompt
