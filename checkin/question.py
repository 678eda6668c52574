"""The one short question: the attribute that splits what is left best, and 2 to 4 choices in the user's words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from math import log2
from pathlib import PurePath

from .constraints import by_lineage
from .decision import Choice, Question
from .vocabulary import Entry, style_keys, subjects_of
from .words import joined, stems

NEWEST = "the newest of any"
MOST = 4
"""Choices."""
SUBJECT_FIRST = 2
"""What a thing is comes to mind before its look: its split counts double."""
BASE_NAMES = {"sd15": "SD 1.5", "sdxl": "SDXL", "sd2": "SD 2", "sd3": "SD 3", "flux": "Flux", "pony": "Pony"}
_LABEL = 60
"""Longest label, in characters."""

ATTRIBUTES = ("subject", "style", "kind", "base_model", "model", "month", "version")
"""What can be asked about."""

Value = Callable[[Entry], str]


def ask(
    entries: Sequence[Entry],
    ranked: Callable[[Sequence[Entry]], list[Entry]],
    now: datetime,
    lead: str = "",
    about: str | None = None,
) -> Question:
    """The question that tells `entries` apart, which are at least two.

    `ranked` puts models in the order in which they fit the request; `lead` is a sentence to begin with; `about` is the
    attribute to ask about, where it tells them apart. Months are those of `now`'s zone.
    """
    attribute, value = _best_attribute(entries, now, about)
    groups: dict[str, list[Entry]] = {}
    for entry in ranked(entries):
        groups.setdefault(value(entry), []).append(entry)
    labels = list(groups)
    if len(labels) != MOST:
        groups = {label: groups[label] for label in labels[: MOST - 1]} | {NEWEST: list(entries)}
    choices = tuple(_choice(label, members, now) for label, members in groups.items())
    return Question(f"{lead}{_text(attribute, choices)}", choices, attribute)


def newest(entries: Sequence[Entry]) -> Entry:
    """The newest build; the highest version where dates do not tell."""
    return max(entries, key=lambda entry: entry.order)


def month(entry: Entry, now: datetime) -> str:
    """When it was made, in the zone of `now`, as people say it: "April 2025"."""
    made = entry.card.created_at
    return f"{made.astimezone(now.tzinfo):%B %Y}" if made else "no date"


def day(entry: Entry, now: datetime) -> str:
    """The day it was made: "11 April 2025"."""
    made = entry.card.created_at
    if made:
        return f"{made.astimezone(now.tzinfo).day} {month(entry, now)}"
    return f"an unknown day (version {entry.card.version})" if entry.card.version else "an unknown day"


def _best_attribute(entries: Sequence[Entry], now: datetime, about: str | None) -> tuple[str, Value]:
    """What the models are comes before when they were made; within that, what splits them most evenly."""
    common = frozenset.intersection(*(entry.styles for entry in entries))
    lineages = by_lineage(entries)
    what: dict[str, Value] = {
        "subject": _subject,
        "style": lambda entry: _style(entry, common),
        "kind": lambda entry: "a LoRA" if entry.card.kind == "lora" else "a whole checkpoint",
        "base_model": lambda entry: BASE_NAMES.get(entry.card.base_model or "", entry.card.base_model or "unknown"),
        "model": _description,
    }
    when: dict[str, Value] = {"month": lambda entry: month(entry, now), "version": _version, "model": _name}
    asked = {**when, **what}.get(about or "")
    if about and asked and _information([asked(entry) for entry in entries]):
        return about, asked
    if len(lineages) > 1:
        gains = {name: _information([value(newest(builds)) for builds in lineages]) for name, value in what.items()}
        looks = [name for name in what if name != "model" and gains[name]]
        if looks:
            gains["subject"] *= SUBJECT_FIRST
            best = max(looks, key=lambda name: gains[name])  # the first of equals
            return best, what[best]
        if gains["model"]:
            return "model", _description
    for name, value in when.items():
        if _information([value(entry) for entry in entries]):
            return name, value
    return "model", lambda entry: entry.card.id


def _information(values: Sequence[str]) -> float:
    """Bits that the answer gives: the entropy of the split."""
    counts = Counter(values)
    return sum(count / len(values) * log2(len(values) / count) for count in counts.values()) if len(counts) > 1 else 0.0


def _subject(entry: Entry) -> str:
    named = subjects_of(entry.card)
    return named[0] if named else "just a style" if entry.pure_style else "a model that is not described"


def _style(entry: Entry, common: frozenset) -> str:
    """The look that not all of them share."""
    own = [tag for tag in entry.card.styles if not common & set(style_keys(tag))]
    return ", ".join(own[:2]) or (entry.card.styles[0] if entry.card.styles else "no particular style")


def _description(entry: Entry) -> str:
    text = entry.card.description.split(". ")[0].rstrip(".")
    return text if len(text) <= _LABEL else f"{text[: _LABEL - 1].rsplit(' ', 1)[0]}…"


def _version(entry: Entry) -> str:
    return f"version {entry.card.version}" if entry.card.version else "no version"


def _name(entry: Entry) -> str:
    """The file's name as words: the last resort, for models of which nothing else is known."""
    return " ".join(stems(PurePath(entry.card.path or entry.card.id).stem))


def _choice(label: str, members: list[Entry], now: datetime) -> Choice:
    shown = newest(members)
    count = f"{len(members)} models, the newest from" if len(members) > 1 else "from"
    detail = f"{count} {day(shown, now)}"
    if len(members) == 1 and shown.card.description and _description(shown) != label:
        detail = f"{_description(shown)}, {detail}"
    previews = shown.card.previews
    return Choice(label, detail, previews[0] if previews else None, tuple(entry.card.id for entry in members))


def _text(attribute: str, choices: Sequence[Choice]) -> str:
    labels = [choice.label for choice in choices]
    asked = {
        "subject": "Which one do you mean",
        "style": "Which look",
        "kind": "Which kind",
        "base_model": "For which base model",
        "month": "From when",
        "version": "Which version",
        "model": "Which of these",
    }[attribute]
    return f"{asked}: {joined(labels)}?"
