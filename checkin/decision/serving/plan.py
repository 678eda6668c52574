"""The serving plan: how to run the chosen model.

It follows from words of haste or care in the request, the machine, the user's preferences and
earlier uses. It never changes which model is chosen (rule 10).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from ...catalog.cards import Card
from ...catalog.facts import TRUSTED_HASH_SOURCES
from ...language.intent import Intent
from ...lexicon.english import one_of
from ...lexicon.sentences import say
from ...user.context import Context
from ..decision import ServingPlan
from .quantizable import reason_against
from .sampling import Stage, sampling

FULL = "none"
"""The preset of a model that is not quantized."""
MEMORY_FACTOR = 1.3
"""Memory that sampling takes, as a multiple of the bytes of the weights."""
SHARES = {"W8A8": 0.50, "W8": 0.50, "W4A8": 0.27, "W4": 0.27}
"""Bytes of a quantized model as a share of those in fp16, as counted for SD 1.5."""
NATIVE, STORED = ("W8A8", "W4A8"), ("W8", "W4")
"""The presets, larger first, for a device that multiplies int8, and for one that does not: there,
activations of 8 bits cost time."""
TRIAL = timedelta(minutes=10)
"""A model that was last used within this time is being tried out."""
_one_of = partial(one_of, "serving", space=" ")
_HASTE = re.compile(
    rf"^\W*{_one_of('begins quick')}\b|[,;.!] *{_one_of('ends quick')}\W*$|"
    rf"\b(?:quick {_one_of('quick things')}|"
    rf"{_one_of('before a preview')} {_one_of('previews')}\b(?! {_one_of('no preview')})|"
    rf"{_one_of('previews')} {_one_of('behind a preview')}|"
    rf"{_one_of('fast')} {_one_of('fast things')}|{_one_of('made fast')})\b",
    re.IGNORECASE,
)
_LITTLE_MEMORY = re.compile(rf"\b{_one_of('little')}[ -]{_one_of('memory')}\b", re.IGNORECASE)
_CARE = re.compile(rf"\b(?:final {_one_of('final things')}|{_one_of('care')})\b", re.IGNORECASE)


def serving_plan(
    intent: Intent,
    card: Card | None,
    context: Context,
    now: datetime,
    base: Card | None = None,
    further: Sequence[Card] = (),
) -> ServingPlan:
    """The preset, the sampler's settings and the stage (preview or final), with the reasons.

    `base` is the checkpoint that a LoRA is loaded on: its size counts as the model's size.
    `further` are LoRAs that are used together with `card`.
    """
    preset, why = _preset(intent, card, context, base)
    stage, stage_why = _stage(intent, card, context, now)
    # Without the history: a workflow must not draw another picture because it ran a moment ago.
    asked, _ = _stage(intent, card, replace(context, history=()), now)
    best = sampling(card, base, asked, further)
    reasons = (
        say("{why}; preview: {reason}", why=why, reason=stage_why)
        if stage == "preview"
        else say("{why}; final: {reason}", why=why, reason=stage_why)
    )
    return ServingPlan(preset, reasons, stage=stage, **asdict(best))


def model_identity(card: Card) -> str:
    """The name of a model in the user's files: the hash of its content, else its id.

    A hash that only a sidecar states is not taken: columns of facts do not hold it.
    """
    trusted = card.sources.get("sha256", "") in TRUSTED_HASH_SOURCES
    return card.sha256 if card.sha256 and trusted else card.id


def _preset(
    intent: Intent, card: Card | None, context: Context, base: Card | None
) -> tuple[str, str]:
    if against := reason_against([one for one in (base, card) if one]):
        return FULL, against
    is_native = context.hardware is None or context.hardware.int8
    large, small = NATIVE if is_native else STORED
    if little := _LITTLE_MEMORY.search(intent.english):
        return small, _says(little, intent)
    picked = [
        use.preset
        for use in context.history
        if card and use.model == model_identity(card) and use.preset in (FULL, *SHARES)
    ]
    if picked:
        return str(picked[-1]), say("you picked it for this model")
    care = _CARE.search(intent.english)
    if care:
        wanted, reason = FULL, _says(care, intent)
    elif context.prefer == "quality":
        wanted, reason = FULL, say("you prefer quality")
    else:  # in haste too: 4 bits take less memory than 8, and as long
        wanted, reason = large, say("nothing in the request asks for little memory")
    sizes = (FULL, large, small)
    fitting = _largest_that_fits(sizes[sizes.index(wanted) :], base or card, context)
    if fitting != wanted:
        return fitting, say("more would not fit into the memory that is free")
    return wanted, reason


def _largest_that_fits(presets: Sequence[str], card: Card | None, context: Context) -> str:
    """The first of `presets` that fits into memory, else the last.

    The size of the file counts as the bytes of its weights in fp16.
    """
    free = context.hardware.free if context.hardware else None
    size = _bytes(card)
    if free is None or size is None:
        return presets[0]
    return next(
        (name for name in presets if size * SHARES.get(name, 1.0) * MEMORY_FACTOR <= free),
        presets[-1],
    )


def _bytes(card: Card | None) -> int | None:
    """Bytes of a checkpoint's file; None for a LoRA.

    The size of a LoRA does not tell that of its base model.
    """
    if (
        card is None
        or card.path is None
        or card.kind != "checkpoint"
        or not Path(card.path).is_file()
    ):
        return None
    return Path(card.path).stat().st_size


def _stage(intent: Intent, card: Card | None, context: Context, now: datetime) -> tuple[Stage, str]:
    if haste := _HASTE.search(intent.english):
        return "preview", _says(haste, intent)
    if care := _CARE.search(intent.english):
        return "final", _says(care, intent)
    uses = [use for use in context.history if card and use.model == model_identity(card)]
    if uses and timedelta(0) <= now - uses[-1].when <= TRIAL:
        return "preview", say("you are trying this model out")
    return (
        ("preview", say("you prefer speed"))
        if context.prefer == "speed"
        else ("final", say("nothing asks for a preview"))
    )


def _says(found: re.Match[str], intent: Intent) -> str:
    return say("the request says '{words}'", words=intent.their(found.group().lower()))
