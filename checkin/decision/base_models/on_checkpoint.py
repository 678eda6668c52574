"""The checkpoint that a request names by a variant of a base model: "pip on flux dev"."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

import numpy as np

from ...catalog.columns import Array
from ...catalog.selection import CardView
from ...lexicon.base_models import (
    covers,
    family,
    parent_of,
    shares_layers,
)
from ...lexicon.sentences import quoted, say
from ..candidates.grounded import Grounded
from ..questions.labels import day
from ..questions.which import question_among
from ..selected import selected
from ..verdict import Verdict

_VARIANT = re.compile(r"\b(?:dev|schnell|turbo|base|v\d+|25\d\d)\b")
_NO_LORA = re.compile(r"\b(?:no|without(?: a| any)?) loras?\b", re.IGNORECASE)
_ONLY = re.compile(
    r"(?:^|[,.;:]\s*)(?:just|only)\s+(?:the\s+|plain\s+|regular\s+)*([^\W_]+)(?=\s*[,.;:])",
    re.IGNORECASE,
)
"""A clause that names a checkpoint alone: "just juggernaut, a lighthouse"."""
_IS_BASE = re.compile(r"\s+base\b(?!\s+model)")


def on_checkpoint(case: Grounded, verdict: Verdict, now: datetime) -> Verdict:
    """The verdict with that checkpoint, if it takes LoRAs alone and they fit it."""
    views = verdict.views
    if case.intent.connected or not views or any(one.card.kind != "lora" for one in views):
        return verdict
    bases = {one.card.base_model for one in views}
    lent = [one for one in _said_bases(case) if parent_of(family(one) or "") in bases]
    found = [(said, one) for said in lent or _variants(case) for one in _called(case, said)]
    if len(found) != 1:
        return verdict
    said, checkpoint = found[0]
    if not all(shares_layers(one.card.base_model, checkpoint.card.base_model) for one in views):
        return verdict
    asked = say("{words}, as asked", words=quoted(case.their(said)))
    when = day(checkpoint, now)
    why = say("{name}: {which}, from {day}.", name=checkpoint.card.name, which=asked, day=when)
    return replace(verdict, why=f"{verdict.why} {why}", entry=checkpoint, further=views)


def checkpoint_alone(case: Grounded, verdict: Verdict, now: datetime) -> Verdict:
    """Where no LoRA is wanted, the checkpoint that is named by a variant of its base model; else,
    where nothing fits, those of that base model: "no lora, just flux dev, a cabin in the woods".
    Also the one that "just" names: "just juggernaut, a lighthouse".
    """
    intent, bases = case.intent, case.library.columns.base_model
    if (only := _only(case)) is not None:
        return selected(case, [only], now)
    if not (intent.base_model and _NO_LORA.search(intent.english)) or verdict.question:
        return verdict
    found = [one for said in _variants(case) for one in _called(case, said)]
    if verdict.entry and (len(found) != 1 or verdict.further or verdict.entry.card.kind == "lora"):
        return verdict
    if not found:
        wanted = bases.where(lambda base: covers(intent.base_model or "", base))
        left = case.library.where(wanted & _are_checkpoints(case))
        members = left.lineages().members() if left else ()
        found = [CardView(left.catalogue, case.builds.best(one.positions)) for one in members]
    positions = list(dict.fromkeys(one.position for one in found))
    if len(positions) > 1:
        return question_among(case, positions, now)
    return selected(case, positions, now) if positions else verdict


def _only(case: Grounded) -> int | None:
    """The newest build of the one checkpoint that a clause with "just" calls, and no LoRA."""
    columns = case.library.columns
    said = {one.casefold() for one in _ONLY.findall(case.intent.english)}
    if not said:
        return None
    called = np.flatnonzero(columns.called.where(lambda name: not said.isdisjoint(name)))
    if len({*columns.lineage[called].tolist()}) != 1 or columns.kind[called[0]] != "checkpoint":
        return None
    return case.builds.best(called)


def _are_checkpoints(case: Grounded) -> Array:
    return case.library.columns.kind.where(lambda kind: kind == "checkpoint")


def _variants(case: Grounded) -> list[str]:
    """The words for a base model that name a variant of it."""
    return [one for one in _said_bases(case) if _VARIANT.search(one)]


def _said_bases(case: Grounded) -> list[str]:
    """The words for base models, with a "base" behind them."""
    text = case.intent.english.casefold()
    said = [one for one in case.intent.said if one.what == "base model"]
    behind = [_IS_BASE.match(text, one.end) for one in said]
    ends = [more.end() if more else one.end for more, one in zip(behind, said, strict=True)]
    return [text[one.start : end] for one, end in zip(said, ends, strict=True)]


def _called(case: Grounded, said: str) -> list[CardView]:
    """The newest builds of the checkpoints that have all these words in their names."""
    words = re.findall(r"[a-z]+\d*|25\d\d", said)
    library = case.library
    checkpoints = library.where(_are_checkpoints(case))
    names = [re.sub(r"[\W_]", "", one.card.name.casefold()) for one in checkpoints]
    has_all = np.array([all(word in name for word in words) for name in names], bool)
    named = checkpoints.at(checkpoints.positions[has_all])
    lineages = named.lineages().members() if named else ()
    return [CardView(library.catalogue, case.builds.best(one.positions)) for one in lineages]
