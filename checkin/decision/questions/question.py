"""The short question (rule 7), on the attribute that splits the remaining models best.

It has 2 to 4 choices in the user's words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np

from ...catalog.columns import Array
from ...catalog.selection import CardSelection, CardView
from ...lexicon import Phrase, with_hypernyms
from ...lexicon.sentences import (
    ENGLISH,
    listed,
    say,
    say_number,
    sentence,
    speaking,
)
from ...lexicon.spelling import stems
from ..decision import Choice, Question
from .labels import (
    Labels,
    base_of,
    called_as,
    called_on,
    day,
    description_of,
    kind_of,
    month_codes,
    name_of,
    style_of,
    subject_of,
    version_of,
)

NEWEST = sentence("the newest of any")
MAX_CHOICES = 4
_SUBJECT_WEIGHT = 2
"""The factor on how well the subject splits: people think of the subject before the style."""
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
_ASKED_OF = {
    "style": sentence("Which look for '{name}': {choices}?"),
    "month": sentence("Which '{name}', from when: {choices}?"),
    "version": sentence("Which version of '{name}': {choices}?"),
}
"""The same where it is said of what: a request may be for several models."""
Labeller = Callable[[CardSelection], Labels]


def ask(
    entries: CardSelection,
    ranked: Callable[[Sequence[CardView]], CardSelection],
    now: datetime,
    lead: str = "",
    about: str | None = None,
    of: str = "",
) -> Question:
    """The question that tells `entries` apart; these are at least two.

    `ranked` puts models in the order in which they fit the request; `lead` is a sentence to begin
    with; `about` is the attribute to ask about, if it tells the models apart; `of`, the words that
    call them. Months are in the time zone of `now`.
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
    return Question(f"{lead}{_text(attribute, choices, of=of)}", choices, attribute)


def ask_lineages(
    groups: Sequence[CardSelection], now: datetime, name: str = "", of: str = ""
) -> Question:
    """The question which of several lineages is meant; the first card of each group stands for it.

    It asks for the attribute that has another value for each: what it is of, its look, what it is
    called, with its base model where that differs too. `groups`: at least two, the likeliest
    first; `name`: the word of the request by which all are called; `of`: the words that call them.
    """
    shown = list(groups[:MAX_CHOICES])
    first = [group[0] for group in shown]
    common, called = frozenset[Phrase](), bool(name)
    attributes: tuple[tuple[str, Callable[[CardView], str]], ...] = (
        ("subject", subject_of),
        ("style", lambda entry: style_of(entry, common)),
        ("model", called_as),
        ("base_model", base_of),
        ("model", called_on),
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
        bases = [{base_of(entry) for entry in group} for group in shown]
        own = all(len(one) == 1 for one in bases) and len(set().union(*bases)) == len(first)
        if label_of_one is called_as and own:  # each model has one base, and no other has it
            label_of_one = called_on
            labels = [called_on(entry) for entry in first]
    choices = [
        _with_type(_choice(label, group, now, label_of_one(group[0])), group, first)
        for label, group in zip(labels, shown, strict=True)
    ]
    if 2 < len(choices) < MAX_CHOICES:
        whole = shown[0].at(np.concatenate([group.positions for group in shown]))
        choices.append(_choice(NEWEST, whole, now, say(NEWEST)))
    text = _text(attribute, choices, name, of)
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
        "subject": _by(subject_of, columns.display_subjects.codes, columns.pure_style),
        "style": _by(lambda entry: style_of(entry, common), columns.raw_styles.codes),
        "kind": _by(kind_of, columns.kind.codes),
        "base_model": _by(base_of, columns.base_model.codes),
        "model": _by(description_of, columns.everyone),
    }
    when: dict[str, Labeller] = {
        "month": lambda entries: month_codes(entries, now),
        "version": _by(version_of, columns.version.codes),
        "model": _by(name_of, columns.everyone),
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


def _choice(label: str, members: CardSelection, now: datetime, shown: str) -> Choice:
    newest = members.newest()
    detail = say_number(
        len(members),
        "from {day}",
        "{number} models, the newest from {day}",
        day=day(newest, now),
    )
    if len(members) == 1 and newest.card.description and description_of(newest) != label:
        detail = say("{items}, {next}", items=description_of(newest), next=detail)
    previews = newest.card.previews
    return Choice(label, detail, previews[0] if previews else None, members.ids(), shown)


def _with_type(choice: Choice, group: CardSelection, among: Sequence[CardView]) -> Choice:
    """A choice whose small print tells its kind of file and base model, where they tell it apart
    and its label does not.
    """
    detail = choice.detail
    for value in (base_of, kind_of):
        one = value(group[0])
        differs = len({*map(value, among)}) > 1 and len({*map(value, group)}) == 1
        if differs and one not in choice.shown:
            detail = say("{items}, {next}", items=one, next=detail)
    return replace(choice, detail=detail)


def _text(attribute: str, choices: Sequence[Choice], name: str = "", of: str = "") -> str:
    labels = listed([choice.shown for choice in choices])
    if name and attribute in ("subject", "model", "base_model"):
        return say("Which '{name}' do you mean: {choices}?", name=name, choices=labels)
    if of and attribute in _ASKED_OF:
        return say(_ASKED_OF[attribute], name=of, choices=labels)
    return say(_ASKED[attribute], choices=labels)
