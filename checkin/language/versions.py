"""Versions and superlatives in a request: "v7", "the one before v10", "second newest", "highest version"."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial

from ..catalog.card_facts import version_number
from ..lexicon import CARDINALS, FUNCTION, MODEL_WORDS, ORDINAL_NUMBERS
from ..lexicon.english import NEWEST, ON_FROM_THERE, any_of, one_of, phrases, word_set
from .intent import Order, VersionRelation, VersionTerm
from .origins import blank

_one_of = partial(one_of, "orders")
_N = rf"(?:\d+(?:\.\d+)*|{any_of(CARDINALS)})"
_ORD = rf"(?:{any_of(ORDINAL_NUMBERS)}|\d+(?:st|nd|rd|th))"
_NO_VERSION = r"(?!(?:no|nr|number)\b\W*\d{3})"
"""Not before "no. 256", which is what a locomotive is called."""
_SIGN = rf"(?:v\.?\s?(?=\d)|v\s+(?=[a-z])|{_NO_VERSION}{_one_of('signs')}(?:\b|(?=\d))[.:]?\s*(?:no\.?\s*|number\s+)?|#\s?)"
_BARE = r"(?<![\w.:/#])\d+(?:\.\d+)+(?!%)"
_V = rf"(?:{_SIGN}{_N}|{_BARE})"
_VS = rf"(?P<one>{_V})"
_MODEL = any_of(MODEL_WORDS, ["models"])
_NO_COUNT = rf"\d+(?!\d|\s+(?!{any_of(FUNCTION, MODEL_WORDS)}\b)\w)"
"""A number that no thing follows: in "v2 and 3 balloons", 3 is no version."""
_MADE = rf"(?:\s+{_one_of('made')})?"
_OLDEST = rf"(?:very\s+)?{_one_of('oldest')}"
_EXACTLY = rf"(?:{_one_of('exactly')}\s+)?"
_ALONE = word_set("orders", "alone")
_THE_MODEL = rf"(?:(?:the\s+)?{_MODEL}\s+)?"
_NO_PLACE = "".join(rf"(?<!\b{one} the )" for one in phrases("orders", "before a place"))
_OF_TWO = rf"\s+(?:one\s+)?of\s+(?:the\s+|those\s+)?{_one_of('two')}"
_BY_VERSION = r"(?:[\s-]+(?:numbered\s+)?(?:version|build|number))?"


@dataclass(frozen=True)
class Numbered:
    """What was found: the constraints, and the text with their words blanked."""

    versions: tuple[VersionTerm, ...]
    order: Order | None
    text: str
    unhandled: tuple[str, ...]


def _number(text: str) -> tuple[int, ...]:
    word = re.sub(rf"^{_SIGN}", "", text.strip())
    return (CARDINALS[word],) if word in CARDINALS else version_number(word)


def _nth(text: str) -> int:
    return ORDINAL_NUMBERS.get(text) or int(re.sub(r"\D", "", text)[:9])


_Table = tuple[tuple[re.Pattern[str], VersionRelation], ...]


def _table(rows: tuple[tuple[str, VersionRelation], ...]) -> _Table:
    return tuple(
        (re.compile(rf"(?<![\w.]){pattern}(?!\w)"), relation) for pattern, relation in rows
    )


# (pattern, relation): how a request stands to a version that it names.
_RELATIONS = _table(
    (
        (rf"(?:between|from)\s+{_V}\s+(?:and|to|until)\s+(?:{_V}|\d+)", "between"),
        (rf"{_one_of('than', 'above')}\s+than\s+{_VS}", "above"),
        (rf"{_one_of('than', 'below')}\s+than\s+{_VS}", "below"),
        (
            rf"versions?\s+(?:{any_of(phrases('orders', 'beyond'), phrases('orders', 'behind'))}|"
            rf"{_one_of('than', 'above')}\s+than)\s+(?P<one>{_N})",
            "above",
        ),
        (
            rf"versions?\s+(?:{_one_of('short of')}|{_one_of('than', 'below')}\s+than)\s+(?P<one>{_N})",
            "below",
        ),
        (rf"{_one_of('beyond')}\s+{_VS}", "above"),
        (rf"{_one_of('short of')}\s+{_VS}", "below"),
        (rf"{_VS}\s+(?:or|and)\s+{_one_of('or later')}", "at least"),
        (rf"(?:since|from)\s+{_VS}\s+(?:{_one_of('onwards')}|{ON_FROM_THERE})", "at least"),
        (rf"{_one_of('at least')}\s+{_VS}", "at least"),
        (rf"{_VS}\s+(?:or|and)\s+{_one_of('or earlier')}", "at most"),
        (rf"{_one_of('at most')}\s+{_VS}", "at most"),
        (rf"{_THE_MODEL}{_EXACTLY}{_one_of('just before')}\s+{_VS}", "just before"),
        (rf"{_THE_MODEL}{_EXACTLY}{_one_of('just after')}\s+{_VS}", "just after"),
    )
)
_NAMED = _table(
    (
        (rf"(?P<ord>{_ORD})\s+{_MODEL}", "nth"),
        (rf"{_NO_PLACE}(?P<ord>{_ORD})(?=\s+(?P<thing>\w+))", "nth"),
        (rf"{_VS}(?:\s*(?:,|or|and|/|&)\s*(?:{_V}|{_NO_COUNT}))*", "is"),
    )
)
_UNWANTED = any_of(phrases("words", "not before"), phrases("words", "disliked"))
_NOT = re.compile(rf"\b{_UNWANTED}(?:\s+for)?(?:\s+the)?(?:\s+of)?\s*$")

_THE = r"(?:(?:the|my|her|his|their|our)\s+)?"
_OLDER = re.compile(
    rf"\b(?:(?:but\s+)?(?:not|never)\s+(?P<newest>{_THE}(?:{NEWEST}(?:\s+{_MODEL})?|"
    rf"(?:{_one_of('new')}|{_one_of('last')})\s+{_MODEL}))|(?:an|some)\s+{_one_of('earlier of two')}\s+{_MODEL}|"
    rf"the\s+(?:older|earlier)(?:\s+{_MODEL}|(?=\s*(?:$|[,;.])))|"
    rf"{_THE}{_one_of('not the newest')})(?!\w)"
)
"""What leaves out the newest: "not the latest", "but an older version", "the old version"."""

_HIGHEST, _LOWEST = Order("", by="version"), Order("", False, by="version")
_ENDS = rf"(?:\s+{_MODEL}(?!\w)|(?=\s*(?:$|[,.;:!?\n]))|(?=\s+{_one_of('after a model')}\b))"
"""What may follow an order that stands for a model: "before the last", but no "last supper"."""
_VERSION = rf"[\s-]+(?:numbered\s+)?{_one_of('by version')}(?:\s+number)?"
_A_MODEL = rf"(?:{_MODEL}\s+)?"
_JUST = r"(?:right\s+|just\s+)?"

# (pattern, order). A pattern that ends with NOUN holds only before a thing or a model.
_ORDERS: tuple[tuple[re.Pattern[str], Order, bool], ...] = tuple(
    (
        re.compile(rf"(?<![\w'-])(?:{pattern.removesuffix(' NOUN')})(?![\w'])"),
        order,
        pattern.endswith(" NOUN"),
    )
    for pattern, order in (
        (rf"(?P<ord>{_ORD}|next)[\s-]+{_one_of('counted highest')}{_BY_VERSION}", _HIGHEST),
        (rf"(?P<ord>{_ORD}|next)[\s-]+{_one_of('counted lowest')}{_BY_VERSION}", _LOWEST),
        (rf"{_one_of('highest')}{_VERSION}", _HIGHEST),
        (r"highest", _HIGHEST),
        (rf"{_one_of('lowest')}{_VERSION}", _LOWEST),
        (r"lowest", _LOWEST),
        (
            rf"(?P<ord>{_ORD}|next)[\s-]+(?:(?:to|from)[\s-]+(?:the[\s-]+)?)?"
            rf"{_one_of('counted newest')}{_MADE}",
            Order(""),
        ),
        (rf"(?P<ord>{_ORD}|next)[\s-]+{_one_of('counted oldest')}{_MADE}", Order("", False)),
        (_one_of("second newest"), Order("", n=2)),
        (_one_of("third newest"), Order("", n=3)),
        (
            rf"{_A_MODEL}{_JUST}{_one_of('before the last')}\s+(?:the\s+)?{_one_of('the last')}"
            rf"{_ENDS}",
            Order("", n=2),
        ),
        (
            rf"{_A_MODEL}{_JUST}after\s+(?:the\s+)?{_one_of('the first')}{_ENDS}",
            Order("", False, n=2),
        ),
        (_one_of("earlier of two") + _OF_TWO, Order("", False)),
        (_one_of("later of two") + _OF_TWO, Order("")),
        (rf"{_one_of('previous')} NOUN", Order("", n=2)),
        (NEWEST + _MADE, Order("")),
        (rf"{_one_of('just made')}\s+{_one_of('made')}", Order("")),
        (rf"{_one_of('made')}\s+{_one_of('now')}", Order("")),
        (rf"{_one_of('new')} NOUN", Order("")),
        (rf"{_one_of('last')} NOUN", Order("")),
        (_OLDEST + _MADE, Order("", False)),
        (rf"(?<=\bthe )(?<!\bnot the )(?<!\bno the ){_one_of('as the oldest')}", Order("", False)),
        (
            rf"{_one_of('first')}(?!\s+person\s+(?:view|perspective)) NOUN",
            Order("", False),
        ),
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
    older, text = _find_older(text)
    text, order = _find_order(text, is_thing, unhandled)
    named, text = _find_relations(text, _NAMED, numbers, is_thing)
    return Numbered((*related, *older, *named), order, text, tuple(unhandled))


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
            text = blank(text, negation.start() if negation else match.start(), match.end())
    return found, text


def _find_older(text: str) -> tuple[list[VersionTerm], str]:
    """What leaves out the newest build, and the text with its words blanked."""
    words = ""
    while match := _OLDER.search(text):
        words = words or re.sub(r"\s+", " ", match["newest"] or "the newest")
        text = blank(text, match.start(), match.end())
    return [VersionTerm(words, "newest", (), negated=True)] if words else [], text


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
                text = blank(text, negation.start(), match.end())
                continue
            nth = match.groupdict().get("ord")
            found = replace(
                meaning, words=words, n=2 if nth == "next" else _nth(nth) if nth else meaning.n
            )
            if order is None:
                order = found
            elif (order.newest, order.n) != (found.newest, found.n):
                unhandled.append(words)
            text = blank(text, match.start(), match.end())
    return text, order


def _stands_alone(words: str, rest: str) -> bool:
    """Whether "last" or "first" stands alone for "the last one": at the end, before "I trained" or
    "of me".
    """
    behind = r"\s*$|\s+(?:i|we|that)\b|\s+of\s+(?!(?:all|us)\b)"
    return words in _ALONE and bool(re.match(behind, rest))
