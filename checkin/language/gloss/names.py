"""The names of a library: which words are names, and names in other letters ("ロサ" for "rosa")."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from difflib import SequenceMatcher

from ...catalog.subject_key import only_names
from ...catalog.vocabulary import Vocabulary
from ...lexicon.languages import Dictionary, Profile
from ...lexicon.readings import initials, is_hangul
from ...lexicon.sounds import as_it_sounds, sound_of
from ...lexicon.spelling import is_english, singular

_ALIKE_FROM, _ALIKE_IN_HANGUL = 0.7, 0.9
"""The least similarity of two spellings of one name, of 1; Hangul says its vowels: 민수 (minsu) is
no Minseo.
"""


_CALLED = "이"
"""What stands behind a short name of somebody in Korean: 별이, of "byeol"."""
_HIRAGANA = re.compile("[\u3041-\u309f\u30fc]+")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_KANJI = re.compile("[\u3005\u4e00-\u9fff]")
_SMALL = frozenset({"small", "after"})
_NO_LETTER = re.compile(r"[^\w ]")
_NO_HANGUL = re.compile("[^\uac00-\ud7a3]")
_BEHIND_A_NAME = frozenset({"mark", "after"})
_LINK = "으"
"""What joins a particle to a word: 필름으로."""
_LONG = 3
"""The syllables of a word that is a name as it sounds whatever stands behind it."""
_LEAST_SHORT, _MOST_SHORT = 3, 6
_NEAR = 5
"""The most letters beside a name that may be a word of their own."""
_IN_TWO_LETTERS = re.compile("[äöüß]")


def is_name(word: str, vocabulary: Vocabulary) -> bool:
    """Whether some model is called by this word alone, and it says nothing of what the model is."""
    word = _as_in_names(word)
    keys = vocabulary.subject((word,))
    if keys:
        return only_names(keys)
    return (word,) in vocabulary.personal.columns.called.values_set or bool(vocabulary.named(word))


def stands_in_names(word: str, vocabulary: Vocabulary) -> bool:
    """Whether a word that is no English one stands in the name or triggers of some model."""
    word = _as_in_names(word)
    return word in vocabulary.personal.columns.identity.values_set and not is_english(word)


def _as_in_names(word: str) -> str:
    """The word as names of files have it; one that they spell in two ways (ä, ae) as it is."""
    return word if _IN_TWO_LETTERS.search(word) else singular(word)


def name_read(
    word: str, language: Profile, words: Dictionary, vocabulary: Vocabulary
) -> str | None:
    """The name that a word in signs is read as: "sayo" for 小夜; None where there is none.

    A word that means something gives way to a name by which a model is called; one sign to none,
    but where a folder of that name tells which models are meant. Kanji alone look Chinese.
    """
    named = vocabulary.called_by_folder.get(word)
    if named and (len(word) < 2 or word not in words.entries):
        return named
    if word.isascii() or (word in words.entries and len(word) < 2):
        return None
    codes = {"ja": ("ja",), "zh": ("zh", "ja"), "ko": ("ko",)}.get(language.code, ())
    bare = word.removesuffix(_CALLED) if language.joined and len(word) == 2 else word
    read = [vocabulary.names_to_read[code] for code in codes]
    for one in dict.fromkeys((word, bare)):
        means = one in words.entries or len(one) < len(word)
        found = (name for names in read for name in names.alike(one, means))
        if name := next((name for name in found if not means or is_name(name, vocabulary)), None):
            return name
    return _in_short(word, words, vocabulary) if language.code == "zh" else None


def name_heard(
    text: str, at: int, stop: int, words: Dictionary, vocabulary: Vocabulary
) -> str | None:
    """The English name that Korean writes as it sounds, or letter by letter, in text[at:stop]:
    "juggernaut" for 저거너트, "cb750" for 씨비750. It begins a word; a short one is all of it, but
    for its particle.
    """
    word = text[at:stop]
    if word in words.entries or word.endswith(_LINK) or text[at - 1 : at].isalnum():
        return None
    if text[stop - 1 : stop + 1].isdigit() and stop < len(text):
        return None
    behind = _NO_HANGUL.split(text[stop:], maxsplit=1)[0]
    rest = words.entries.get(behind)
    if len(word) < _LONG and behind and (rest is None or rest.kind not in _BEHIND_A_NAME):
        return None
    return next((one for names in vocabulary.heard for one in names.alike(word)), None)


def _in_short(word: str, words: Dictionary, vocabulary: Vocabulary) -> str | None:
    """A name in Chinese by the initials of its pinyin, or by somebody's given name alone."""
    short = abbreviated(word, vocabulary)
    if word in words.entries:
        return short if short and is_name(short, vocabulary) else None
    return short or vocabulary.names_to_read["zh"].given(word)


def abbreviated(word: str, vocabulary: Vocabulary) -> str | None:
    """The abbreviation by pinyin in the names of a library that a word is spelt in full: "mmq", of
    three letters or digits or more.
    """
    if not _LEAST_SHORT <= len(word) <= _MOST_SHORT:
        return None
    named = vocabulary.personal.columns.identity.values_set
    short = sorted(initials(word) & named)
    return next((one for one in short if not is_english(one)), None)


def stands_apart(text: str, at: int, stop: int, words: Dictionary) -> bool:
    """Whether text[at:stop] in signs may be a word of its own: no two words side by side, and no
    part of a longer one.

    里喝 is none in 茶室里喝茶, 放課 in 放課後, 雪か in 雪かき; 陽菜 is one before 水着, a word.
    """
    word = text[at:stop]
    before = _NO_LETTER.split(text[max(0, at - _NEAR) : at])[-1]
    after = _NO_LETTER.split(text[stop : stop + _NEAR])[0]
    kinds = {words.entries[sign].kind for sign in word if sign in words.entries}
    if len(word) == 2 and all(sign in words.entries for sign in word) and kinds & _SMALL:
        return not before.strip() and not after.strip()
    if not _KANA.search(text):
        return True
    starts = any(before[-n:] in words.entries for n in range(2, len(before) + 1))
    ends = any(after[:n] in words.entries for n in range(2, len(after) + 1))
    short = len(word) == 2
    if short and _KANJI.match(word) and _KANJI.match(before[-1:]) and not starts:
        return False
    if short and _KANJI.match(word[-1]) and _KANJI.match(after) and not ends:
        return False
    inflected = _KANJI.search(word) and _HIRAGANA.fullmatch(word[-1])
    return not (inflected and _HIRAGANA.match(after) and after[0] not in words.entries)


def name_of(word: str, letters: Mapping[str, str], vocabulary: Vocabulary) -> str | None:
    """The word in Latin letters, spelt as in the library where a name there sounds alike, for a
    foreign name: hiragana are for words of the language.

    None without letters for it.
    """
    if not letters or word.isascii():
        return None
    typed = in_latin(word, letters)
    if not typed.isascii() or not typed.isalpha():
        return None
    if _HIRAGANA.fullmatch(word):
        return typed
    near = vocabulary.by_sound.get(sound_of(typed), [])
    names = (one for one in near if is_name(one, vocabulary) or stands_in_names(one, vocabulary))
    near = [*names] or near
    best = max(
        near,
        key=lambda name: (_alike(as_it_sounds(typed), as_it_sounds(name)), _alike(typed, name)),
        default="",
    )
    least = _ALIKE_IN_HANGUL if is_hangul(word) else _ALIKE_FROM
    return best if _alike(as_it_sounds(typed), as_it_sounds(best)) >= least else typed


def in_latin(word: str, letters: Mapping[str, str]) -> str:
    """The word with each letter, or part of a syllable, in Latin letters; others are kept."""
    text = unicodedata.normalize("NFC", word)
    if not any(text[at : at + 1] in letters for at in range(len(text))):
        text = unicodedata.normalize("NFD", text)
    longest = max(map(len, letters))
    found, at = "", 0
    while at < len(text):
        for length in range(longest, 0, -1):
            if (piece := text[at : at + length]) in letters:
                found += letters[piece]
                break
        else:
            length, found = 1, found + text[at]
        at += length
    return re.sub(r"-(.?)", r"\1\1", found)


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()
