"""A request, read: from words to the intent record."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from ..catalog.vocabulary import Vocabulary
from ..lexicon import FUNCTION, ING_NOUNS
from ..lexicon.english import any_of, one_of, rows
from ..lexicon.languages import ENGLISH
from ..lexicon.spelling import plain, split, with_apostrophes
from ..readers.trigger_words import is_quality
from .assemble import assemble, version_after_subject
from .bare_versions import ended_names, signed, with_joined_names
from .base_gates import find_bases, is_base
from .divisions import divisions_of
from .exact_triggers import exact_names
from .gates import (
    find_builds,
    find_kind,
    find_origin,
    points_at_first,
    points_at_one,
)
from .gloss import detect, gloss
from .glued_numbers import glued_numbers
from .helpers import find_helpers
from .intent import Intent, Said, VersionTerm
from .not_yet import without_what_came_later
from .origins import Origins, Span
from .phrases import MYSELF, read
from .read_bounds import read_bounds
from .readings import calls_a_model
from .said_strengths import find_strengths
from .said_times import noun_of, said_times
from .times.dates import find_times
from .unhandled import foreign_words, unknown_words
from .used import find_used
from .versions import find_versions

_TAGS = re.compile(r"<(?:lora|lyco|hypernet):[^<>]*>|embedding:\S+|:\s*\d*\.?\d+(?=\s*[)\]])")
_TAG = re.compile(r"[^,\n]+")
_JOINED_WORDS = re.compile(r"\w*_\w*")
_JOINED = re.compile(r"[_-]\w")
_APOSTROPHE = r"(?<=\w)'(?!s?(?!\w))"
"""Within a name, not behind it: "rev's_cat2" and "moss_v2's"."""
_NAME = re.compile(
    rf"<[^<>\n]{{1,64}}>|(?:[\w.]|{_APOSTROPHE})+(?:[-_](?:[\w.]|{_APOSTROPHE})+)+|"
    rf"(?:\w|{_APOSTROPHE})*\d(?:\w|{_APOSTROPHE})*|\w+"
)
_NOT_VERBS = one_of("words", "not verbs")
_NOT_PHRASES = re.compile(
    rf"\b{one_of('words', 'all but')}\s+(?:but|except|other\s+than)\b|\bnon(?=[\s-])|"
    rf"\b{_NOT_VERBS}\s+not\b|\b{_NOT_VERBS}n'?t\b|\b{one_of('words', 'not phrases')}\b"
)
_ANY_BUT = re.compile(
    rf"(?P<any>\b{one_of('words', 'any but')}(?:\s+\w+){{1,3}}\s+)but"
    rf"(?=\s+(?:{one_of('words', 'pointing')}\s|v\d))"
)
"""In "any bear but the cartoon one" the "but" is a "not"."""
_IN_FULL = {short: f"{full} " for short, (full,) in rows("spelling", "in full").items()}
_DRAWN = (
    rf"{one_of('words', 'drawing me')}\s+me\s+"
    rf"(?:{one_of('words', 'after me')}\b|[+&]|(?!{any_of(ING_NOUNS)}\b)\w{{2,}}ing\b)"
)
_MYSELF = re.compile(
    rf"(?<!\w)(?:(?P<verb>(?!{_DRAWN}){one_of('words', 'before me')})\s+)?"
    r"(?:me(?!\s+an?\b)|my (?:own )?(?:face|selfie))(?!\w)"
)
"""Where "me" is whom a picture is of, unless a verb or preposition stands before it; "draw me in a
suit" is of me."""
_I = re.compile(
    r"(?:^\s*|(?<=[,;] )|(?<=\band ))i(?=\s+(?:in|on|at|as|with|and|under|next to|near|behind)\b)"
)
"""Where "I" is whom a picture is of: "ich am See", "torsten and i on a lake"."""
_DONE_TO = re.compile(
    rf"\b(\w+) {one_of('words', 'ing verbs')}(?= (?:an?|the|his|her|their|my|some) )"
)
_FIRST_TRY = re.compile(rf"(?<=\bfirst) {one_of('orders', 'tries')}\b(?: (?:at|of))?")
_SHORT = re.compile(rf"(?<!\w){any_of(_IN_FULL)}(?!\w*/)")


def parse(request: str, vocabulary: Vocabulary, now: datetime) -> Intent:
    """What a request asks for, in any language, as far as words and tables can tell."""
    language = detect(request, vocabulary)
    if language is ENGLISH or not language.known:
        return replace(_divided(request, vocabulary, now), language=language)
    said = gloss(request, language, vocabulary)
    intent = _divided(said.text, vocabulary, now)
    if other := intent.otherwise:
        other = replace(other.glossed(said), request=request, language=language)
    divisions = tuple(one.glossed(said) for one in intent.divisions)
    return replace(
        intent.glossed(said),
        request=request,
        language=language,
        otherwise=other,
        divisions=divisions,
    )


def _divided(request: str, vocabulary: Vocabulary, now: datetime) -> Intent:
    """The intent of a request in English, with the ways to divide it."""
    intent = _parse(request, vocabulary, now)
    divisions = divisions_of(intent, lambda words: _parse(words, vocabulary, now))
    return replace(intent, divisions=divisions)


def _parse(
    request: str, vocabulary: Vocabulary, now: datetime, times_are_names: bool = False
) -> Intent:
    """The intent of a request in English.

    With `times_are_names`, words for times that call a model of the library are read as its name.
    """
    bounds, bounded, text = read_bounds(
        request,
        vocabulary,
        is_time=lambda words: bool(find_times(words, now, lambda one: noun_of(one, vocabulary))),
        parse=lambda words: _parse(words, vocabulary, now),
    )
    text = _TAG.sub(lambda tag: " " * len(tag[0]) if is_quality(tag[0]) else tag[0], text)
    exact, text = exact_names(_TAGS.sub(lambda tag: " " * len(tag.group()), text), vocabulary)
    at = Origins(request)
    text = at.follow(text, _corrected(text, vocabulary))
    text = at.follow(text, with_apostrophes(text))
    text = at.follow(text, _ANY_BUT.sub(r"\g<any>not", text))
    text = at.follow(text, with_joined_names(text, vocabulary))
    text = at.follow(text, without_what_came_later(text, vocabulary))
    text = at.follow(text, _SHORT.sub(lambda match: _IN_FULL[match.group()], text))
    names, called, text = _names(text, vocabulary)
    text = _JOINED_WORDS.sub(_as_words, text)
    said = [*bounded, *(Said(*at.span(*one), "name", ids) for one, ids in called)]
    names = tuple(one for one in exact if one in names) or exact or names
    text = at.follow(text, _DONE_TO.sub(_as_verb, text))
    text = at.follow(text, _FIRST_TRY.sub(" version", text).replace("all week", "this week"))
    used, points = find_used(text), points_at_one(text)
    text = at.follow(text, _I.sub(MYSELF, text))
    text = at.follow(text, _MYSELF.sub(lambda one: one[0] if one["verb"] else MYSELF, text))
    times, dated, text, no_day = said_times(
        text, vocabulary, now, used is not None, times_are_names
    )
    said += [Said(*at.span(*one), "time") for one in dated]
    strengths, left = find_strengths(text)
    said += [Said(*at.span(*one), "strength") for _, one in strengths]
    helpers, text = find_helpers(left)
    said += [Said(*one, "helper") for one in at.blanked(left, text)]
    left = text
    glued = glued_numbers(left, vocabulary.says)
    text = at.follow(left, re.sub(r"\s[+&]\s", " and ", glued))
    bases, unwanted_bases, left = find_bases(text, vocabulary.is_thing, vocabulary.is_build)
    said += [Said(*one, "base model") for one in at.blanked(text, left)]
    builds, text = find_builds(left, vocabulary.labels)
    any_base = left
    said += [Said(*one, "build") for one in at.blanked(left, text)]
    origin, others, left = find_origin(text)
    said += [Said(*one, "origin") for one in at.blanked(text, left)]
    kind, text = find_kind(left, vocabulary.has_called)
    said += [Said(*one, "kind") for one in at.blanked(left, text)]
    text = at.follow(text, signed(text, vocabulary))
    numbered = find_versions(
        text,
        lambda word: noun_of(word, vocabulary) in ("model", "style", "subject"),
        vocabulary.numbers,
    )
    said += [Said(*one, "version") for one in at.blanked(text, numbered.text)]
    text = ended_names(text, numbered.text, vocabulary)
    text = _NOT_PHRASES.sub(lambda match: "not".ljust(len(match.group())), text)
    mentions = read(text, vocabulary)
    intent = assemble(request, mentions, vocabulary)
    if bare := version_after_subject(mentions, vocabulary):
        intent = replace(
            intent,
            versions=(VersionTerm(bare.words, "is", ((int(bare.words),),)),),
            unhandled=tuple(word for word in intent.unhandled if word != bare.words),
        )
        words = split(text)
        if bare is mentions[-1] or noun_of(text[words[bare.first].end :], vocabulary) == "none":
            word = words[bare.first]
            said.append(Said(*at.span(word.start, word.end), "number"))
    foreign = foreign_words(text, vocabulary)
    intent = replace(
        intent,
        names=names,
        base_model=bases[0] if bases else None,
        other_bases=bases[1:],
        unwanted_bases=unwanted_bases,
        kind=kind,
        builds=builds,
        origin=origin,
        unwanted_origin=others,
        used=used,
        points=points,
        helpers=helpers,
        strengths=tuple((value, at.span(*one)[0]) for value, one in strengths),
        times=times,
        versions=(*numbered.versions, *intent.versions),
        order=numbered.order,
        first=numbered.order is not None and points_at_first(any_base, numbered.order.words),
        bounds=bounds,
        missing=None if names or foreign else intent.missing,
        unhandled=(*no_day, *numbered.unhandled, *intent.unhandled, *foreign),
        said=tuple(said),
    )
    if used is None and any(calls_a_model(term.words, vocabulary) for term in times):
        intent = replace(intent, otherwise=_parse(request, vocabulary, now, times_are_names=True))
    return (
        replace(intent, unhandled=unknown_words(mentions, vocabulary))
        if intent.empty and not foreign
        else intent
    )


def _corrected(request: str, vocabulary: Vocabulary) -> str:
    """The plain request with typing errors in words that matter put right."""
    text = plain(request)
    words = split(text)
    for position, word in reversed(list(enumerate(words))):
        typed = request[word.start : word.end]
        a_name = position > 0 and typed[:1].isupper() and not typed.isupper()
        if (
            not word.text.isalpha()
            or a_name
            or vocabulary.knows(word.text)
            or vocabulary.named(word.text)
            or is_base(word.text)
        ):
            continue
        meant = vocabulary.meant(word.stem) or vocabulary.meant(word.text)
        if meant:
            end = word.start + len(word.text)
            text = text[: word.start] + meant + text[end:]
    return text


def _names(
    text: str, vocabulary: Vocabulary
) -> tuple[tuple[str, ...], list[tuple[Span, tuple[str, ...]]], str]:
    """Ids of the cards called by trigger or file name, where each name stands with its ids, and the
    text with the names blanked.
    """
    found: dict[str, None] = {}
    called = []
    spans = [match.span() for match in _NAME.finditer(text)]
    for start, end in sorted(spans, key=lambda span: span[0] - span[1]):
        piece = text[start:end]
        ids = vocabulary.named(piece) or ("_" in piece and vocabulary.file_named(piece))
        of_longer = _JOINED.match(text, end) or (start and text[start - 1] in "_-")
        # A plain word may call other models too, and "moss_v9" is not "moss".
        if ids and not piece.isalpha() and not of_longer:
            found.update(dict.fromkeys(ids))
            called.append(((start, end), tuple(ids)))
            text = text[:start] + " " * (end - start) + text[end:]
    return tuple(found), called, text


def _as_words(joined: re.Match[str]) -> str:
    """A file name that is not here as words, if any of them says something: "moss_v9"."""
    parts = joined[0].split("_")
    return joined[0] if FUNCTION.issuperset(parts) else " ".join(parts)


def _as_verb(done: re.Match[str]) -> str:
    """For "adam painting a fence", "adam doing a fence"."""
    return done[0] if done[1] in FUNCTION else f"{done[1]} doing"
