"""What a request says it does not want, and how far each "not" reaches."""

from __future__ import annotations

from ..lexicon import CONJUNCTIONS, NEGATIONS
from ..lexicon.english import word_set
from .intent import Term
from .phrases import Mention

_THROUGH = word_set("words", "not through")
_TAKING = word_set("words", "not taking")
_BEFORE_VERBS = NEGATIONS & {"don't", "doesn't"}
_AGES = word_set("words", "ages not wanted")
"""What is not wanted of a thing that is; the newest is taken anyway."""
_FARTHEST = 24
"""Words that one "not" may reach."""


def negations(mentions: list[Mention]) -> tuple[list[Term], set[int]]:
    """What is not wanted, and the words that this uses up."""
    unwanted: list[Term] = []
    used: set[int] = set()
    for position, mention in enumerate(mentions):
        if mention.words not in NEGATIONS or mention.first in used:
            continue
        if any(m.words in _AGES for m in mentions[position + 1 : position + 3]):
            continue  # "not the old pony" is a pony
        if any(m.words.isdecimal() for m in mentions[position + 1 : position + 2]):
            continue  # "engine no. 256"; which build is not wanted is a version
        scope = _scope(mentions, position)
        if scope and mention.words in _BEFORE_VERBS and _is_plain(scope[0]):
            scope = scope[1:]  # "don't laugh"
        said = {m.phrase for m in mentions if m not in scope}
        taken = []
        for part in _parts(scope):
            own = [m for m in part if m.phrase not in said]
            taken += _meant(own or part)
        if taken:
            used.update({mention.first}, *(range(m.first, m.last + 1) for m in taken))
            used.update(m.first for m in scope if m.words in NEGATIONS | CONJUNCTIONS)
            unwanted += [
                Term(m.words, (m.subject if m.style is None else m.style) or frozenset())
                for m in taken
            ]
    return unwanted, used


def _is_plain(mention: Mention) -> bool:
    return mention.kind == "word" and mention.style is None


def _parts(scope: list[Mention]) -> list[list[Mention]]:
    """What stands between "and", "or", "nor" and commas: "neither the toy nor the ink one" are
    two.
    """
    parts: list[list[Mention]] = [[]]
    for mention in scope:
        if mention.words in CONJUNCTIONS | NEGATIONS:
            parts.append([])
        elif mention.after_punctuation:
            parts.append([mention])
        else:
            parts[-1].append(mention)
    return parts


def _meant(part: list[Mention]) -> list[Mention]:
    """Of "not the cartoon dog" the look; the thing where no look is named.

    What the rest of the request names too is left out before: "pluis, not the santa hat pluis".
    """
    return [m for m in part if m.style is not None] or [
        m for m in part if m.kind in ("subject", "word")
    ]


def _scope(mentions: list[Mention], position: int) -> list[Mention]:
    """The mentions that a "not" reaches: its noun phrase and those joined to it by "or", "and",
    "nor" or a comma.
    """
    scope: list[Mention] = []
    inside = False
    start = _behind_taking(mentions, position + 1)
    for offset, mention in enumerate(mentions[start : start + _FARTHEST], start):
        following = mentions[offset + 1 : offset + 3]
        joins = mention.words in ("or", "and", "nor") or mention.words in NEGATIONS
        if joins and inside:
            if not any(
                m.style is not None or m.kind == "subject" or m.words in NEGATIONS
                for m in following
            ):
                break
            scope.append(mention)
        elif (
            inside
            and mention.after_punctuation
            and not (mention.style is not None and _is_look(scope))
        ):
            break
        elif mention.kind == "function":
            if inside and not joins and mention.words not in _THROUGH:
                break
        elif mention.kind in ("model", "picture") and mention.style is None:
            inside = inside or bool(scope)
        else:
            if (
                inside
                and scope
                and scope[-1].words not in CONJUNCTIONS | NEGATIONS
                and mention.after_punctuation is False
            ):
                adjacent = mention.first == scope[-1].last + 1
                if not adjacent:
                    break
            inside = True
            scope.append(mention)
    return scope


def _is_look(scope: list[Mention]) -> bool:
    """Whether looks are not wanted so far, so that one behind a comma may not be, either: "not
    cartoon, anime"; but "no people, watercolour" is a watercolour.
    """
    return bool(scope) and scope[-1].style is not None


def _behind_taking(mentions: list[Mention], start: int) -> int:
    """Where what is not wanted begins: "don't use | the neon lora"."""
    ahead = enumerate(mentions[start:], start)
    return next((at for at, one in ahead if one.words not in _TAKING), start)
