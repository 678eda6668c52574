"""What a clause is about, where particles stand behind their words (Japanese, Korean)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import dropwhile

from ...lexicon import CARDINALS, KINDS, ORDINALS
from ...lexicon.english import word_set
from ...lexicon.kin import KIN
from ..times.periods import SEASONS
from .bases import is_base
from .breaks import apart
from .reader import Item

NOUNS = frozenset("thing look quality kept name model number".split())
_VERSION = re.compile(r"v?\d+(?:\.\d+)*")
_ORDERED = ORDINALS | {"newest", "oldest", "final"}
"""What is said of one version among others."""
_FASTER = frozenset({"hyper", "turbo", "lightning", "lcm", "dmd"})
"""Words for LoRAs with which a model takes few steps."""
_PICKED = frozenset({"newest", "oldest", "final", "old version", "previous version"})
SEASONAL = word_set("times", "seasonal").union(SEASONS)


def head_first(items: list[Item]) -> list[Item]:
    """What is asked for before what describes it, where particles stand behind their words.

    A chunk ends at a particle, a verb, or the end. What a particle makes part of the scene goes
    behind the rest.
    """
    clause = _Chunks()
    for item in items:
        clause.add(item)
    return clause.in_order()


class _Chunks:
    """The chunks of a clause: what is spoken of, objects of a verb, and the scene."""

    def __init__(self) -> None:
        self.heads: list[list[Item]] = []
        self.objects: list[list[Item]] = []
        self.scene: list[list[Item]] = []
        self.chunk: list[Item] = []

    def add(self, item: Item) -> None:
        """Take the next item of the clause."""
        if item.kind == "mark" and item.english == "in" and _is_a_model(self.chunk):
            self.heads.append([*self.chunk, replace(item, english=",", kind="sign")])
            self.chunk = []
        elif item.kind == "after" or item.english in ("and", "in"):
            self._end_scene(replace(item, kind="after"))
        elif item.kind == "action":
            self.scene += [[word("with", item), *one] for one in self.objects]
            self._end_action(item)
            self.chunk, self.objects = [], []
        elif item.kind == "mark":
            self._end(item)
        else:
            if item.kind == "thing" and _picks([one for one in self.chunk if one.english]):
                self.heads.append(self.chunk)
                self.chunk = [word("in", item)]
            if self.chunk and _is_another(self.chunk, item):
                self.chunk.append(word("and", item))
            self.chunk.append(item)

    def _end_action(self, item: Item) -> None:
        """A verb behind who does it, or before what it is done to."""
        if any(map(says_something, self.heads)):
            said = [item, *self.chunk] if says_something(self.chunk) else [*self.chunk, item]
            self.scene.append(said)
        elif any(one.kind == "name" for one in self.chunk):
            last = max(at for at, one in enumerate(self.chunk) if one.kind == "name")
            self.heads.append(self.chunk[: last + 1])
            self.scene.append([item, *self.chunk[last + 1 :]])
        else:
            self.scene.append([*self.chunk, item])

    def _end_scene(self, item: Item) -> None:
        if item.english == "and":
            self.chunk.append(item)
        elif item.english == "like" and self._end_look(item):
            return
        elif self.chunk and not (item.english == "in" and only_times(self.chunk)):
            divide = _but_what_it_is_for if item.english == "not" else _named_first
            head, rest = divide(self.chunk)
            self.heads += [head] * bool(head)
            self.scene.append([item, *rest])
            self.chunk = []

    def _end_look(self, item: Item) -> bool:
        """Whether what is made of the chunk is a look that all is drawn in."""
        head, look = _look_last(self.chunk)
        if [one.english for one in look] in ([], ["style"]):
            return False
        self.heads += [head] * bool(head)
        self.scene.append([word("in", item), *_styled(look)])
        self.chunk = []
        return True

    def _end(self, item: Item) -> None:
        if item.english == "to":
            if not self.chunk or self.chunk[-1].kind != "name":
                self._end_scene(replace(item, english="in", kind="after"))
                return
            self.heads.append([*self.chunk, replace(item, english=",", kind="sign")])
        elif item.english == "of" and dates(self.chunk):
            self.scene.append([word("from", item), *self.chunk])
        elif item.english == "with" and any(one.english in _FASTER for one in self.chunk):
            self.heads.append([*self.chunk, replace(item, english=",", kind="sign")])
        elif item.english == "with":
            self._end_look(item)
            return
        elif item.english in ("topic", "object"):
            (self.heads if item.english == "topic" else self.objects).append(self.chunk)
        else:
            return
        self.chunk = []

    def in_order(self) -> list[Item]:
        """What the clause is about first: the topic, else its last noun, else the object; base
        models alone last.
        """
        if self.chunk and all(is_base(one.english) for one in self.chunk):
            self.scene.append(self.chunk)
            self.chunk = []
        if self.chunk and any(map(says_something, self.heads)) and not _look_last(self.chunk)[0]:
            self.scene.append([word("in", self.chunk[0]), *self.chunk])
            self.chunk = []
        about = [self.chunk, *self.objects] if says_something(self.chunk) else self.objects
        if says_something(self.chunk) and not any(map(says_something, self.heads)):
            about = [*self.objects, self.chunk]
        rest = [] if says_something(self.chunk) else [self.chunk]
        heads = apart(self.heads)
        return [item for one in (*heads, *about, *rest, *self.scene) for item in one]


def _named_first(chunk: list[Item]) -> tuple[list[Item], list[Item]]:
    """What a chunk says of the model and by name, and the rest: "brisa" and "sea outfit"; of two
    names the last is the rest: "mum" and "madang", of 엄마 마당에서.
    """
    named = [at for at, one in enumerate(chunk) if _is_named(one)]
    while named:
        last = named.pop()
        while any(one.kind == "time" or is_base(one.english) for one in chunk[last + 1 : last + 2]):
            last += 1
        rest = [*dropwhile(lambda one: one.english == "and", chunk[last + 1 :])]
        if says_something(rest):
            return chunk[: last + 1], rest
    return [], chunk


def _but_what_it_is_for(chunk: list[Item]) -> tuple[list[Item], list[Item]]:
    """What a chunk names, and what it says of that: of "dubu flux" that is not meant, the flux; of
    "flux first v2" the v2 alone, as one version is meant and the other not.
    """
    first, versions = len(chunk), 0
    while first and _is_build(chunk[first - 1]):
        versions += _is_version(chunk[first - 1])
        if versions > 1:
            break
        first -= 1
    return (chunk[:first], chunk[first:]) if first < len(chunk) else ([], chunk)


def _is_a_model(chunk: list[Item]) -> bool:
    """Whether a chunk is no place but a model, to which another comes: CB750 sdxl에."""
    build = bool(chunk) and chunk[-1].kind != "time" and _is_build(chunk[-1])
    return build and says_something(chunk[:-1])


def _is_another(chunk: list[Item], item: Item) -> bool:
    """Whether a word names another model beside that of a chunk: a name without a space before it
    (준호준우), or a LoRA for few steps (필름v2 하이퍼8스텝).
    """
    one = chunk[-1]
    if item.kind == "model":
        return item.english in _FASTER and not all(is_base(said.english) for said in chunk)
    words = one.english.isalpha() and item.english.isalpha()
    return words and one.kind == item.kind == "name" and one.end == item.start


def _picks(chunk: list[Item]) -> bool:
    """Whether a chunk ends with which build of what it names is meant: "wife newest"; what follows
    is another thing.
    """
    said = chunk[-1].english if chunk else ""
    numbered = said.startswith("v") and _VERSION.fullmatch(said)
    picked = numbered or said == "steps" or said in _PICKED
    return bool(picked) and says_something(chunk[:-1])


def _is_version(item: Item) -> bool:
    return _VERSION.fullmatch(item.english) is not None or item.english in _ORDERED


def _is_build(item: Item) -> bool:
    if item.kind == "model":
        return item.english not in KINDS
    said = is_base(item.english) or _VERSION.fullmatch(item.english) is not None
    return said or item.kind == "time"


def _look_last(chunk: list[Item]) -> tuple[list[Item], list[Item]]:
    """What stands before the look that a chunk ends with, and that: "dubu" and "my pastel", or
    "dubu" and "my pastel flux v3".
    """
    first = last = _without_builds(chunk)
    while first and (chunk[first - 1].kind == "look" or chunk[first - 1].english == "style"):
        first -= 1
    if first == last:
        return chunk, []
    if first < len(chunk) and not says_something(chunk[:first]):
        first = 0
    return chunk[:first], chunk[first:]


def _styled(look: list[Item]) -> list[Item]:
    """A look with "style" behind it: "newest film photograph style", or "... style flux v3"."""
    end = _without_builds(look)
    picked = [one for one in look[end:] if one.english in _PICKED]
    rest = [one for one in look[end:] if one not in picked]
    style = [word("style", look[end - 1])] * ("style" not in look[end - 1].english)
    return [*picked, *look[:end], *style, *rest]


def _without_builds(chunk: list[Item]) -> int:
    """Where what a chunk ends with says which build of it is meant: its base, its version."""
    last = len(chunk)
    while last and _is_build(chunk[last - 1]):
        last -= 1
    return last


def _is_named(item: Item) -> bool:
    return item.kind in ("made", "name") or item.english in KIN


def says_something(chunk: Sequence[Item]) -> bool:
    """Whether words name something."""
    return any(one.kind in NOUNS - {"quality"} and one.english for one in chunk)


def only_times(chunk: Sequence[Item]) -> bool:
    """Whether words are all of times."""
    said = [one for one in chunk if one.english and one.kind != "mark"]
    times = [one for one in said if one.kind == "time" or one.english.isdigit()]
    return bool(times) and all(one in times or one.english in CARDINALS for one in said)


def dates(chunk: Sequence[Item]) -> bool:
    """Whether words only say when something was made: not "winter", of 冬天的太阳."""
    return only_times(chunk) and any(
        one.english not in SEASONAL for one in chunk if one.english and one.kind != "mark"
    )


def word(english: str, at: Item) -> Item:
    """A small word that the request does not say, where an item of it stands."""
    return Item(english, "small", at.start, at.start)
