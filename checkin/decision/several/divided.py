"""Decides requests that add models in words of their own: each is decided like a request.

"Vampire lord in grim oil, on my hm mix checkpoint": what the request is about, and what it adds,
are used together if they fit one base model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from ...catalog.called import CALLED
from ...catalog.selection import CardView
from ...language.intent import Added, Division, Intent
from ...lexicon.sentences import listed, quoted, say
from ..candidates.builds import together
from ..candidates.grounded import Grounded
from ..decision import NearMiss
from ..notices import made_for
from ..verdict import Decided, Verdict

_STYLES = {kind: called for kind, called in CALLED.items() if kind != "mix"}
_MET, _NAMED = 0.68, 0.9
"""The least strength of each word, and of one of them, of a checkpoint that is named without a word
for its kind: "on ragnarok".
"""


def decide_divided(
    case: Grounded, decide: Callable[[Grounded], Decided], what_fits: bool
) -> Decided | None:
    """The verdict on a request that adds models, with the case that it is of.

    None where it adds nothing, or where nothing fits what it is about. A model that is added and is
    not here is said; the rest is used only if the user wants `what_fits`.
    """
    for division in case.intent.divisions:
        read = _read(case, division.rest)
        if _says_only_which(read, division):
            continue
        rest = decide(read)
        if rest[0].declines:
            if alone := _draws_alone(case, division, decide):
                return alone
            continue
        if _is_said_already(division, rest[0]):
            continue
        added = [_decided(case, one, decide) for one in division.added]
        if division.side_by_side and not all(said and _is_named(said) for said in (rest, *added)):
            continue
        unsure = [one for one, said in zip(division.added, added, strict=True) if not said]
        if unsure:
            continue
        parts = [rest, *filter(None, added)]
        return _together(case, division, _of_one_base(case, division, parts, decide), what_fits)
    return None


def _is_said_already(division: Division, rest: Verdict) -> bool:
    """Whether the style that is added is one that the rest names: "watercolour of waldi, my own
    style".
    """
    (added, *others), views = division.added, rest.views
    called = _STYLES.get(added.intent.kind or "")
    if others or called is None or not views:
        return False
    columns = views[0].catalogue.columns
    return bool(called(columns)[[view.position for view in views]].any())


def _says_only_which(rest: Grounded, division: Division) -> bool:
    """Whether a request only says which mix or style is meant: "my own merge, the latest"."""
    words = [one for segment in rest.segments for one in segment.grounds if not one.generic]
    return not words and division.added[0].intent.kind in CALLED


def _draws_alone(
    case: Grounded, division: Division, decide: Callable[[Grounded], Decided]
) -> Decided | None:
    """The mix or style that draws what no model is of, and is nobody's: "my own mix, a fox"."""
    added, *others = division.added
    theirs = any(one.possessive for one in division.rest.mentions)
    if others or theirs or added.intent.kind not in CALLED:
        return None
    said = _decided(case, added, decide)
    return (replace(said[0], divided=division), said[1]) if said and said[0].entry else None


def _of_one_base(
    case: Grounded,
    division: Division,
    parts: Sequence[Decided],
    decide: Callable[[Grounded], Decided],
) -> list[Decided]:
    """The parts; one that is unclear, or not for the base model of the others, is decided for it.

    "Nain olwen, on juggernaut": the checkpoint says for which base model her LoRA is meant.
    """
    found = list(parts)
    intents = [division.rest, *(one.intent for one in division.added)]
    for place, intent in enumerate(intents):
        others = [one for other, one in enumerate(found) if other != place]
        bases = {view.card.base_model for one, _ in others for view in one.views} - {None}
        chosen = {view.position for view in found[place][0].views}
        clear = chosen and chosen <= {*_fitting(case, found, what_fits=False)[0]}
        if clear or len(bases) != 1 or intent.base_model:
            continue
        again = decide(_read(case, replace(intent, base_model=bases.pop())))
        if again[0].entry:
            found[place] = again
    return found


def _read(case: Grounded, intent: Intent) -> Grounded:
    """A part of the request, grounded in the library."""
    whole = case.intent
    base = intent.base_model or whole.base_model
    return case.read_as(replace(intent, base_model=base, connected=whole.connected))


def _decided(case: Grounded, added: Added, decide: Callable[[Grounded], Decided]) -> Decided | None:
    """The verdict on what is added; None where it may be words of the scene, or adds nothing."""
    called = CALLED.get(added.intent.kind or "")
    intent = added.intent if added.sure or called else replace(added.intent, kind="checkpoint")
    part = _read(case, intent)
    words = [one for segment in part.segments for one in segment.grounds if not one.generic]
    says_which = bool(words) or (called and called(part.library.columns).any())
    if not (says_which or part.intent.names):  # "with my new lora" says which one of what is meant
        return None
    if added.sure or added.intent.kind in _STYLES:  # a style of the user's is there
        return decide(part)
    here = part.left.positions
    if words and not len(here):
        return None
    met = [float(one.strength[here].max()) for one in words]
    if met and not part.intent.names and (min(met) < _MET or max(met) < _NAMED):
        return None
    verdict, part = decide(part)
    return None if verdict.declines else (verdict, part)


def _is_named(said: Decided) -> bool:
    """Whether a part is here, and a word of it is what a model of the library is of."""
    verdict, part = said
    words = [one for one in part.head_grounds if not one.generic]
    return not verdict.declines and any(one.best >= _NAMED for one in words)


def _together(
    case: Grounded, division: Division, parts: Sequence[Decided], what_fits: bool
) -> Decided:
    """What the parts of a request say together: models, or a question about one of them."""
    for place, (verdict, at) in enumerate(parts):
        if verdict.question:

            def answered(said: Verdict, case_said: Grounded, place: int = place) -> Decided:
                others = [*parts[:place], (said, case_said), *parts[place + 1 :]]
                return _together(case, division, others, what_fits)

            earlier = verdict.then
            then = answered if earlier is None else _both(earlier, answered)
            return replace(verdict, then=then, divided=division), at
    names = ["", *(case.their(one.words) for one in division.added)]
    absent = [name for name, (verdict, _) in zip(names, parts, strict=True) if verdict.declines]
    there = [one for one in parts if not one[0].declines]
    if absent and not what_fits:
        return _lacking(absent, there), parts[0][1]
    verdict, at = parts[0]
    builds, used = _fitting(at, there, what_fits)
    if not builds:
        return apart([view for one, _ in there for view in one.views]), at
    unused = [said for said, _ in there if not any(said is one for one, _ in used)]
    absent += [view.card.name for said in unused for view in said.views]
    asked = zip(["", *(one.words for one in division.added)], parts, strict=True)
    asking = [words for words, (said, _) in asked if any(said is one for one, _ in used)]
    catalogue = case.library.catalogue
    first, *further = [CardView(catalogue, one) for one in dict.fromkeys(builds)]
    left_out = listed(list(map(quoted, absent)), "and")
    notices = (
        [say("Not here, or for another base model, so left out: {words}.", words=left_out)]
        if absent
        else []
    )
    return (
        replace(
            verdict,
            why=" ".join(dict.fromkeys(one.why for one, _ in used)),
            entry=first,
            further=tuple(further),
            notices=tuple(dict.fromkeys(chain(notices, *(one.notices for one, _ in used)))),
            unused=tuple(dict.fromkeys(chain(*(one.unused for one, _ in used)))),
            parts=_words_of(builds, used, asking),
            divided=division,
        ),
        at,
    )


def _words_of(
    builds: Sequence[int], used: Sequence[Decided], asking: Sequence[str]
) -> dict[int, tuple[str, ...]]:
    """Build -> the words that add it; none for a build of what the request is about."""
    return {
        build: (added,)
        for (verdict, part), added in zip(used, asking, strict=True)
        if added
        for view in verdict.views
        for build in set(builds).intersection(_builds(view, part))
    }


def _both(
    first: Callable[[Verdict, Grounded], Decided], second: Callable[[Verdict, Grounded], Decided]
) -> Callable[[Verdict, Grounded], Decided]:
    return lambda verdict, case: second(*first(verdict, case))


def _builds(view: CardView, part: Grounded) -> list[int]:
    """The builds that may stand for a model: for each base model one, if the request names none."""
    which = any(one.kind not in ("kind", "base model") for one in part.asked)
    asked = which or part.intent.order or part.intent.names or part.intent.bounds
    if asked or not np.isin(view.position, part.left.positions):
        return [view.position]
    return part.builds.by_base(part.builds.of(view.position))


def _fitting(
    case: Grounded, parts: Sequence[Decided], what_fits: bool
) -> tuple[tuple[int, ...], Sequence[Decided]]:
    """The builds of all parts that fit one base model, with the parts; none if they do not fit.

    With `what_fits`, those of the first part, and of each further one that fits those before.
    """
    used: list[Decided] = []
    best: tuple[int, ...] = ()
    for part in parts:
        choices = [_builds(view, at) for one, at in (*used, part) for view in one.views]
        builds = together(case.left.columns, choices)
        if builds:
            best = builds
            used.append(part)
        elif not what_fits:
            return (), ()
    return best, used


def _lacking(absent: Sequence[str], there: Sequence[Decided]) -> Verdict:
    views = [view for verdict, _ in there for view in verdict.views]
    words = listed(list(map(quoted, absent)))
    found = listed([view.card.name for view in views], "and")
    return Verdict(
        say("There is no {words} here. The rest would be {names}.", words=words, names=found),
        near=tuple(NearMiss(view.card, listed(absent, "and")) for view in views),
    )


def apart(views: Sequence[CardView]) -> Verdict:
    """That models do not fit together, with the base model of each."""
    bases = [made_for(view.card) for view in views]
    return Verdict(
        say("These models do not fit together: {models}.", models=listed(bases, "and")),
        near=tuple(NearMiss(view.card, say("the others")) for view in views),
    )
