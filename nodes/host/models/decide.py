"""Check-in with ComfyUI's model folders and the user's settings, machine and history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from comfy.model_patcher import ModelPatcher

from ....checkin import Decision, Repository, check_in
from ....checkin.catalog.connected import ConnectedModel
from ....checkin.catalog.given_answers import GivenAnswers
from ....checkin.catalog.pinned import PinnedModels
from ....checkin.decision.serving.plan import serving_plan
from ....checkin.index.bases import family_of
from ....checkin.lexicon.base_models import label_of
from ....checkin.lexicon.sentences import say
from ....checkin.lexicon.text import in_short
from ..user import context, preferences, settings_folder
from .carried_over import CarriedOver
from .connected import connected_model
from .repository import ALL, choices, everywhere, offered, open_repository

Opened = Callable[[str, Callable[[int, int], None] | None], Repository]
"""A function that gives the models of one of `choices()`, and may report its progress."""


@dataclass(frozen=True)
class Decided:
    """A decision, and what it was based on."""

    decision: Decision
    repository: Repository
    """The models that were searched."""
    by_hand: bool
    """Whether the user picked the models."""
    notices: list[str]
    """Notices for the user in addition to the decision's own."""
    answers: tuple[str, ...] = ()
    """The user's answers that count."""
    alike: tuple[str, ...] = ()
    """Other requests whose answers and choice count, as they ask for the same models."""


def decide(
    request: str,
    repository: str,
    *,
    base_model: str | None,
    reasoner: str | None,
    given: Sequence[GivenAnswers],
    best_match: bool,
    pinned: Sequence[PinnedModels],
    whole_prompt: bool = False,
    connected: ConnectedModel | ModelPatcher | None = None,
    what_fits: bool = False,
    each_in_its_place: bool = False,
    progress: Callable[[int, int], None] | None = None,
    opened: Opened = open_repository,
) -> Decided:
    """Decide which model a request means, among the models of one of `choices()`.

    `given` are the node's own answers, and those of a Clarify, which may be shared. Pinned models
    and the node's own answers count only for their own request, and for others that ask for the
    same models. Pinned models are searched in all folders, because on another machine they may be
    elsewhere. `reasoner` None = the one in the user's settings. With a model `connected`, a LoRA
    for it is chosen. `opened` gives the models of one of `choices()`. Raises what `check_in` and
    `open_repository` raise.
    """
    chosen = PinnedModels.of_request(pinned, request)
    models = opened(everywhere(repository) if chosen else offered(repository), progress)
    wanted = preferences()
    about = connected
    if isinstance(about, ModelPatcher):
        about = connected_model(about, models)
    over = CarriedOver.of(
        request,
        given[0] if given else GivenAnswers(),
        pinned,
        models,
        lambda: opened(everywhere(repository), progress),
        base_model=base_model,
        context=context(),
        what_fits=what_fits,
        connected=about,
    )
    if over.chosen:
        chosen, models = over.chosen, opened(everywhere(repository), progress)
    answers = tuple(
        words
        for place, one in enumerate(given)
        for words in one.for_request(request, None if place else over.answered)
    )
    decision = check_in(
        request,
        models,
        answers=answers,
        reasoner=reasoner or wanted.reasoner,
        base_model=base_model,
        best_match=best_match,
        settings=settings_folder(),
        context=context(),
        most_questions=wanted.questions,
        chosen=chosen.models if chosen else None,
        used=over.used,
        whole_prompt=whole_prompt,
        what_fits=what_fits,
        each_in_its_place=each_in_its_place,
        connected=about,
    )
    notices = []
    if over.chosen:
        asked = in_short(over.chosen.request or "")
        notices.append(say("As you chose for '{request}'.", request=asked))
    if repository not in choices():
        notices.append(
            say("There is no folder '{folder}' here: looked in all models.", folder=repository)
        )
    if connected is None and decision.card:
        everything = opened(ALL, None)
        decision = _with_base(decision, everything)
        notices += _missing_base(decision, everything)
    return Decided(decision, models, chosen is not None, notices, answers, over.alike)


def _with_base(decision: Decision, everything: Repository) -> Decision:
    """The decision with a LoRA's base out of all folders, whichever was searched.

    The serving plan depends on the base and is made again with it.
    """
    card, context = decision.card, decision.context
    base = everything.base_for(card, context.bases) if card else None
    if base == decision.base:
        return decision
    now = datetime.now().astimezone()
    plan = serving_plan(decision.intent, card, context, now, base, decision.further)
    return replace(decision, base=base, serving=plan)


def _missing_base(decision: Decision, everything: Repository) -> list[str]:
    """A notice where the base that the settings name is not here."""
    card = decision.card
    family = family_of(card) if card and card.kind == "lora" else None
    chosen = decision.context.bases.get(family or "")
    if not (family and chosen) or everything.bases.named(chosen):
        return []
    return [
        say(
            "The base that you chose for LoRAs of {family}, '{chosen}', is not here. Choose "
            "another one in the settings under PersonalQ.",
            family=label_of(family),
            chosen=chosen,
        )
    ]
