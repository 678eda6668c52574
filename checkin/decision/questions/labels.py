"""What a model is called in a question: by what it is of, its look, its name, when it was made."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np

from ...catalog.card_facts import style_keys
from ...catalog.columns import Array
from ...catalog.facts import EPOCH, microseconds
from ...catalog.said_version import version_in_words
from ...catalog.selection import CardSelection, CardView
from ...catalog.shown_name import shown_name
from ...lexicon.base_models import label_of
from ...lexicon.sentences import day_of, month_of, say
from ...lexicon.spelling import split

_MAX_LABEL_CHARS = 60
Labels = tuple[list[str], Array]
"""(distinct labels, int [selected]: the index of each model's label)."""


def called_as(entry: CardView) -> str:
    """What the model's file is called, as it is written there, without version and base model."""
    called = entry.catalogue.columns.called[entry.position]
    return shown_name(entry.card.name, called) or name_of(entry)


def called_on(entry: CardView) -> str:
    """What the file is called, with its base model."""
    return f"{called_as(entry)} ({base_of(entry)})"


def month(entry: CardView, now: datetime) -> str:
    """The month in which the model was made, in the zone of `now`: "April 2025"."""
    if not entry.created_at:
        return say("no date")
    return month_of(entry.created_at.astimezone(now.tzinfo))


def day(entry: CardView, now: datetime) -> str:
    """The day on which the model was made: "11 April 2025"."""
    if entry.created_at:
        return day_of(entry.created_at.astimezone(now.tzinfo))
    if version := version_in_words(entry.card):
        return say("an unknown day ({version})", version=version)
    return say("an unknown day")


def month_codes(entries: CardSelection, now: datetime) -> Labels:
    """The models labelled by the month in which they were made, in the zone of `now`."""
    made = entries.columns.created_us[entries.where(entries.columns.dated).positions]
    if not len(made):
        return entries.labelled(lambda entry: month(entry, now))
    first, last = (
        (EPOCH + timedelta(microseconds=int(one))).astimezone(now.tzinfo)
        for one in (made.min(), made.max())
    )
    months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    starts = [
        microseconds(datetime(one // 12, one % 12 + 1, 1, tzinfo=now.tzinfo)) for one in months
    ]
    return entries.labelled(
        lambda entry: month(entry, now),
        np.searchsorted(starts, entries.columns.created_us, "right"),
    )


def subject_of(entry: CardView) -> str:
    """What the model is of: the first subject."""
    return (
        entry.display_subjects[0].strip("<>")  # of a trigger: "<cat>"
        if entry.display_subjects
        else say("just a style")
        if entry.pure_style
        else say("a model that is not described")
    )


def style_of(entry: CardView, common: frozenset) -> str:
    """At most two of the model's styles that not all models share."""
    own = [tag for tag in entry.card.styles if not common & set(style_keys(tag))]
    return " ".join(own[:2]) or (
        entry.card.styles[0] if entry.card.styles else say("no particular style")
    )


def base_of(entry: CardView) -> str:
    """The base model: "SDXL"."""
    return label_of(entry.card.base_model) if entry.card.base_model else say("unknown")


def kind_of(entry: CardView) -> str:
    """The kind of file: a LoRA or a checkpoint."""
    return say("a LoRA") if entry.card.kind == "lora" else say("a whole checkpoint")


def description_of(entry: CardView) -> str:
    """The first sentence of the description, shortened; without one, the name."""
    text = entry.card.description.split(". ")[0].rstrip(".") or name_of(entry)
    return (
        text
        if len(text) <= _MAX_LABEL_CHARS
        else f"{text[: _MAX_LABEL_CHARS - 1].rsplit(' ', 1)[0].rstrip(',;:')}…"
    )


def version_of(entry: CardView) -> str:
    """The version: "version 2"."""
    return version_in_words(entry.card) or say("no version")


def name_of(entry: CardView) -> str:
    """The file's name as words, for models about which nothing else is known."""
    return " ".join(word.text for word in split(entry.card.name))
