"""From the phrases of a request to what it asks for: its subject, styles, and what it lacks."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from dataclasses import replace

from ..catalog.card_facts import MAX_DIGITS
from ..catalog.subject_key import only_names
from ..catalog.vocabulary import Vocabulary
from ..lexicon import MOODS, ORDINALS, PRAISE, SCAFFOLD, STYLES, TEMPORAL
from ..lexicon.english import word_set
from .intent import Intent, Term
from .missing import missing_thing
from .negation import negations
from .phrases import Mention, run_after
from .unhandled import unhandled_words

_ARTICLES = word_set("words", "function", "articles") | {"my", "our"}


def assemble(request: str, mentions: list[Mention], vocabulary: Vocabulary) -> Intent:
    """The intent of a request whose phrases are `mentions`, apart from what gates took."""
    unwanted, used = negations(mentions)
    wanted = tuple(m for m in mentions if m.first not in used)
    subjects, joined_subjects = _joined(
        [m for m in mentions if m.kind == "subject" and m.first not in used], mentions
    )
    head = _head([m for m in subjects if not m.is_side_clause])
    if head and (other := _second(head, subjects, mentions, vocabulary)):
        head = replace(
            head, words=f"{head.words} and {other.words}", subject=head.subject | other.subject
        )
        subjects = [m for m in subjects if m is not other]
    looks, joined_looks = _joined(
        [m for m in mentions if _look(m, head) and m.first not in used], mentions
    )
    used |= joined_subjects | joined_looks
    styles: list[Term] = []
    preferred: list[Term] = []
    scenery: list[Term] = []
    for look in looks:
        place = _standing(look, mentions, head, vocabulary)
        term = Term(look.words, look.style or frozenset())
        (styles if place == "wanted" else preferred if place == "preferred" else scenery).append(
            term
        )
    missing = missing_thing(mentions, head, used, vocabulary)
    details = [
        m.words
        for m in mentions
        if m.kind == "word" and not m.is_scene and m.first not in used and m.words.isalpha()
    ]
    around = [
        m.words
        for m in mentions
        if m.kind == "word" and m.is_scene and m.first not in used and m.words.isalpha()
    ]
    return Intent(
        request,
        subject=Term(head.words, head.subject) if head else None,
        others=tuple(
            Term(m.words, m.subject)
            for m in subjects
            if head and not m.subject <= head.subject and not m.medium
        ),
        styles=tuple(dict.fromkeys(styles)),
        unwanted=tuple(unwanted),
        preferred=tuple(preferred),
        details=tuple(word for word in details if word not in PRAISE | TEMPORAL | ORDINALS),
        scenery=tuple(around + [term.words for term in scenery]),
        missing=missing,
        unhandled=tuple(unhandled_words(mentions, used)),
        mentions=wanted,
    )


def _joined(found: list[Mention], mentions: list[Mention]) -> tuple[list[Mention], set[int]]:
    """Mentions with those joined by "or" made one, and the "or"s used up."""
    merged: list[Mention] = []
    used: set[int] = set()
    for mention in found:
        if merged:
            between = _between(mentions, merged[-1], mention)
            spoken = {m.words for m in between}
            if "or" in spoken and all(m.kind in ("function", "model") for m in between):
                one = merged[-1]
                style = (one.style or frozenset()) | (mention.style or frozenset())
                words = f"{one.words} or {mention.words}"
                merged[-1] = replace(
                    one,
                    words=words,
                    last=mention.last,
                    subject=one.subject | mention.subject,
                    style=style or one.style,
                )
                used |= {m.first for m in between if m.words == "or"}
                continue
        merged.append(mention)
    return merged, used


def _between(mentions: list[Mention], one: Mention, other: Mention) -> list[Mention]:
    """The mentions between two, in their order."""
    first = bisect_right(mentions, one.last, key=lambda mention: mention.first)
    return mentions[first : bisect_left(mentions, other.first, key=lambda mention: mention.first)]


def _head(subjects: list[Mention]) -> Mention | None:
    """The subject that the request is about: the user's own, before the scene, the last of a
    compound.
    """
    if not subjects:
        return None

    def weight(mention: Mention) -> int:
        return (
            3 * mention.possessive
            + 2 * (not mention.is_scene)
            - 4 * mention.medium
            - mention.indefinite
        )

    best = max(subjects, key=weight)
    for other in subjects:
        if (
            other.first == best.last + 1
            and not other.after_punctuation
            and not other.medium
            and not _only_a_name(other, best)
        ):
            best = other
    return best


def _second(
    head: Mention, subjects: list[Mention], mentions: list[Mention], vocabulary: Vocabulary
) -> Mention | None:
    """The other of two subjects that are asked for side by side, "a bear and a fox", where no model
    is of both.
    """
    for other in subjects:
        between = _between(mentions, head, other)
        joined = {m.words for m in between} - _ARTICLES == {"and"} and not any(
            m.after_punctuation for m in between
        )
        alike = (other.possessive, other.is_scene, other.medium) == (
            head.possessive,
            False,
            False,
        ) and not head.is_scene
        if joined and alike and not vocabulary.has_both(head.subject, other.subject):
            return other
    return None


def _only_a_name(mention: Mention, thing: Mention) -> bool:
    """Whether a word calls some models by a name, while the one before it says what they are: "orc
    mini".
    """
    return only_names(mention.subject) and not only_names(thing.subject)


def _look(mention: Mention, head: Mention | None) -> bool:
    if mention.style is None:
        return False
    return mention.kind == "style" or (
        mention is not head and bool(mention.style) and mention.medium
    )


def _standing(
    look: Mention, mentions: list[Mention], head: Mention | None, vocabulary: Vocabulary
) -> str:
    """Whether a look is wanted of the model, preferred, or part of the scenery."""
    position = next(index for index, m in enumerate(mentions) if m.last >= look.last)
    run = run_after(mentions, position)
    following = mentions[position + 1].words if position + 1 < len(mentions) else ""
    subjects = [m for m in run if m.kind == "subject" and not m.medium]
    generic = any(m.kind in ("model", "picture") for m in run)
    if look.words in SCAFFOLD and following == "of":
        return "preferred"
    if look.after_punctuation and STYLES.get(look.phrase, ((),))[0] in MOODS:
        shown = look.style and (head is None or vocabulary.shows(head.subject, look.style))
        return "wanted" if shown else "scenery"
    if subjects:
        return (
            "wanted"
            if head and subjects[-1].first <= head.last and subjects[-1].last >= head.first
            else "scenery"
        )
    if look.place and look.is_scene and not generic:
        return "preferred"
    if look.is_scene and not generic and any(m.kind == "word" for m in run):
        return "scenery"
    return "wanted"


def version_after_subject(mentions: list[Mention], vocabulary: Vocabulary) -> Mention | None:
    """As in "watch 8": a number right after a subject is a version where a card has it."""
    for one, other in itertools.pairwise(mentions):
        if (
            one.kind in ("subject", "style")
            and other.words.isdecimal()
            and len(other.words) <= MAX_DIGITS
            and not other.after_punctuation
            and (int(other.words),) in vocabulary.numbers
        ):
            return other
    return None
