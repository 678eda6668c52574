"""Versions and superlatives in a request: "v7", "the one before v10", "second newest", "highest version"."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from ..catalog.card_facts import version_number
from ..lexicon import MODEL_WORDS
from .intent import Order, VersionRelation, VersionTerm

_WORDS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
_NUMBERS = {word: number for number, word in enumerate(_WORDS.split(), 1)}
_ORDINALS = {
    word: number
    for number, word in enumerate(
        (
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
        ).split(),
        1,
    )
}
_N = rf"(?:\d+(?:\.\d+)*|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_ORD = rf"(?:{'|'.join(_ORDINALS)}|\d+(?:st|nd|rd|th))"
_SIGN = r"(?:v\.?\s?(?=\d)|v\s+(?=[a-z])|(?:versions?|vers?|revision|rev|release|iteration|build|edition|epoch|number|no|nr)(?:\b|(?=\d))[.:]?\s*(?:no\.?\s*|number\s+)?|#\s?)"
_BARE = r"(?<![\w.:/#])\d+(?:\.\d+)+(?!%)"
_V = rf"(?:{_SIGN}{_N}|{_BARE})"
_VS = rf"(?P<one>{_V})"
_MODEL = "|".join(sorted((MODEL_WORDS - {"one"}) | {"one", "models"}, key=len, reverse=True))
_MADE = r"(?:\s+(?:trained|created|made|built|added|finished|updated|saved|uploaded|generated))?"

_NEWEST = (
    r"(?:very\s+)?(?:newest|latest|most\s+recent(?:ly)?|freshest|youngest|recently|recent|most\s+up[- ]to[- ]date|up[- ]to[- ]date|"
    r"most\s+current|newer|lately)"
)
_OLDEST = r"(?:very\s+)?(?:oldest|earliest|least\s+recent(?:ly)?|very\s+first)"


@dataclass(frozen=True)
class Numbered:
    """What was found: the constraints, and the text with their words blanked."""

    versions: tuple[VersionTerm, ...]
    order: Order | None
    text: str
    unhandled: tuple[str, ...]


def _number(text: str) -> tuple[int, ...]:
    word = re.sub(rf"^{_SIGN}", "", text.strip())
    return (_NUMBERS[word],) if word in _NUMBERS else version_number(word)


def _nth(text: str) -> int:
    return _ORDINALS.get(text) or int(re.sub(r"\D", "", text))


_Table = tuple[tuple[re.Pattern[str], VersionRelation], ...]


def _table(rows: tuple[tuple[str, VersionRelation], ...]) -> _Table:
    return tuple(
        (re.compile(rf"(?<![\w.]){pattern}(?!\w)"), relation) for pattern, relation in rows
    )


# (pattern, relation): how a request stands to a version that it names.
_RELATIONS = _table(
    (
        (rf"(?:between|from)\s+{_V}\s+(?:and|to|until)\s+(?:{_V}|\d+)", "between"),
        (rf"(?:newer|later|higher|above|greater|more\s+recent)\s+than\s+{_VS}", "above"),
        (rf"(?:older|earlier|lower|below|less)\s+than\s+{_VS}", "below"),
        (
            rf"versions?\s+(?:above|over|beyond|after|(?:newer|later|higher)\s+than)\s+(?P<one>{_N})",
            "above",
        ),
        (rf"versions?\s+(?:below|under|(?:older|earlier|lower)\s+than)\s+(?P<one>{_N})", "below"),
        (rf"(?:above|over|beyond)\s+{_VS}", "above"),
        (rf"(?:below|under)\s+{_VS}", "below"),
        (
            rf"{_VS}\s+(?:or|and)\s+(?:later|newer|higher|above|up|upwards?|onwards?|after)",
            "at least",
        ),
        (rf"(?:since|from)\s+{_VS}\s+(?:on|onwards?|up|upwards?)", "at least"),
        (rf"(?:at\s+least|since)\s+{_VS}", "at least"),
        (rf"{_VS}\s+(?:or|and)\s+(?:earlier|older|lower|below|before|down)", "at most"),
        (rf"(?:up\s+to|until|at\s+most)\s+{_VS}", "at most"),
        (
            rf"(?:(?:the\s+)?(?:{_MODEL})\s+)?(?:right\s+|just\s+|immediately\s+|directly\s+)?"
            rf"(?:before|preceding|prior\s+to|previous\s+to|that\s+came\s+before)\s+{_VS}",
            "just before",
        ),
        (
            rf"(?:(?:the\s+)?(?:{_MODEL})\s+)?(?:right\s+|just\s+|immediately\s+|directly\s+)?"
            rf"(?:after|following|that\s+came\s+after|succeeding)\s+{_VS}",
            "just after",
        ),
    )
)
_NAMED = _table(
    (
        (rf"(?P<ord>{_ORD})\s+(?:{_MODEL})", "nth"),
        (rf"(?P<ord>{_ORD})(?=\s+(?P<thing>\w+))", "nth"),
        (rf"{_VS}(?:\s*(?:,|or|and|/|&)\s*(?:{_V}|\d+))*", "is"),
    )
)
_NOT = re.compile(
    r"(?:\bnot|\bno|\bexcept|\bwithout|\bisn't|\bbut\s+not|\bdon't\s+want)(?:\s+for)?(?:\s+the)?(?:\s+of)?\s*$"
)

# (pattern, order). A pattern that ends with NOUN holds only before a thing or a model.
_ORDERS: tuple[tuple[re.Pattern[str], Order, bool], ...] = tuple(
    (
        re.compile(rf"(?<![\w'-])(?:{pattern.removesuffix(' NOUN')})(?![\w'])"),
        order,
        pattern.endswith(" NOUN"),
    )
    for pattern, order in (
        (
            rf"(?P<ord>{_ORD}|next)[\s-]+(?:highest|largest|top)(?:[\s-]+(?:numbered\s+)?(?:version|build|number))?",
            Order("", by="version"),
        ),
        (
            rf"(?P<ord>{_ORD}|next)[\s-]+lowest(?:[\s-]+(?:numbered\s+)?(?:version|build|number))?",
            Order("", False, by="version"),
        ),
        (
            r"(?:highest|largest|biggest|top|max(?:imum)?)[\s-]+(?:numbered\s+)?(?:version|build|number|v)(?:\s+number)?",
            Order("", by="version"),
        ),
        (r"highest", Order("", by="version")),
        (
            r"(?:lowest|smallest|min(?:imum)?)[\s-]+(?:numbered\s+)?(?:version|build|number|v)(?:\s+number)?",
            Order("", False, by="version"),
        ),
        (r"lowest", Order("", False, by="version")),
        (
            rf"(?P<ord>{_ORD}|next)[\s-]+(?:(?:to|from)[\s-]+(?:the[\s-]+)?)(?:last|latest|newest)",
            Order(""),
        ),
        (
            rf"(?P<ord>{_ORD}|next)[\s-]+(?:newest|latest|most\s+recent(?:ly)?|youngest|last){_MADE}",
            Order(""),
        ),
        (rf"(?P<ord>{_ORD}|next)[\s-]+(?:oldest|earliest){_MADE}", Order("", False)),
        (r"(?:last|latest|newest)\s+but\s+one|penultimate|next\s+to\s+last", Order("", n=2)),
        (r"(?:last|latest|newest)\s+but\s+two|antepenultimate", Order("", n=3)),
        (
            rf"(?:(?:{_MODEL})\s+)?(?:right\s+|just\s+)?(?:before|prior\s+to|preceding)\s+(?:the\s+)?"
            rf"(?:latest|newest|last|current|most\s+recent)(?:\s+(?:{_MODEL}))?",
            Order("", n=2),
        ),
        (
            rf"(?:(?:{_MODEL})\s+)?(?:right\s+|just\s+)?after\s+(?:the\s+)?(?:first|oldest|earliest)(?:\s+(?:{_MODEL}))?",
            Order("", False, n=2),
        ),
        (
            r"(?:earlier|older|first)\s+(?:one\s+)?of\s+(?:the\s+|those\s+)?(?:two|both|pair)",
            Order("", False),
        ),
        (
            r"(?:later|newer|last|more\s+recent)\s+(?:one\s+)?of\s+(?:the\s+|those\s+)?(?:two|both|pair)",
            Order(""),
        ),
        (r"(?:previous|prior) NOUN", Order("", n=2)),
        (rf"{_NEWEST}{_MADE}", Order("")),
        (
            r"just\s+(?:now\s+)?(?:finished\s+)?(?:trained|training|created|made|built|added|finished)",
            Order(""),
        ),
        (r"(?:trained|created|made|built|added|finished)\s+(?:last|just\s+now)", Order("")),
        (
            r"(?:new|current|fresh|updated|final|freshly\s+trained|newly\s+(?:trained|made|created)) NOUN",
            Order(""),
        ),
        (r"last NOUN", Order("")),
        (rf"{_OLDEST}{_MADE}", Order("", False)),
        (r"(?:first(?!\s+person\s+(?:view|perspective))|original|initial) NOUN", Order("", False)),
    )
)


def find_versions(
    text: str, is_thing: Callable[[str], bool], numbers: Collection[tuple[int, ...]] = frozenset()
) -> Numbered:
    """Versions and the superlative in a plain text in lower case, out of which times are blanked already.

    `is_thing` says whether a word is a model word, a subject or a look: "last" and "new" are superlatives before these.
    `numbers` are the versions that there are: only one of these may stand bare ("rosa 1.1").
    """
    unhandled: list[str] = []
    related, text = _find_relations(text, _RELATIONS, numbers, is_thing)
    text, order = _find_order(text, is_thing, unhandled)
    named, text = _find_relations(text, _NAMED, numbers, is_thing)
    return Numbered((*related, *named), order, text, tuple(unhandled))


def _find_relations(
    text: str, table: _Table, known: Collection[tuple[int, ...]], is_thing: Callable[[str], bool]
) -> tuple[list[VersionTerm], str]:
    """The versions that fit a table, and the text with their words blanked."""
    found = []
    for pattern, relation in table:
        position = 0
        while match := pattern.search(text, position):
            position = match.end()
            thing = match.groupdict().get("thing")
            if thing and not is_thing(thing):
                continue
            if any(version_number(bare) not in known for bare in re.findall(_BARE, match.group())):
                continue
            negation = _NOT.search(text[: match.start()])
            words = re.sub(r"\s+", " ", match.group())
            if relation == "nth":
                numbers: tuple[tuple[int, ...], ...] = ((_nth(match["ord"]),),)
            elif relation in ("is", "between"):
                numbers = tuple(
                    _number(one) for one in re.findall(rf"{_V}|\d+(?:\.\d+)*", match.group())
                )
            else:
                numbers = (_number(match["one"]),)
            found.append(VersionTerm(words, relation, numbers, negation is not None))
            text = _blank(text, negation.start() if negation else match.start(), match.end())
    return found, text


def _find_order(
    text: str, is_thing: Callable[[str], bool], unhandled: list[str]
) -> tuple[str, Order | None]:
    """The superlative that ranks first in the table; others that mean the same are blanked with it."""
    order: Order | None = None
    for pattern, meaning, before_noun in _ORDERS:
        position = 0
        while match := pattern.search(text, position):
            position = match.end()
            words, rest = re.sub(r"\s+", " ", match.group()), text[match.end() :]
            following = re.match(r"\s+([\w-]+)", rest)
            if (
                before_noun
                and not (following and is_thing(following.group(1)))
                and not _stands_alone(words, rest)
            ):
                continue
            if negation := _NOT.search(text[: match.start()]):
                unhandled.append(f"{negation.group().strip()} {words}")
                text = _blank(text, negation.start(), match.end())
                continue
            nth = match.groupdict().get("ord")
            found = replace(
                meaning, words=words, n=2 if nth == "next" else _nth(nth) if nth else meaning.n
            )
            if order is None:
                order = found
            elif (order.newest, order.n) != (found.newest, found.n):
                unhandled.append(words)
            text = _blank(text, match.start(), match.end())
    return text, order


def _stands_alone(words: str, rest: str) -> bool:
    """Whether "last" or "first" stands alone for "the last one": at the end, or before "I trained"."""
    return words in ("last", "first", "previous") and bool(
        re.match(r"\s*$|\s+(?:i|we|that)\b", rest)
    )


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + re.sub(r"[^,;:!?\n]", " ", text[start:end]) + text[end:]
