"""Cuts a prompt of several subjects into one text for each: "pip in a red hat next to juno on a
sofa" says "pip in a red hat on a sofa" and "juno on a sofa".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..lexicon import STYLES
from ..lexicon.english import one_of, word_set
from ..lexicon.spelling import split
from .origins import Span

_LINK = re.compile(rf"(?<!\w){one_of('beside', 'links')}(?!\w)", re.IGNORECASE)
_STOP = re.compile(r"[,;&+/]")
_JOIN = re.compile(rf"(?<!\w){one_of('beside', 'joins')}(?!\w)", re.IGNORECASE)
_RIGHT_OF = re.compile(one_of("beside", "right of"), re.IGNORECASE)
_SIDES = {
    side: re.compile(rf",?\s*(?<!\w){one_of('beside', name)}(?!\w)", re.IGNORECASE)
    for side, name in ((-1, "left"), (1, "right"))
}
_HAS = re.compile(rf"\s+{one_of('beside', 'has')}(?!\w)", re.IGNORECASE)
_MAY_HAVE = re.compile(rf"\s+{one_of('beside', 'may have')}(?!\w)", re.IGNORECASE)
_OWN = word_set("beside", "own")
_CLAUSE = re.compile(
    rf".*?(?=[,;.:!?\n]|\s{one_of('words', 'function', 'prepositions')}(?!\w)|$)",
    re.IGNORECASE | re.DOTALL,
)
_TOGETHER = re.compile(rf"\s*(?<!\w){one_of('beside', 'together')}(?!\w)", re.IGNORECASE)
_SHARED = re.compile(r".*(?:[,;:.\n]|\bof\b)", re.IGNORECASE | re.DOTALL)
"""Before the first subject: "a photo of", after which its own words follow."""
_OF = re.compile(r"\bof\b", re.IGNORECASE)
_LOOSE = re.compile(r"^[\s,;]+|[\s,;]+$|(?<=[,;])(?:\s*[,;])+|\s+(?=[,;])")


@dataclass(frozen=True)
class Own:
    """What a prompt says of one of its subjects."""

    text: str
    """The prompt without what is said of the others."""
    rank: float
    """The subject with the least one stands left."""


def are_linked(prompt: str, first: Span, second: Span) -> bool:
    """Whether two neighbours stand apart: "pip next to juno", but not "pip holding the mug"."""
    between = prompt[first[1] : second[0]]
    return bool(_LINK.search(between) or _STOP.search(between))


def own_texts(
    prompt: str,
    spans: Sequence[Span],
    others: Sequence[Sequence[Span]],
    whole: Sequence[Span] = (),
) -> list[Own]:
    """What a prompt says of each of its subjects, which stand at `spans`, in order and apart.

    `others` are, for each, the places where it is named once more; `whole` those of words for the
    whole picture, such as a style.
    """
    begins = spans[0][0]
    shared, lead = _before(
        prompt[:begins], max((end for _, end in whole if end <= begins), default=0)
    )
    own, tail = _behind(prompt[spans[-1][1] :])
    leads, owns, ranks = [lead], [], [0.0]
    for first, second in pairwise(spans):
        said, link, following = _between(prompt[first[1] : second[0]])
        owns.append(said)
        leads.append(following)
        ranks.append(ranks[-1] + (-0.5 if _RIGHT_OF.fullmatch(link) else 1))
    owns.append(own)
    if any(map(_names_look, leads[1:])):  # "a photo of pip and a sketch of juno"
        shared, leads[0] = "", shared + lead
    named = {prompt[start:end] for places in others for start, end in places}
    found = []
    for place, (start, end) in enumerate(spans):
        mine = {prompt[a:b] for a, b in others[place]}
        gone = sorted(named - mine, key=len, reverse=True)
        said, side = _side(owns[place])
        around = [_without(part, gone) for part in (shared, tail)]
        text = f"{around[0]} {leads[place]}{prompt[start:end]}{said} {around[1]}"
        found.append(Own(_tidied(text), ranks[place] + side * len(spans)))
    return [one if _is_whole(one.text) else Own(prompt, one.rank) for one in found]


def _before(text: str, least: int) -> tuple[str, str]:
    """What stands before the first subject: words of the whole picture, and its own."""
    shared = _SHARED.match(text)
    end = max(least, shared.end() if shared else 0)
    return text[:end], text[end:]


def _between(text: str) -> tuple[str, str, str]:
    """What stands between two subjects: of the first, what links them, of the second.

    Without a link, all of it is said of both together.
    """
    found = next(filter(None, ([*one.finditer(text)] for one in (_LINK, _STOP, _JOIN))), None)
    if found is None:
        return "", "", ""
    link = found[-1]
    return text[: link.start()], link[0], text[link.end() :]


def _behind(text: str) -> tuple[str, str]:
    """What stands behind the last subject: its own words, and those of the whole picture."""
    text, own = _TOGETHER.sub("", text), ""
    for side in _SIDES.values():
        if found := side.match(text):
            own, text = found[0], text[found.end() :]
    while found := _HAS.match(text) or _MAY_HAVE.match(text):
        clause = _CLAUSE.match(text, found.end())
        assert clause
        if not _HAS.match(text) and not {word.stem for word in split(clause[0])} & _OWN:
            break
        own, text = own + text[: clause.end()], text[clause.end() :]
    return own, text


def _names_look(lead: str) -> bool:
    """Whether the words before a subject say how it is drawn: "a sketch of", "a cartoon"."""
    return bool(_OF.search(lead)) or any((word.stem,) in STYLES for word in split(lead))


def _side(own: str) -> tuple[str, int]:
    """The words of a subject without those that say on which side it stands, and the side."""
    for side, pattern in _SIDES.items():
        if pattern.search(own):
            return pattern.sub("", own), side
    return own, 0


def _without(text: str, names: Sequence[str]) -> str:
    for name in names:
        text = text.replace(name, "")
    return text


def _tidied(text: str) -> str:
    return _LOOSE.sub("", " ".join(text.split()))


def _is_whole(text: str) -> bool:
    """Whether each weight that is opened is closed, too."""
    plain = re.sub(r"\\.", "", text)
    return plain.count("(") == plain.count(")")
