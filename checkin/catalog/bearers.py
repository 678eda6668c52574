"""Models of one person or thing that are called in two ways: me.safetensors and brandi_flux, both
trained on "br4ndi woman".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache

import numpy as np

from ..lexicon import with_hypernyms
from ..lexicon.abroad import abroad
from ..lexicon.english import word_set
from ..lexicon.kin import KIN
from ..lexicon.spelling import is_english, stems
from .cards import Card
from .columns import Array, CategoricalColumn, MultiValueColumn

_SELF = word_set("kin", "self") | {"face"}
_OF_SELF = _SELF | {"my", "own"}
PETS = frozenset({"dog", "cat", "horse"})
_PETS = frozenset((one,) for one in PETS)
_ANY_PET = frozenset({("being",), ("animal",), ("pet",)})
_RARE = frozenset("ohwx sks zwx zkz tok p3r5on txcl cjw ukj xyz trigger token".split())
"""Tokens that many people train anything on."""
_LETTERS = str.maketrans("4310578", "aeiosto")
"""Digits for letters, in made-up triggers."""
OF_BASES = "of bases: "
"""Before the trigger of one that may be called otherwise for each base model."""
_LEAST = 3
"""Letters of a made-up trigger; a word of several may have two: "tom_br"."""
_ALIKE = 3
"""How many letters of a name tell whether it is like a trigger."""


def bearers_of(card: Card, called: Sequence[str], identity: Collection[str]) -> frozenset[str]:
    """Keys of whom or what a LoRA is of, where its file name says nothing besides: its own made-up
    trigger, and "me". Empty for one that was downloaded, or has further names or things in its
    name: me_pregnant, of twins. The trigger of a thing or a style is a key for `joined`, too.
    """
    if card.kind != "lora" or card.origin == "downloaded" or not called:
        return frozenset()
    if _OF_SELF.issuperset(called) and not _SELF.isdisjoint(called):
        return frozenset({"me", _own_trigger(card)} - {""})
    trigger = _own_trigger(card)
    if not trigger or _has_other_names(identity, called, trigger):
        return frozenset()
    words = trigger.split()
    left = [one for one in called if one not in _OF_SELF and one not in KIN and one not in words]
    left = _without_breeds([one for one in left if one not in stems(card.triggers[0])])
    only = not left or (len(left) == 1 and _is_like(left[0], words))
    of_thing = not any(map(_is_being, stems(card.triggers[0])))  # "dusty_beard" is another dusty
    return frozenset([*([trigger] if only else []), *([OF_BASES + trigger] if of_thing else [])])


def joined(
    lineages: Array, bearers: MultiValueColumn, called: CategoricalColumn, bases: Array
) -> Array:
    """int64 [cards]: the lineages, one for all that have a bearer in common, and for those of one
    trigger that are called otherwise for each base model: hooked_rug_flux and rughook_zit. Where
    one base model has several, or two share a word, they are of different things: pip_hat and
    pip_coat.

    `lineages`, int64 [cards]; `bearers`, keys of each card; `called`, the words of each name;
    `bases`, int [cards].
    """
    found = lineages.copy()
    keys = sorted(bearers.values, key=lambda key: key.startswith(OF_BASES))
    for key in keys:
        cards = bearers.cards_of(key)
        these = np.unique(found[cards])
        if len(these) < 2:
            continue
        of_bases = np.unique(np.stack([bases[cards], found[cards]]), axis=1)[0]
        names = {frozenset(called[card]) for card in cards.tolist()}
        words = [word for name in names for word in name]
        alike = len({*words}) == len(words) and len(np.unique(of_bases)) == len(of_bases)
        if alike or not key.startswith(OF_BASES):
            found[np.isin(found, these)] = these[0]
    return found


def _own_trigger(card: Card) -> str:
    """The words of the first trigger but for what kind of being it is; "" if none is made up."""
    said = [one for one in stems(card.triggers[0]) if not _is_being(one)] if card.triggers else []
    long = [one for one in said if len(one) >= _LEAST or (one.isalpha() and len(said) > 1)]
    made_up = [one for one in long if len(one) > 1 and _is_strange(one) and one not in _RARE]
    return " ".join(said) if made_up and not _RARE & {*said} else ""


def _without_breeds(words: list[str]) -> list[str]:
    """The words of a name but for a breed, which tells no other one as "puppy" does."""
    for size in (2, 1):
        for at in range(len(words) - size, -1, -1):
            breed = tuple(words[at : at + size])
            kinds = with_hypernyms(breed)
            if _PETS & kinds and kinds - _PETS - _ANY_PET:
                del words[at : at + size]
    return words


def _is_being(word: str) -> bool:
    return ("being",) in with_hypernyms((word,)) or word in _people_abroad()


@cache
def _people_abroad() -> frozenset[str]:
    """What trainers put behind the trigger of a person, in other languages: "homme"."""
    people = (abroad((one,)) for one in ("man", "woman", "boy", "girl"))
    return frozenset(words[-1] for some in people for _, words in some)


def _is_strange(word: str) -> bool:
    return word.isascii() and not is_english(word)


def _is_like(word: str, trigger: Iterable[str]) -> bool:
    """Whether a name begins as a word of a trigger does, but for vowels: dan, of "dnl33ds"."""
    start = _sounded(word[:_ALIKE])
    return any(_sounded(one.translate(_LETTERS)).startswith(start) for one in trigger)


def _sounded(word: str) -> str:
    return word[:1] + "".join(one for one in word[1:] if one not in "aeiouy")


def _has_other_names(identity: Collection[str], called: Collection[str], trigger: str) -> bool:
    """Whether it says more names than that of its file and its trigger."""
    further = (one for one in identity if one not in called and one not in trigger)
    return any(one.isalpha() and len(one) > 2 and _is_strange(one) for one in further)
