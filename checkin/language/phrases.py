"""What stands in a request, word by word: subjects, looks, other words, and which of them belong to the scene."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from typing import Literal

from ..catalog.subject_key import SubjectKey, only_names
from ..catalog.vocabulary import Vocabulary
from ..lexicon import (
    CONJUNCTIONS,
    DETERMINERS,
    FUNCTION,
    MODEL_WORDS,
    NEGATIONS,
    OPTICS,
    PICTURE_WORDS,
    PLACES,
    POSTURES,
    PREPOSITIONS,
    STYLES,
    WEAK_STYLES,
    Phrase,
    is_being,
)
from ..lexicon.english import word_set
from ..lexicon.function_words import SMALL_NAMES
from ..lexicon.kin import KIN
from ..lexicon.spelling import Word, is_english, split
from .model_phrases import is_verb

MYSELF = "myself"
"""What is read for "me" where it says whom a picture is of."""
PhraseKind = Literal["subject", "style", "model", "picture", "word", "function"]

_NO_SUBJECTS = CONJUNCTIONS | PREPOSITIONS | DETERMINERS | NEGATIONS
_NO_SUBJECTS |= word_set("words", "function", "nobody in particular")
_SAME_ZONE = word_set("words", "same zone")
_SEEN = word_set("words", "seen")
_OF_TIMES = frozenset({"in", "from", "since", "until", "by"})
_PERSONS = word_set("words", "function", "persons")
_TITLES = frozenset("mr mrs ms dr st prof".split())
"""Abbreviations that a name follows."""


@dataclass(frozen=True)
class Mention:
    """One phrase of a request."""

    words: str
    phrase: Phrase
    kind: PhraseKind
    first: int
    last: int
    """Positions of its words among the words of the request."""
    subject: frozenset[SubjectKey] = frozenset()
    style: frozenset[Phrase] | None = None
    place: bool = False
    """A look that is a place ("urban", "beach")."""
    is_scene: bool = False
    """After a preposition or verb: probably part of the picture, not of what the model is called."""
    is_side_clause: bool = False
    """In a clause of its own, after one that says which model is meant: about the picture."""
    possessive: bool = False
    indefinite: bool = False
    after_punctuation: bool = False
    """Punctuation stands before it."""
    owner: bool = False
    """Somebody to whom what follows belongs: "anna's kitchen", "beccas friend"."""
    typed: Phrase = ()
    """In a request in another language: the words that it stands for, as in the user's names."""

    @property
    def medium(self) -> bool:
        """A subject that is a kind of picture ("painting"), which another subject turns into a look."""
        return self.kind == "subject" and self.phrase[-1] in PICTURE_WORDS


def read(text: str, vocabulary: Vocabulary) -> list[Mention]:
    """The phrases of a plain text, longest first from the left."""
    words = split(text)
    found: list[Mention] = []
    position = 0
    while position < len(words):
        mention = _phrase_at(words, position, text, vocabulary)
        breaks = position > 0 and _breaks(words[position - 1], words[position], text)
        found.append(replace(mention, after_punctuation=breaks))
        position = mention.last + 1
    return _with_determiners(_with_zones(found))


def _breaks(before: Word, word: Word, text: str) -> bool:
    """Whether punctuation stands between two words, but not the full stop of "Mrs. Delgado"."""
    between = text[before.end : word.start]
    if before.text in _TITLES and between.strip() == ".":
        return False
    return re.search(r"[,.;:!?()\[\]]|\s-\s", between) is not None


def _phrase_at(words: list[Word], at: int, text: str, vocabulary: Vocabulary) -> Mention:
    for length in range(min(vocabulary.longest, len(words) - at), 0, -1):
        group = words[at : at + length]
        gaps = (text[one.end : other.start] for one, other in itertools.pairwise(group))
        if any(re.search(r"[^\s_'-]", gap) for gap in gaps) or any(
            word.possessive for word in group[:-1]
        ):
            continue
        phrase = tuple(word.stem for word in group)
        if length == 1 and phrase[0] in _NO_SUBJECTS:
            continue
        subject, style = vocabulary.subject(phrase), vocabulary.style(phrase)
        if length > 1 and not subject and style is None and not vocabulary.subject(phrase[-1:]):
            subject = vocabulary.subject(
                ("".join(phrase).replace("'", ""),)
            )  # "red mini" of redmini_v2
        if (
            length > 1
            and not subject
            and phrase not in vocabulary.style_phrases
            and vocabulary.is_medium(phrase[-1:])
        ):
            continue  # "watercolour painting" where paintings are subjects: a style and a subject
        place = phrase in PLACES and phrase not in vocabulary.style_phrases - set(PLACES)
        if subject and place:
            style = None
        tagged = {phrase, *STYLES.get(phrase, ())} & vocabulary.style_phrases
        if style is not None and not tagged and _weak(group, words[at + length : at + length + 1]):
            style = None
        a_look = style and (phrase in STYLES or phrase in vocabulary.style_phrases)
        if a_look and subject and only_names(subject):
            subject = frozenset()  # a look that cards have comes before a name
        if subject or style is not None:
            spoken = " ".join(word.text for word in group)
            kind: PhraseKind = "subject" if subject else "style"
            return Mention(
                spoken,
                phrase,
                kind,
                at,
                at + length - 1,
                subject,
                style,
                place and style is not None,
                owner=_owns(group[-1], subject, words[at + length :]),
            )
    word = _in_full(words[at], vocabulary)
    kind = "word" if _is_small_name(words, at, text, vocabulary) else _kind(word)
    return Mention(word.text, (word.stem,), kind, at, at)


def _is_small_name(words: list[Word], at: int, text: str, vocabulary: Vocabulary) -> bool:
    """Whether "will" or "may" is somebody's name: "may and will on a hill", "uncle will"."""
    word = words[at].text
    if word not in SMALL_NAMES or not vocabulary.says(word):
        return False
    if at + 1 < len(words) and words[at + 1].text in _PERSONS | {"be", "have", "not"}:
        return False
    before = words[at - 1].stem
    links = (PREPOSITIONS - _OF_TIMES) | CONJUNCTIONS | DETERMINERS | KIN.keys()
    return at == 0 or before in links or _breaks(words[at - 1], words[at], text)


def _owns(word: Word, subject: frozenset[SubjectKey], following: list[Word]) -> bool:
    named = bool(subject) and only_names(subject) and word.text == f"{word.stem}s"
    if not following or word.possessive:
        return bool(following)
    other = _kind(following[0]) in ("word", "picture") or is_being((following[0].stem,))
    return named and other


def _in_full(word: Word, vocabulary: Vocabulary) -> Word:
    """A word; "boilin" in full, unless the library has it."""
    full = f"{word.text}g"
    if (
        len(word.text) > 3
        and word.text.endswith("in")
        and not is_english(word.text)
        and not vocabulary.says(word.text)
        and is_english(full)
    ):
        return replace(word, text=full, stem=full)
    return word


def _weak(group: list[Word], following: list[Word]) -> bool:
    before_style = following and following[0].stem in PICTURE_WORDS | MODEL_WORDS
    return len(group) == 1 and group[0].text in WEAK_STYLES and not before_style


def _kind(word: Word) -> PhraseKind:
    if word.stem in MODEL_WORDS or word.text in MODEL_WORDS:
        return "model"
    if word.stem in PICTURE_WORDS:
        return "picture"
    if (
        word.text in FUNCTION
        or word.text in NEGATIONS
        or word.stem in FUNCTION
        or len(word.text) == 1
    ):
        return "function"
    return "word"


def _opens_scene(mention: Mention, first: bool) -> bool:
    word = mention.words
    if word in PREPOSITIONS:
        return word not in _SAME_ZONE and not (first and word in ("which", "like"))
    return (mention.kind == "word" and is_verb(word)) or word in POSTURES


def _with_zones(mentions: list[Mention]) -> list[Mention]:
    scene = aside = which = False
    before = 0
    clauses = _clauses(mentions)
    zoned = []
    for position, mention in enumerate(mentions):
        first = position == 0 or mention.after_punctuation
        if mention.after_punctuation and mention.words not in CONJUNCTIONS:
            which = which or any(map(_says_which, clauses[before:position]))
            before = position
            scene = aside = which and not _names_model(clauses[position])
        seen = position > 0 and mentions[position - 1].words in _SEEN
        following = mentions[position + 1].words if position + 1 < len(mentions) else ""
        if _opens_scene(mention, first) or seen:
            scene = True
        elif mention.words == "from" or (mention.words == "for" and following in ("my", "our")):
            scene = False
        elif mention.words == "for":
            scene = True
        zoned.append(replace(mention, is_scene=scene, is_side_clause=aside))
    return _with_lights(zoned)


def _clauses(mentions: list[Mention]) -> list[list[Mention]]:
    """For the first mention of each clause, the mentions up to the next punctuation; else []."""
    starts = [at for at, mention in enumerate(mentions) if at == 0 or mention.after_punctuation]
    found: list[list[Mention]] = [[] for _ in mentions]
    for start, end in itertools.pairwise((*starts, len(mentions))):
        found[start] = mentions[start:end]
    return found


def _says_which(clause: list[Mention]) -> bool:
    """Whether a clause speaks of a model or a thing, and not of what is unwanted."""
    speaks = _names_model(clause) or any(mention.kind == "subject" for mention in clause)
    return speaks and not any(mention.words in NEGATIONS for mention in clause)


def _names_model(clause: list[Mention]) -> bool:
    return any(mention.kind == "model" for mention in clause)


def _with_lights(mentions: list[Mention]) -> list[Mention]:
    """Mark "golden light", "a wide shot": words for how a picture is taken say nothing of the thing in it."""
    marked = list(mentions)
    for position, mention in enumerate(mentions):
        if mention.phrase[-1] not in OPTICS or mention.kind in ("subject", "style"):
            continue
        for at in range(position, max(position - 3, -1), -1):
            if at < position and (marked[at].kind != "word" or marked[at + 1].after_punctuation):
                break
            marked[at] = replace(marked[at], is_scene=True)
    return marked


def _with_determiners(mentions: list[Mention]) -> list[Mention]:
    """Mark what belongs to "my ..." and what to "a ..."."""
    marked, determiner = [], ""
    for mention in mentions:
        if mention.after_punctuation or mention.words in PREPOSITIONS | CONJUNCTIONS:
            determiner = ""
        if mention.words in DETERMINERS:
            determiner = mention.words
        elif mention.words == "mine":
            determiner = "my"
        marked.append(
            replace(
                mention,
                possessive=determiner in ("my", "our"),
                indefinite=determiner in ("a", "an"),
            )
        )
    return marked


def run_after(mentions: list[Mention], position: int) -> list[Mention]:
    """The mentions that follow without a function word or punctuation between: the rest of the noun phrase."""
    run = []
    for mention in mentions[position + 1 :]:
        if mention.kind == "function" or mention.after_punctuation:
            break
        run.append(mention)
    return run
