"""A model in the scene of what no model is of: "a street where juno walks"."""

from __future__ import annotations

from ...language.model_phrases import is_verb
from ...language.phrases import Mention
from ...lexicon import FUNCTION
from ...lexicon.base_models import known_family
from ...lexicon.english import word_set
from ...lexicon.kin import KIN
from ...lexicon.spelling import is_english
from ..evidence.grounder import GENERIC, IS, GroundedSegment
from .grounded import Grounded
from .only_helps import only_helps

_POINTING = frozenset({"the", "that", "this", "those", "these"})
_SHORT = 2
"""Letters of a word that tells nothing: "ms" of ms_gull."""
_DOING = word_set("words", "doing")


def in_the_scene(case: Grounded) -> list[int]:
    """The newest builds of the models whose whole names stand in the scene; none where the request
    is about somebody's own or something that is pointed at, where a model is of it, or where it
    says of what kind the model is.
    """
    first = case.segments[:1]
    known = max((word.best for one in first for word in one.grounds), default=0.0) >= IS
    asked = case.asked or known_family(case.intent.english)
    if case.found is None or known or asked or case.intent.origin or _is_pointed_at(case):
        return []
    beings = case.left.columns.kinds.any_of(("being",))
    found = dict.fromkeys(
        case.builds.best_of(card)
        for one in case.segments[1:]
        if not (one.segment.purpose or one.segment.look)
        for card in case.found.cards.tolist()
        if _names(case, one, card, bool(beings[card]))
        and not (case.left.columns.look[card] or only_helps(case, card))
    )
    return [*found]


def _is_pointed_at(case: Grounded) -> bool:
    first = case.intent.mentions[:1]
    return bool(first) and (first[0].words in _POINTING or first[0].possessive)


def _names(case: Grounded, part: GroundedSegment, card: int, is_being: bool) -> bool:
    """Whether a segment has all telling words of a card's name, or of a being's the strange one
    with which it begins; ordinary ones only of who does something.
    """
    called = [one for one in case.left.columns.called[card] if one not in FUNCTION | GENERIC]
    name = [one for one in called if len(one) > _SHORT and one not in KIN]
    met = [one for one in part.segment.words if {*name} & {*one.phrase, one.words}]
    said = {word for one in met for word in (*one.phrase, one.words)}
    if not name or not met:
        return False
    if is_being and name[0] in said and not is_english(name[0]):
        return True
    whole = {*name} <= said
    return whole and (not all(map(is_english, name)) or _does(case.intent.mentions, met[-1]))


def _does(mentions: tuple[Mention, ...], name: Mention) -> bool:
    """Whether what follows a name is what somebody does: "moss sleeps", "moss walking"."""
    behind = next((one for one in mentions if one.first == name.last + 1), None)
    return behind is not None and (behind.words in _DOING or is_verb(behind.words))
