"""Uses a card for a request, beside the models that are chosen for it already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ....checkin import Card, Repository
from ....checkin.catalog.pinned import PinnedModel, PinnedModels
from ....checkin.catalog.reference import Reference
from ....checkin.catalog.selection import CardView
from ....checkin.catalog.vocabulary import vocabulary_of
from ....checkin.decision.resolve import find
from ....checkin.language.put_words import with_words
from ....checkin.language.subjects_said import subjects_said
from ....checkin.lexicon.base_models import shares_layers
from .cards_api import words_of


def use(repository: Repository, card: Card, body: Mapping[str, Any]) -> dict[str, str]:
    """{request, chosen}: the request with the card's words, and the lines that choose the card with
    those that stay of the models `chosen` for it.

    The card stands in place of another build of its model, of one of the subject whose word in the
    request becomes its own, and of one that does not fit together with it, unless another build of
    that does. What the request says of a model of something else stays. A request of None cannot be
    changed: then what is chosen holds for any. Raises ValueError for a body of another form, and
    for lines that cannot be read.
    """
    request, chosen = body.get("request"), body.get("chosen", "")
    known = isinstance(request, str | None) and isinstance(chosen, str)
    if not known or not body.keys() <= {"request", "chosen"}:
        raise ValueError("Expected request and chosen.")
    all = PinnedModels.all_from_text(chosen)
    last = all[-1] if all else None
    pinned = last if request is None else PinnedModels.of_request(all, request)
    catalogue = repository.catalogue()
    models = [(one, find(one.reference, catalogue)[0]) for one in (pinned.models if pinned else ())]
    view = CardView(catalogue, catalogue.position_of[card.id])
    gone = [one for one, other in models if other and not _fit_together(view, other)]
    replaced = [one for one, other in models if other and one in gone and _alike(view, other)]
    vocabulary = vocabulary_of(repository.version, repository.catalogue)
    spoken = subjects_said(request or "", card.subjects, vocabulary)
    said = with_words(
        request or "",
        words_of(card),
        triggered=card.trigger is not None,
        subjects=[*card.subjects, *spoken],
        before=[words_of(each.card) for one, each in models if each and one in replaced],
        others=[words_of(each.card) for one, each in models if each and one not in replaced],
    )
    subject = spoken.get(said.subject, said.subject)
    gone += [one for one, other in models if other and subject in other.card.subjects]
    same = (replace(one, on=True) for one, other in models if other and other.id == card.id)
    own = next(same, PinnedModel(Reference.of(card)))
    stay = {
        one: replace(one, reference=Reference.of(build), triggers=None)
        for one, other in models
        if other and one not in replaced and subject not in other.card.subjects
        if (build := _build_beside(view, other))
    }
    lines = [stay.get(one, own) if one in gone else one for one, _ in models]
    chosen = PinnedModels(tuple(dict.fromkeys([*lines, own]))).to_text()
    return {"chosen": chosen} if request is None else {"chosen": chosen, "request": said.request}


def _fit_together(one: CardView, other: CardView) -> bool:
    """Whether both can be used for one picture, and are of different models."""
    lineage = one.catalogue.columns.lineage
    bases = one.card.base_model, other.card.base_model
    return (
        lineage[one.position] != lineage[other.position]
        and not one.card.kind == other.card.kind == "checkpoint"
        and (not all(bases) or shares_layers(*bases))
    )


def _build_beside(one: CardView, other: CardView) -> Card | None:
    """The newest build of the other model that fits together with this one."""
    lineage = one.catalogue.columns.lineage
    builds = [
        CardView(one.catalogue, int(at)) for at in (lineage == lineage[other.position]).nonzero()[0]
    ]
    fit = [build.card for build in builds if _fit_together(one, build)]
    return max(
        fit, key=lambda card: card.created_at.timestamp() if card.created_at else 0, default=None
    )


def _alike(one: CardView, other: CardView) -> bool:
    """Whether they are builds of one model, of one subject, or two checkpoints."""
    lineage = one.catalogue.columns.lineage
    return bool(
        lineage[one.position] == lineage[other.position]
        or {*one.card.subjects} & {*other.card.subjects}
        or one.card.kind == other.card.kind == "checkpoint"
    )
