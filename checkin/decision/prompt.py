"""The prompt of a decision: what of the request is drawn, with the triggers of the models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..catalog.cards import Card
from ..catalog.selection import CardView
from ..language.drawn import Drawn, drawn
from ..language.drawn_glossed import drawn_glossed
from ..language.rewrite import Rewrite, rewrite, rewrite_at
from ..language.shared_nouns import nouns_of_others
from ..language.trigger_prompt import escaped, mentions
from ..language.variants import Variant, finished, variant_of
from ..lexicon.sentences import again, say
from ..llm import NoAnswer
from .case import Case
from .verdict import Verdict


def prompt_of(case: Case, verdict: Verdict, whole: bool) -> tuple[Drawn | None, list[str]]:
    """The prompt with the models' triggers in it (None without a model), and notices.

    With `whole` it is the whole request, else what is drawn of it. Where the rules find no word for
    the subject, the reasoner may point at one. Further triggers that the user wants stand at the
    end.
    """
    if verdict.entry is None and verdict.alone is None:
        return None, []
    request, intent = case.request, case.reading.intent
    if verdict.times_are_names and intent.otherwise:
        intent = intent.otherwise
    if verdict.divided:
        intent = replace(intent, said=(*intent.said, *verdict.divided.said))
    reasoner = None if verdict.clear else case.options.reasoner
    variants = [_called(verdict, view, intent.english) for view in verdict.views]
    cards = [one.card for one in variants]
    more = [one for view in verdict.views for one in (verdict.pinned(view).triggers or ())[1:]]
    if intent.gloss:
        text = drawn_glossed(request, intent, cards, verdict.names, whole=whole)
        return _finished(text, variants, more), []
    told = {view.id: verdict.words.get(view.position, ()) for view in verdict.views}
    text = Drawn.of(request) if whole else drawn(request, intent, cards, verdict.names, told)
    said: list[str] = []
    for card in reversed(cards):
        beside = [one.trigger for one in cards if one.trigger and one is not card] + more
        others = nouns_of_others(text.text, card, cards, told)
        found = rewrite(text.text, card, beside, others)
        if reasoner and verdict.entry and len(cards) == 1 and _is_first(found, text.text, card):
            try:
                span = reasoner.words(text.text, verdict.entry)
                found = rewrite_at(text.text, card, span) if span else found
            except NoAnswer as error:
                said = [
                    say(
                        "{name} was not heard: {reason}. The trigger was put first.",
                        name=reasoner.profile.name,
                        reason=again(str(error)),
                    )
                ]
        text = text.after(found)
    return _finished(text, variants, more), said


def _called(verdict: Verdict, view: CardView, said_in: str) -> Variant:
    """How a model is called: by the triggers that the user wants, else as the request says."""
    pinned, card = verdict.pinned(view), _with_all_names(view)
    if pinned.triggers is not None:
        return Variant(pinned.on_card(card))
    return variant_of(card, said_in)


def _finished(text: Drawn, variants: Sequence[Variant], more: Sequence[str]) -> Drawn:
    """The prompt with what the variants add and, at its end, the triggers that it lacks."""
    for used in variants:
        text = text.after(finished(text.text, used))
    for trigger in more:
        if not mentions(text.text, trigger):
            text = replace(text, text=", ".join(filter(None, [text.text, escaped(trigger)])))
    return text


def _is_first(found: Rewrite, text: str, card: Card) -> bool:
    """Whether a rewriting put the trigger first, as no word of the text names the subject."""
    return bool(card.trigger and text and not found.replaced and not mentions(text, card.trigger))


def _with_all_names(entry: CardView) -> Card:
    """The card, with what the user calls any build of its lineage."""
    cards, lineage = entry.catalogue.cards, entry.catalogue.columns.lineage
    builds = np.flatnonzero(lineage == lineage[entry.position]).tolist()
    return replace(entry.card, names=tuple(name for one in builds for name in cards[one].names))
