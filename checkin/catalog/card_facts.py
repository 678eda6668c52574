"""The facts of one card: the subjects, styles, names and words that requests are compared with."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import PurePath

from ..lexicon import (
    FALLBACK_HYPERNYMS,
    FUNCTION,
    HYPERNYMS,
    PICTURE_WORDS,
    PLACES,
    STYLES,
    SUBJECTS,
    Phrase,
)
from ..lexicon.abroad import looks_in
from ..lexicon.notes import things_in
from ..lexicon.spelling import is_english, name_words, singular, stems
from ..readers.trigger_words import is_generic
from .cards import Card
from .facts import Facts, is_described
from .grounds import SHOWN, base_words, grounds_of, said_by_triggers
from .subject_key import Match, SubjectKey, subject_keys

LEXICON_WORDS = frozenset(
    word for table in (SUBJECTS, STYLES, PLACES) for phrase in table for word in phrase
)
_PICTURE = frozenset((word,) for word in PICTURE_WORDS)
# The keys of real styles, such as watercolor. Other tags (quality, light, place) may differ between
# builds of one lineage.
_MEDIA = frozenset(key for keys in STYLES.values() for key in keys)
_NAMELESS = frozenset(
    "lora locon lycoris loha lokr checkpoint ckpt model dreambooth safetensors final test new best "
    "old last version ver epoch step run train training trained sdxl flux pony illustrious sd15 "
    "fp16 bf16 fp32 ema pruned style ohwx sks tok zwx char character person".split()
)
# Words in file names that are no names: words without a meaning of their own, places, styles.
_NO_NAMES = (
    FUNCTION
    | _NAMELESS
    | {word for phrase in PLACES for word in phrase}
    | {
        word
        for phrase in STYLES
        for word in phrase
        if len(phrase) > 1 or phrase == STYLES[phrase][0]
    }
)
_QUALITY = frozenset(
    stems(text)
    for text in ("detailed", "high quality", "hq", "sharp", "soft", "bright", "dark", "hd", "4k")
)


MAX_DIGITS = 18
"""The most digits of a number that is read; Python refuses some thousand."""


def version_number(version: str | None) -> tuple[int, ...]:
    """The numbers in a version: "v1.10" is (1, 10)."""
    numbers = [int(part[:MAX_DIGITS]) for part in re.findall(r"\d+", version or "")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def style_keys(tag: str) -> tuple[Phrase, ...]:
    """The style keys that a style tag counts as."""
    phrase = stems(tag)
    return STYLES.get(phrase, ())[:1] or PLACES.get(phrase, ())[:1] or (phrase,)


def subjects_of(card: Card) -> tuple[str, ...]:
    """What a card is of: its subjects, else subject words in its triggers, name or description.

    The first source that names any counts: the triggers ("sks dog", and "mossdog" of moss_v2), the
    file's name, then the first such word of the description. The description is not used for a
    style: a card that has styles, or whose triggers or name say "style" or a style. Empty where
    nothing names a subject.
    """
    if card.subjects:
        return card.subjects
    own = name_words(card.name)
    names = [[*name_words(one), *_glued_to(own, one)] for one in card.triggers] + [own]
    for words in names:
        if named := [word for word in words if (word,) in SUBJECTS]:
            return tuple(dict.fromkeys(named))
    if card.styles or any(
        word == "style" or (word,) in STYLES for words in names for word in words
    ):
        return ()
    said = (*stems(card.description), *things_in(card.description))
    return tuple(word for word in said if (word,) in SUBJECTS)[:1]


def _glued_to(name: Sequence[str], trigger: str) -> list[str]:
    """What a trigger says behind a word of the name: "dog" in "burekdog", of burek_v2."""
    rests = (word.removeprefix(one) for word in stems(trigger) for one in name)
    return [rest for rest in rests if len(rest) > 2 and (rest,) in SUBJECTS]


def _keys_of(subjects: tuple[str, ...], described: Sequence[Phrase]) -> set[SubjectKey]:
    """The keys by which a card with these subjects can be asked for.

    They are the subjects, what these are kinds of, and the narrowest of them as exact keys: a
    request for a "corgi" may mean a card that says only "dog", but not one that says "poodle" in
    its subjects or its description.
    """
    phrases: set[Phrase] = set()
    named: set[Phrase] = set()
    for position, subject in enumerate(subjects):
        phrase = stems(subject)
        spoken = [phrase]
        if len(phrase) > 2:
            spoken.append(phrase[:-1])  # "african grey" of an african grey parrot
        if position == 0 or phrase[-1:] in SUBJECTS:
            spoken.append(phrase[-1:])
        for one in spoken:
            phrases.add(one)
            named.update(SUBJECTS.get(one, ()) or (one,))
    named |= {
        kind for phrase in described for kind in SUBJECTS.get(phrase, ()) if HYPERNYMS[kind] & named
    }
    wider = {kind for one in named for kind in HYPERNYMS.get(one, ())}
    fallbacks = {kind for one in named for kind in FALLBACK_HYPERNYMS.get(one, ())}
    nothing: Phrase = ()  # from a subject without any word, such as "!"
    return (
        subject_keys((phrases | named | wider) - {nothing})
        | subject_keys(named - wider - {nothing}, Match.EXACT)
        | subject_keys(fallbacks, Match.FALLBACK)
    )


def _names_of(words: Sequence[str], styles: set[Phrase]) -> set[Phrase]:
    """The words of a name or subject that have no other meaning, as phrases: "biscuit", "fiat".

    A word for a style is a name where the card has another style: a cat called Inky.
    """
    said = {word for word in words if set(STYLES.get((word,), ())) & styles}
    return {
        (word,)
        for word in words
        if (len(word) > 2 or not word.isascii()) and word not in _NO_NAMES and word not in said
    }


def _is_usual(word: str) -> bool:
    """Whether a word has a meaning of its own in a request, so that it cannot be a name."""
    return singular(word) in LEXICON_WORDS or is_english(word)


def name_key(text: str) -> str:
    """A trigger or file name in the form for comparing names; "" if it has only separators."""
    return re.sub(r"[\s_-]+", "-", text.strip().strip("<>").lower()).strip("-")


def _lineage(
    card: Card, subjects: tuple[str, ...], styles: frozenset[Phrase]
) -> tuple[object, ...]:
    """A key of what a card is a build of: its lineage; without one its trigger, subject and styles.

    The trigger is taken without its version, and the styles without places and words of quality.
    """
    if card.lineage:
        return (card.lineage,)
    telling = frozenset(key for key in styles if key not in PLACES and key not in _QUALITY)
    stem = re.sub(r"[-_ ]*v?\d[\d.]*$", "", name_key(card.trigger or ""))
    return (stem, stems(subjects[0]) if subjects else (), telling)


def facts_of(card: Card) -> Facts:
    """The facts of one card."""
    noted = things_in(card.description)
    text = " ".join((card.description, *noted, *card.subjects, *card.styles))
    bases = base_words(card)
    in_file = (word for word in name_words(card.name) if word not in bases)
    names = (*in_file, *name_words(" ".join(said_by_triggers(card)[0])))
    looks = looks_in(names)
    words = stems(text) + names + tuple(word for look in looks for word in look)
    phrases = _phrases(words)
    styles = {key for tag in card.styles for key in style_keys(tag)}
    if not card.styles:  # then the styles that the description, the name or the training mentions
        styles = {
            STYLES[phrase][0]
            for phrase in (*phrases, *_trained_look(card))
            if phrase in STYLES and phrase not in _PICTURE
        }
    display_subjects = subjects_of(card)
    subjects = _keys_of(display_subjects, phrases)
    if subjects:
        own = map(stems, card.subjects)
        makes = [word for phrase in own if phrase[-1:] not in SUBJECTS for word in phrase]
        # A subject whose last word is in no table ("mini cooper") is a name.
        subjects |= subject_keys(_names_of((*names, *makes), styles), Match.NAME)
    elif styles:
        styles |= _names_of(names, styles)
    grounds = grounds_of(card)
    if "me" in grounds["identity"]:  # no other person: neither "husband" nor "girl"
        subjects -= {key for key in subjects if key.match is Match.EXACT}
    lineage = _lineage(card, card.subjects, frozenset(styles))
    called = {stems(name) for name in card.names} - {()}
    if styles and not subjects:
        styles |= called
    else:
        subjects |= subject_keys(called, Match.NAME)
    return Facts(
        subjects=frozenset(subjects),
        styles=frozenset(styles),
        words=frozenset(words),
        **grounds,
        names=frozenset(_card_names(card)),
        lineage=lineage,
        lineage_styles=(
            frozenset(styles & _MEDIA) if card.lineage and is_described(card) else frozenset()
        ),
        number=version_number(card.version),
        display_subjects=display_subjects,
    )


def _trained_look(card: Card) -> list[Phrase]:
    """What may name the look of a model that was trained on a style: words of most captions, and
    the ends of a made-up word of its trigger ("maeveink style").
    """
    said = [word for trigger in card.triggers for word in stems(trigger)]
    if "style" not in said:
        return []
    made_up = [word for word in said if not is_english(word)]
    ends = [(word[at:],) for word in made_up for at in range(1, len(word) - 2)]
    most = [stems(one) for one, share in card.captions.items() if share >= SHOWN]
    return [*ends, *(phrase for words in most for phrase in _phrases(words))]


def _phrases(words: Sequence[str]) -> list[Phrase]:
    return [*itertools.pairwise(words), *((word,) for word in words)]


def _card_names(card: Card) -> set[str]:
    """The names by which a request can mean exactly this card.

    Plain English words do not count, except in angle brackets.
    """
    names = {name_key(text) for text in (*card.triggers, card.id) if not is_generic(text)}
    if card.path:
        names |= {name_key(card.name), name_key(PurePath(card.path).name)}
    bracketed = {f"<{name_key(text)}>" for text in (*card.triggers, card.name)} - {"<>"}
    return bracketed | {name for name in names - {""} if not all(map(_is_usual, name.split("-")))}
