"""The parts of a picture in which the subjects of a decision are drawn.

Two subject LoRAs on one model spoil each other, so each works in a part of its own. What is of the
whole picture (a checkpoint, a style, a LoRA for few steps, a tool, a place) is no subject. A thing
that a being wears or holds is drawn in the being's part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...catalog.card_facts import facts_of, subjects_of
from ...catalog.cards import Card
from ...catalog.facts import is_described
from ...catalog.few_steps import few_steps
from ...language.beside import are_linked, own_texts
from ...language.origins import Span
from ...language.trigger_prompt import mentions
from ...lexicon import PLACES, SUBJECTS
from ...lexicon.english import word_set
from ...lexicon.sentences import say, sentence
from ...lexicon.spelling import name_words, split, stems
from ..decision import Region

_KINDS = {"character", "celebrity", "animal", "vehicle", "objects"}
"""Tags by which Civitai sorts LoRAs of subjects."""
_NO_KINDS = {"style", "tool", "poses", "action", "background"}
_TOOLS = word_set("beside", "mends") | word_set("beside", "steers")
_LEFT, _MIDDLE, _RIGHT = sentence("left"), sentence("middle"), sentence("right")
_NAMES = {2: (_LEFT, _RIGHT), 3: (_LEFT, _MIDDLE, _RIGHT)}


def is_subject(card: Card) -> bool:
    """Whether a model is a LoRA of a being or a thing."""
    if card.kind != "lora" or few_steps(card):
        return False
    tags = {tag.casefold() for tag in card.tags}
    if tags & _KINDS and not tags & _NO_KINDS:
        return True
    named = {*name_words(card.name), *stems(card.title)}
    if tags & _NO_KINDS or named & _TOOLS or facts_of(card).look:
        return False
    phrases = [phrase[-1:] for one in subjects_of(card) if (phrase := stems(one))]
    if known := [phrase for phrase in phrases if phrase in SUBJECTS or is_described(card)]:
        return any(phrase not in PLACES for phrase in known)
    return is_being(card)


def is_being(card: Card) -> bool:
    """Whether a model is of a person or an animal."""
    return "being" in facts_of(card).kinds


@dataclass(frozen=True)
class Called:
    """A model, and how a prompt may name it."""

    card: Card
    triggers: Sequence[str]
    words: Sequence[str] = ()
    """Those of the request that it stands for."""


def regions_of(models: Sequence[Called], prompt: str) -> tuple[Region, ...]:
    """A part of the picture for each subject, from left to right; none for fewer than two."""
    subjects = [one for one in models if is_subject(one.card)]
    if len(subjects) < 2:
        return ()
    places = {one.card.id: _places(one, prompt) for one in models}
    if not all(places[one.card.id] for one in subjects):
        return _numbered([([one], prompt) for one in subjects])
    subjects.sort(key=lambda one: places[one.card.id][0])
    groups = [subjects[:1]]
    for before, after in pairwise(subjects):
        if _apart(before, after, prompt, places[before.card.id][0], places[after.card.id][0]):
            groups.append([])
        groups[-1].append(after)
    if len(groups) < 2:
        return ()
    spans = [(places[one[0].card.id][0][0], places[one[-1].card.id][0][1]) for one in groups]
    again = [[span for one in group for span in places[one.card.id][1:]] for group in groups]
    of_all = [span for one in models if one not in subjects for span in places[one.card.id]]
    own = own_texts(prompt, spans, again, of_all)
    order = sorted(range(len(groups)), key=lambda place: own[place].rank)
    return _numbered([(groups[place], own[place].text) for place in order])


def _apart(before: Called, after: Called, prompt: str, first: Span, second: Span) -> bool:
    """Whether two neighbours have parts of their own: not "pip in my red dress"."""
    return is_being(before.card) == is_being(after.card) or are_linked(prompt, first, second)


def _places(model: Called, prompt: str) -> list[Span]:
    """Where a prompt names a model: by its triggers, else by the words that it stands for."""
    found = [span for trigger in model.triggers for span in mentions(prompt, trigger)]
    if not found and model.words:
        stands_for = tuple(stem for one in model.words for stem in stems(one))
        words, size = split(prompt), len(stands_for)
        groups = (words[at : at + size] for at in range(len(words) - size + 1))
        found = [
            (group[0].start, group[-1].end)
            for group in groups
            if tuple(word.stem for word in group) == stands_for
        ]
    places: list[Span] = []
    for span in sorted(found, key=lambda one: (one[0], -one[1])):
        if not places or span[0] >= places[-1][1]:
            places.append(span)
    return places


def _numbered(groups: Sequence[tuple[Sequence[Called], str]]) -> tuple[Region, ...]:
    count = len(groups)
    names = _NAMES.get(count) or tuple(
        say("part {number} of {count}", number=place + 1, count=count) for place in range(count)
    )
    return tuple(
        Region(name, tuple(one.card.id for one in group), text, place / count)
        for place, (name, (group, text)) in enumerate(zip(names, groups, strict=True))
    )
