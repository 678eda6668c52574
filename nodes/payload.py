"""What Repo Check-in tells the front end and the history after a run, without paths and keys:
`ui = {"personalq": [payload]}`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from itertools import chain
from typing import Any

from ..checkin import Card, Choice, Decision, Question, Repository
from ..checkin.catalog.connected import ALONE
from ..checkin.catalog.pinned import PinnedModel
from ..checkin.catalog.reference import Reference
from ..checkin.catalog.said_version import version_in_short
from ..checkin.language.drawn import Piece
from ..checkin.language.trigger_prompt import escaped
from ..checkin.lexicon.base_models import covers, label_of
from ..checkin.lexicon.sentences import say
from ..checkin.lexicon.text import one_line
from .check_in_schema import BASE_MODELS
from .host.models.decide import Decided, Opened
from .host.models.offers import (
    Offer,
    additions,
    chosen_text,
    made_with_text,
    offers,
    offers_for,
    pin,
)
from .host.models.render import picture_of
from .host.models.repository import ALL, id_among_all
from .host.models.thumbnails import thumbnail

_MAX_OFFERS = 6
_MAX_TRIGGERS = 12
"""How many triggers of a model can be switched on the node, at most."""
_MAX_SEARCHED = 20
"""How many models of a choice are searched for a picture, at most."""


def decision_payload(
    decided: Decided,
    opened: Opened,
    *,
    offered: Sequence[Offer] = (),
    notices: Sequence[str] = (),
) -> dict[str, Any]:
    """The decision in JSON types, with pictures as references for ComfyUI's /view.

    `opened` gives the models of one of `choices()`. `offered` and `notices` are put before the
    offers and notices of the decision itself.
    """
    decision, answers, repository = decided.decision, decided.answers, decided.repository
    card = decision.card
    marks = [escaped(trigger) for one in decision.models if one.on for trigger in one.triggers]
    return {
        "outcome": decision.outcome,
        "why": decision.why,
        "constraints": [one.words for one in decision.constraints],
        "request": one_line(decision.request),
        "prompt": decision.prompt,
        "pieces": _pieces(decision.pieces, marks),
        "marks": marks,
        "card": _card(card) if card else None,
        "models": [_model(decision, place, repository) for place in range(len(decision.models))],
        "by_hand": decided.by_hand,
        "made_with": made_with_text(decision, answers) if card else None,
        "offers": [
            _offer(offer, decision.request)
            for offer in (*offered, *offers(decision, repository))[:_MAX_OFFERS]
        ],
        "additions": [_offer(one, decision.request) for one in additions(decision)],
        "question": _question(decision.question, repository) if decision.question else None,
        "answered": list(answers),
        "heard": dict(decision.heard),
        "unheard": list(decision.unheard),
        "near": [{"name": miss.card.name, "dropped": miss.dropped} for miss in decision.near],
        "near_words": decision.near_words,
        "serving": asdict(decision.serving),
        "notices": [*decided.notices, *notices, *_missing(decision), *decision.notices],
        "offered_name": _offered_name(decision, opened),
        **({"alike": list(decided.alike)} if decided.alike else {}),
    }


def _pieces(pieces: Sequence[Piece], triggers: Sequence[str]) -> list[dict[str, Any]]:
    """The pieces, those of the prompt cut around its triggers; of two at one place, the longer."""
    longest = sorted(filter(None, triggers), key=len, reverse=True)
    cut = re.compile(f"({'|'.join(map(re.escape, longest)) or '(?!)'})")
    return [
        {"text": text, "left_out": piece.left_out, "trigger": bool(place % 2)}
        for piece in pieces
        for place, text in enumerate([piece.text] if piece.left_out else cut.split(piece.text))
        if text
    ]


def _offered_name(decision: Decision, opened: Opened) -> dict[str, str] | None:
    """What the chosen model could be called, and the card to write it into; None for nothing."""
    if not (decision.offered_name and decision.card):
        return None
    card_id = id_among_all(decision.card, opened(ALL, None))
    return {"name": decision.offered_name, "card": card_id} if card_id else None


def _card(card: Card) -> dict[str, Any]:
    return {
        "name": card.name,
        "kind": card.kind,
        "version": version_in_short(card),
        "created": card.created_at.date().isoformat() if card.created_at else None,
        "base_model": card.base_model and label_of(card.base_model),
        "sha256": card.sha256,
        "image": thumbnail(picture_of(card)),
    }


def _offer(offer: Offer, request: str) -> dict[str, Any]:
    return _card(offer.card) | {
        "reason": offer.reason,
        "chosen": chosen_text(offer, request),
        "line": pin(offer.card).to_line(),
    }


def _model(decision: Decision, place: int, repository: Repository) -> dict[str, Any]:
    """One of the chosen models, with what the user can change of its use."""
    used = decision.models[place]
    card, reference = used.card, used.pinned.reference
    known = _card(card) if card else {"name": str(reference), "missing": True}
    triggers = dict.fromkeys([*(card.triggers[:_MAX_TRIGGERS] if card else ()), *used.triggers])
    several = len(decision.models) > 1
    return known | {
        "line": (pin(card) if card else PinnedModel(reference)).to_line(),
        "base": _base(card, decision),
        "called": reference.name or reference.sha256,
        "on": used.on,
        "strength": used.strength,
        "strength_said": used.pinned.strength is not None,
        "recommended": card.strength if card else 1.0,
        "triggers": [{"text": one, "on": one in used.triggers} for one in triggers],
        "triggers_said": used.pinned.triggers is not None,
        "words": list(used.words),
        "offers": [
            _offer(one, decision.request) | {"lines": _lines(one, decision)}
            for one in (offers_for(decision, place, repository)[:_MAX_OFFERS] if several else ())
        ],
    }


def _lines(offer: Offer, decision: Decision) -> list[str | None]:
    """For each of the chosen models the line that an offer puts in its place; None: it stays."""
    return [
        None if one is used.pinned else PinnedModel(one.reference).to_line()
        for one, used in zip(offer.chosen, decision.models, strict=True)
    ]


def _base(card: Card | None, decision: Decision) -> str | None:
    """The checkpoint that a LoRA is loaded on; None where it is not known by a name."""
    base = decision.base
    return base.name or None if card and base and card.kind == "lora" else None


def _missing(decision: Decision) -> list[str]:
    """All models picked by hand that are not here; one alone the reason names."""
    gone = [str(one.pinned.reference) for one in decision.models if one.on and not one.card]
    return [say("Not here: {models}.", models=", ".join(gone))] if len(gone) > 1 else []


def _question(question: Question, repository: Repository) -> dict[str, Any]:
    return {
        "text": question.text,
        "choices": [
            {
                "label": choice.label,
                "shown": choice.shown,
                "detail": choice.detail,
                "image": thumbnail(_preview(choice, repository)),
                "base_model": base,
            }
            for choice, base in zip(question.choices, _bases(question, repository), strict=True)
        ],
    }


def _bases(question: Question, repository: Repository) -> list[str | None]:
    """For each choice the narrowest option of the input `base_model` that takes its models and
    those of no other choice; None where there is none, where it would not decide, and for all of a
    question about something else.
    """
    groups = [
        {repository.get(card_id).base_model or "" for card_id in choice.card_ids}
        for choice in question.choices
    ]
    alone = [*chain(*(group for group in groups if len(group) == 1))]
    about_others = question.attribute != "base_model" or len(alone) > len({*alone})

    def option(group: set[str]) -> str | None:
        if about_others or len(group) > 1:
            return None
        others = {*alone} - group
        return next(
            (
                label
                for label, one in reversed(BASE_MODELS.items())
                if one and covers(one, *group) and not any(covers(one, other) for other in others)
            ),
            None,
        )

    return [option(group) for group in groups]


def _preview(choice: Choice, repository: Repository) -> str | None:
    """A choice's preview, else the first preview or drawn picture of one of its models."""
    if choice.preview:
        return choice.preview
    pictures = (picture_of(repository.get(card_id)) for card_id in choice.card_ids[:_MAX_SEARCHED])
    return next(filter(None, pictures), None)


def question_text(decision: Decision, connected: bool) -> str:
    """The text of the error that is raised where nobody can answer on the canvas.

    It holds the question with its choices or, if no model fits, the near misses. `connected`:
    whether a Clarify node is connected.
    """
    if decision.question is None:
        model = decision.intent.connected
        cards = [miss.card for miss in decision.near if not miss.misfits(model)]
        names = Counter(card.name for card in cards)
        near = [
            f"- {card.name if names[card.name] == 1 else PinnedModel(Reference.of(card)).to_line()}"
            for card in cards
        ]
        if model and not decision.models:
            near.append(f"- {ALONE}: {say('draws it without a LoRA')}")
        if near:
            near.append(say("To take one of these, write its name into chosen and run again."))
        return "\n".join([decision.why, *near])
    choices = "\n".join(
        f"- {choice.shown}: {choice.detail}" for choice in decision.question.choices
    )
    if connected:
        step = say(
            "Write one of these into the input answer of Clarify and run again, or set its "
            "when_unsure 'best match'."
        )
    else:
        step = say(
            "Write one of these into the input answers of Repo Check-in and run again, or connect "
            "a Clarify node with when_unsure 'best match'."
        )
    return f"{decision.question.text}\n{choices}\n{step}"
