"""The short question (rule 7), on the attribute that splits the remaining models best.

It has 2 to 4 choices in the user's words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np

from ..catalog.card_facts import style_keys
from ..catalog.columns import Array
from ..catalog.facts import EPOCH, microseconds
from ..catalog.selection import CardSelection, CardView
from ..lexicon import Phrase, with_hypernyms
from ..lexicon.base_models import label_of
from ..lexicon.sentences import (
    ENGLISH,
    day_of,
    listed,
    month_of,
    say,
    say_number,
    sentence,
    speaking,
)
from ..lexicon.spelling import split, stems
from .decision import Choice, Question

NEWEST = sentence("the newest of any")
MAX_CHOICES = 4
_SUBJECT_WEIGHT = 2
"""The factor on how well the subject splits: people think of the subject before the style."""
_MAX_LABEL_CHARS = 60
_PERSON, _STYLE = ("person",), "style"

_ASKED = {
    "subject": sentence("Which one do you mean: {choices}?"),
    "style": sentence("Which look: {choices}?"),
    "kind": sentence("Which kind: {choices}?"),
    "base_model": sentence("For which base model: {choices}?"),
    "month": sentence("From when: {choices}?"),
    "version": sentence("Which version: {choices}?"),
    "model": sentence("Which of these: {choices}?"),
}
Labels = tuple[list[str], Array]
"""(distinct labels, int [selected]: the index of each model's label)."""
Labeller = Callable[[CardSelection], Labels]


def ask(
    entries: CardSelection,
    ranked: Callable[[Sequence[CardView]], CardSelection],
    now: datetime,
    lead: str = "",
    about: str | None = None,
) -> Question:
    """The question that tells `entries` apart; these are at least two.

    `ranked` puts models in the order in which they fit the request; `lead` is a sentence to begin
    with; `about` is the attribute to ask about, if it tells the models apart. Months are in the
    time zone of `now`.
    """
    attribute, value = _best_attribute(entries, now, about)
    ordered = ranked(entries)
    with speaking(ENGLISH):
        labels, codes = value(ordered)
    groups = {
        label: ordered.at(ordered.positions[codes == code])
        for code, label in enumerate(labels[:MAX_CHOICES])
    }
    alone = len(labels) == 2 and len(groups[_newest_group(groups)].lineages()) == 1
    if len(labels) != MAX_CHOICES and not alone:
        groups = {label: groups[label] for label in labels[: MAX_CHOICES - 1]} | {NEWEST: entries}
    choices = tuple(
        _choice(label, members, now, say(NEWEST) if label == NEWEST else value(members[:1])[0][0])
        for label, members in groups.items()
    )
    return Question(f"{lead}{_text(attribute, choices)}", choices, attribute)


def ask_lineages(groups: Sequence[CardSelection], now: datetime, name: str = "") -> Question:
    """The question which of several lineages is meant; the first card of each group stands for it.

    It asks for the attribute that has another value for each: what it is of, its look, what it is
    called, with its base model where that differs too. `groups`: at least two, the likeliest
    first; `name`: the word of the request by which all are called.
    """
    shown = list(groups[:MAX_CHOICES])
    first = [group[0] for group in shown]
    common, called = frozenset[Phrase](), bool(name)
    attributes: tuple[tuple[str, Callable[[CardView], str]], ...] = (
        ("subject", _subject),
        ("style", lambda entry: _style(entry, common)),
        ("model", called_as),
        ("base_model", _base),
        ("model", _called_on),
        ("model", lambda entry: entry.card.name),
        ("model", lambda entry: entry.id),
    )
    with speaking(ENGLISH):
        attribute, labels, label_of_one = next(
            (name, labels, label)
            for name, label in attributes
            if len(set(labels := [label(entry) for entry in first])) == len(first)
            and (name != "subject" or all(entry.display_subjects for entry in first))
            and (name != "subject" or _tell_apart(labels, called))
            and (name != "style" or all(entry.card.styles for entry in first))
        )
        if label_of_one is called_as and len({_base(entry) for entry in first}) == len(first):
            label_of_one = _called_on
            labels = [_called_on(entry) for entry in first]
    choices = [
        _with_type(_choice(label, group, now, label_of_one(group[0])), group, first)
        for label, group in zip(labels, shown, strict=True)
    ]
    if 2 < len(choices) < MAX_CHOICES:
        whole = shown[0].at(np.concatenate([group.positions for group in shown]))
        choices.append(_choice(NEWEST, whole, now, say(NEWEST)))
    text = _text(attribute, choices, name)
    return Question(text, tuple(choices), attribute)


def _newest_group(groups: dict[str, CardSelection]) -> str:
    """The label of the newest model: of two choices, "the newest of any" would repeat it."""
    return max(groups, key=lambda label: groups[label].columns.order[groups[label].positions].max())


def _tell_apart(subjects: Sequence[str], called: bool) -> bool:
    """Whether people know subjects apart: known things or a style, none of which is a kind of
    another, and, where one name stands for all (`called`), not only people, as "woman or girl".
    """
    said = [stems(one) for one in subjects]
    kinds = [with_hypernyms(one) | {one} if _STYLE in one else with_hypernyms(one) for one in said]
    nested = any(
        one in kinds[at] for place, one in enumerate(said) for at in range(len(said)) if at != place
    )
    people = called and all(_PERSON in one for one in kinds)
    return all(kinds) and not nested and not people


def called_as(entry: CardView) -> str:
    """What the model's file is called, as it is spelt there, without version and base model."""
    called = entry.catalogue.columns.called[entry.position]
    spelt = {word.stem: word.text for word in split(entry.card.name)}
    numbers = {one.rstrip("0123456789") for one in called if one[-1:].isdigit()}
    words = [spelt.get(one, one) for one in called if one not in numbers]  # "age" of "age16"
    return " ".join(words) or _name(entry)


def _called_on(entry: CardView) -> str:
    return f"{called_as(entry)} ({_base(entry)})"


def month(entry: CardView, now: datetime) -> str:
    """The month in which the model was made, in the zone of `now`: "April 2025"."""
    if not entry.created_at:
        return say("no date")
    return month_of(entry.created_at.astimezone(now.tzinfo))


def day(entry: CardView, now: datetime) -> str:
    """The day on which the model was made: "11 April 2025"."""
    if entry.created_at:
        return day_of(entry.created_at.astimezone(now.tzinfo))
    if entry.card.version:
        return say("an unknown day (version {version})", version=entry.card.version)
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


def _best_attribute(
    entries: CardSelection, now: datetime, about: str | None
) -> tuple[str, Labeller]:
    """The attribute to ask about, and its labels.

    What the models are comes before when they were made: first the subject, style, kind or base
    model, whichever splits the lineages most evenly, then the description. Then come month, version
    and file name, in this order.
    """
    common = _shared_styles(entries)
    columns = entries.columns
    what: dict[str, Labeller] = {
        "subject": _by(_subject, columns.display_subjects.codes, columns.pure_style),
        "style": _by(lambda entry: _style(entry, common), columns.raw_styles.codes),
        "kind": _by(_kind, columns.kind.codes),
        "base_model": _by(_base, columns.base_model.codes),
        "model": _by(_description, columns.everyone),
    }
    when: dict[str, Labeller] = {
        "month": lambda entries: month_codes(entries, now),
        "version": _by(_version, columns.version.codes),
        "model": _by(_name, columns.everyone),
    }
    asked = {**when, **what}.get(about or "")
    if about and asked and _information(asked(entries)):
        return about, asked
    lineages = entries.lineages()
    if len(lineages) > 1:
        builds = lineages.newest()
        gains = {
            name: _information(value(builds)) for name, value in what.items() if name != "model"
        }
        looks = [name for name in gains if gains[name]]
        if looks:
            gains["subject"] *= _SUBJECT_WEIGHT
            best = max(looks, key=lambda name: gains[name])  # the first of equals
            return best, what[best]
        if _information(what["model"](builds)):
            return "model", what["model"]
    for name, value in when.items():
        if _information(value(entries)):
            return name, value
    return "model", _by(lambda entry: entry.id, columns.everyone)


def _by(label: Callable[[CardView], str], *columns: Array) -> Labeller:
    """A labeller; models with the same values in `columns` share a label."""
    return lambda entries: entries.labelled(label, *columns)


def _shared_styles(entries: CardSelection) -> frozenset[Phrase]:
    styles = entries.columns.styles
    return frozenset(
        key for key in entries[0].styles if styles.any_of((key,))[entries.positions].all()
    )


def _information(labels: Labels) -> float:
    """Bits that the answer gives: the entropy of the split."""
    # Sorted, so that equal splits give the very same float.
    counts = np.sort(np.bincount(labels[1]))
    return (
        float(np.sum(counts / counts.sum() * np.log2(counts.sum() / counts)))
        if len(counts) > 1
        else 0.0
    )


def _subject(entry: CardView) -> str:
    return (
        entry.display_subjects[0]
        if entry.display_subjects
        else say("just a style")
        if entry.pure_style
        else say("a model that is not described")
    )


def _style(entry: CardView, common: frozenset) -> str:
    """At most two of the model's styles that not all models share."""
    own = [tag for tag in entry.card.styles if not common & set(style_keys(tag))]
    return " ".join(own[:2]) or (
        entry.card.styles[0] if entry.card.styles else say("no particular style")
    )


def _base(entry: CardView) -> str:
    return label_of(entry.card.base_model) if entry.card.base_model else say("unknown")


def _description(entry: CardView) -> str:
    text = entry.card.description.split(". ")[0].rstrip(".") or _name(entry)
    return (
        text
        if len(text) <= _MAX_LABEL_CHARS
        else f"{text[: _MAX_LABEL_CHARS - 1].rsplit(' ', 1)[0]}…"
    )


def _version(entry: CardView) -> str:
    version = entry.card.version
    return say("version {version}", version=version) if version else say("no version")


def _name(entry: CardView) -> str:
    """The file's name as words, for models about which nothing else is known."""
    return " ".join(stems(entry.card.name))


def _choice(label: str, members: CardSelection, now: datetime, shown: str) -> Choice:
    newest = members.newest()
    detail = say_number(
        len(members),
        "from {day}",
        "{number} models, the newest from {day}",
        day=day(newest, now),
    )
    if len(members) == 1 and newest.card.description and _description(newest) != label:
        detail = say("{items}, {next}", items=_description(newest), next=detail)
    previews = newest.card.previews
    return Choice(label, detail, previews[0] if previews else None, members.ids(), shown)


def _with_type(choice: Choice, group: CardSelection, among: Sequence[CardView]) -> Choice:
    """A choice whose small print tells its kind of file and base model, where they tell it apart
    and its label does not.
    """
    detail = choice.detail
    for value in (_base, _kind):
        one = value(group[0])
        differs = len({*map(value, among)}) > 1 and len({*map(value, group)}) == 1
        if differs and one not in choice.shown:
            detail = say("{items}, {next}", items=one, next=detail)
    return replace(choice, detail=detail)


def _kind(entry: CardView) -> str:
    return say("a LoRA") if entry.card.kind == "lora" else say("a whole checkpoint")


def _text(attribute: str, choices: Sequence[Choice], name: str = "") -> str:
    labels = listed([choice.shown for choice in choices])
    if name and attribute in ("subject", "model", "base_model"):
        return say("Which '{name}' do you mean: {choices}?", name=name, choices=labels)
    return say(_ASKED[attribute], choices=labels)
