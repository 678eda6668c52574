"""The Check-in pipeline: from a request to a decision.

It reads the request with the words of the library, chooses a model or asks, applies the user's
answers, rewrites the prompt, and plans how the model is run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from .catalog.connected import ConnectedModel
from .catalog.pinned import MAX_MODELS, PinnedModel
from .catalog.reference import Reference
from .catalog.selection import CardSelection
from .catalog.vocabulary import vocabulary_of
from .decision.additions import additions
from .decision.case import Case
from .decision.decide import decide
from .decision.decision import Decision, Region
from .decision.evidence.grounder import grounder_of
from .decision.gates.constraints import Reading
from .decision.notices import (
    contradictions,
    mixed_bases,
    other_base,
    untold_triggers,
    unusable_triggers,
)
from .decision.offered_name import offered_name
from .decision.options import Options
from .decision.prompt import prompt_of
from .decision.ranking import Ranker
from .decision.reasoning.reasoner import Reasoner
from .decision.resolve import find
from .decision.selected import runners_up
from .decision.serving.plan import serving_plan
from .decision.serving.regions import Called, regions_of
from .decision.serving.used import strengthened, used_models
from .decision.tagged import as_called_here, decide_tagged
from .decision.verdict import Verdict
from .index.repository import Repository
from .language.drawn import Drawn
from .language.each_of_them import each_by_name
from .language.exact_triggers import unknown_triggers
from .language.lora_tags import lora_tags
from .language.parse import parse
from .language.read_part import ReadPart
from .lexicon.base_models import label_of
from .lexicon.sentences import again, listed, say, sentence, speaking, spoken
from .llm import OFFLINE, Deadline, Profile, profile_named
from .user.context import Context
from .user.preferences import MAX_QUESTIONS

_UNKNOWN_LANGUAGE = sentence(
    "Check-in does not know {language}: it looked only for names. A language model can be set in "
    "Settings, PersonalQ."
)
_ONLY_BASE = sentence("Only models for {base} are looked at: `base_model` is set to it.")
_TOO_MANY_TAGS = sentence("Only the first {number} tags of LoRAs are used.")


def check_in(
    request: str,
    repository: Repository,
    *,
    now: datetime | None = None,
    answers: Sequence[str] = (),
    reasoner: str | Profile = OFFLINE,
    base_model: str | None = None,
    best_match: bool = False,
    settings: Path | None = None,
    deadline: float = 20.0,
    context: Context | None = None,
    chosen: Reference | Sequence[PinnedModel] | None = None,
    used: Sequence[PinnedModel] = (),
    most_questions: int = MAX_QUESTIONS,
    whole_prompt: bool = False,
    connected: ConnectedModel | None = None,
    what_fits: bool = False,
    each_in_its_place: bool = False,
    language: str | None = None,
) -> Decision:
    """Decide which model of `repository` the request means.

    `now` (default: the current time, in the local zone) is the moment that "last week" is counted
    from. `answers` are the user's answers to the questions so far, each the label of a choice or
    free text; each one narrows the models that are left, but one that is not understood does not
    count. `base_model` ("sd15", "sdxl", ...) leaves out models of any other base model. With
    `best_match`, and after `most_questions` questions in a row, the likeliest model is taken
    instead of asking.

    `reasoner` is a language model: a profile, or a profile's name. It is asked where the evidence
    is not clear (rule 9). It has `deadline` seconds in total; if it gives no answer, the decision
    without it stands, with a notice. `settings` is the folder with the user's profiles and keys.

    `context` holds the machine, the user's preferences and history: the serving plan and the
    base of a LoRA depend on it, and what is meant by when it was used. `chosen` is a model that
    the user picked by hand, or several with how each is used: if they are in the repository,
    they are taken whatever the request says. `used` says how models are used, strength and
    triggers, where the request decides for them. Tags in the request (`<lora:ink_style:0.7>`) pick
    models too, if none are `chosen`, beside the one that its words point at ("my latest bear");
    they are not drawn, and those of models that are not here say so.

    Words of the request that only choose the model ("my latest", "from last winter", "please") are
    left out of the prompt; with `whole_prompt` they stay.

    With a model `connected`, only LoRAs that fit it are chosen, and it is their base.

    A request may mean several models. If one of them is not here, or they do not fit together, it
    declines; with `what_fits`, those are taken that do. With `each_in_its_place`, several subjects
    have parts of the picture of their own (rule 13).

    `language` ("de", "ja", ...) is that of the sentences of the decision and of errors; by default
    the one of `speaking`, else English. A choice's `label` stays, its `shown` is in the language.

    Raises ValueError for an empty request, an unknown reasoner or a `now` without a time zone.
    """
    with speaking(language or spoken()):
        now = now or datetime.now().astimezone()
        _check(request, now)
        options = Options(
            now=now,
            answers=tuple(answers),
            reasoner=_reasoner(reasoner, deadline, settings),
            base_model=base_model,
            connected=connected,
            best_match=best_match,
            what_fits=what_fits,
            context=context or Context(),
            chosen=(PinnedModel(chosen),) if isinstance(chosen, Reference) else tuple(chosen or ()),
            used=tuple(used),
            most_questions=most_questions,
            each_in_its_place=each_in_its_place,
        )
        catalogue = repository.catalogue()
        written, text = lora_tags(request)
        tags = tuple(as_called_here(one, catalogue) for one in written[:MAX_MODELS])
        here = tuple(one for one in tags if find(one.reference, catalogue)[0])
        gone = [str(one.reference) for one in tags if one not in here]
        part = ReadPart.of(text or ", ".join(str(one.reference) for one in tags) or request)
        case = _read(part.read, repository, options)
        if here and not options.chosen:
            case, (verdict, left) = decide_tagged(case, here)
        else:
            verdict, left = decide(case)
            verdict = _as_used_before(case, verdict)
        prompt, unheard = prompt_of(case, verdict, whole_prompt or bool(part.rest))
        if prompt and part.rest:
            prompt = replace(prompt, text=prompt.text + part.rest)
        missing = (
            say("There is no LoRA '{name}' here: its tag is left out.", name=n) for n in gone
        )
        most = [say(_TOO_MANY_TAGS, number=MAX_MODELS)] if len(written) > MAX_MODELS else []
        notices = (*part.notices, *most, *missing, *_notices(case, verdict), *unheard)
        decision = _plan(case, verdict, left, prompt, notices)
        name = "" if tags else decision.offered_name  # a tag says what its model is called
        return replace(decision, request=request, offered_name=name)


def _as_used_before(case: Case, verdict: Verdict) -> Verdict:
    """The verdict with the user's strengths and triggers for those of its models that have some."""
    if verdict.resolved:
        return verdict  # picked by hand
    catalogue = case.repository.catalogue()
    found = [(find(one.reference, catalogue)[0], one) for one in reversed(case.options.used)]
    by_id = {view.id: one for view, one in found if view}
    known = {view.position: by_id[view.id] for view in verdict.views if view.id in by_id}
    if not known:
        return verdict
    names = [view.card.name for view in verdict.views if view.position in known]
    notice = say("As you set it before: {models}.", models=listed(names, "and"))
    return replace(verdict, used=known, notices=(*verdict.notices, notice))


def _check(request: str, now: datetime) -> None:
    if not request.strip():
        raise ValueError(
            say(
                "The request is empty: say what you want, for example 'my latest realistic bear on "
                "grass'."
            )
        )
    if now.tzinfo is None:
        raise ValueError(
            "`now` has no time zone: give an aware datetime, or '2025-05-15T12:00+02:00'."
        )


def _reasoner(named: str | Profile, deadline: float, settings: Path | None) -> Reasoner | None:
    if named == OFFLINE:
        return None
    profile = profile_named(named, settings) if isinstance(named, str) else named
    return Reasoner(profile, Deadline(deadline), settings)


def _read(request: str, repository: Repository, options: Options) -> Case:
    vocabulary = vocabulary_of(repository.version, repository.catalogue)
    request = each_by_name(request, vocabulary)
    intent = replace(parse(request, vocabulary, options.now), connected=options.connected)
    said_base = intent.base_model
    if options.base_model:
        intent = replace(intent, base_model=options.base_model, other_bases=())
    ranker = Ranker(intent.gloss.text if intent.gloss else request, repository)
    return Case(request, repository, options, vocabulary, Reading.of(intent), ranker, said_base)


def _notices(case: Case, verdict: Verdict) -> list[str]:
    """Notices for the user besides the decision, in the order in which they arose."""
    unknown = unknown_triggers(case.request, case.vocabulary)
    language = case.reading.intent.language
    notices = [] if language.known else [say(_UNKNOWN_LANGUAGE, language=language.name)]
    notices += [say("No model here has the trigger {trigger}.", trigger=one) for one in unknown]
    if base := case.options.base_model:
        notices += other_base(case.reading.intent, case.said_base, base)
        if verdict.declines and not case.said_base:
            notices.append(say(_ONLY_BASE, base=label_of(base)))
    notices += [*map(again, case.ranker.notices), *verdict.notices]
    if entry := verdict.entry:
        picked = len(case.options.chosen) == 1
        if picked or entry.id in case.reading.intent.names:
            notices += contradictions(case.reading, verdict.views, case.library)
        notices += unusable_triggers(entry.card)
        notices += untold_triggers([view.card for view in verdict.views], case.request)
    return notices


def _offered_name(case: Case, verdict: Verdict) -> str:
    """What the model could be called that the user picked, by hand or by an answer; "" if none.

    A base model that draws anything is called by nothing that it draws.
    """
    entry, picked = verdict.entry, case.options.chosen or case.options.answers
    if not (picked and entry and entry.card.path) or verdict.further:
        return ""
    columns = case.repository.catalogue().columns
    if entry.card.kind != "lora" and not columns.personal[entry.position]:
        return ""
    grounder = grounder_of(case.repository.version, columns)
    return offered_name(case.reading.intent, grounder, entry)


def _plan(
    case: Case,
    verdict: Verdict,
    left: CardSelection,
    prompt: Drawn | None,
    notices: tuple[str, ...],
) -> Decision:
    """The decision, with the serving plan."""
    options = case.options
    others = runners_up(verdict, left) if verdict.entry and left else ()
    intent = case.reading.intent
    said = intent.gloss.text if intent.gloss else case.request
    models = used_models(verdict, others, said, intent.strengths)
    regions: tuple[Region, ...] = ()
    if options.each_in_its_place and prompt:
        called = [
            Called(one.card, one.triggers, one.words) for one in models if one.card and one.on
        ]
        regions = regions_of(called, prompt.text)
        models = strengthened(models, regions)
    used = {one.card.id: one.as_used for one in models if one.card}
    cards = [card for view in verdict.views if (card := used[view.id])]
    card = cards[0] if cards else verdict.alone
    base = None
    if card and not verdict.alone:
        base = (
            options.connected.card
            if options.connected
            else case.repository.base_for(card, options.context.bases)
        )
    return Decision(
        outcome="select" if card else "clarify" if verdict.question else "no_match",
        request=case.request,
        why=verdict.why,
        intent=replace(intent, divisions=(verdict.divided,) if verdict.divided else ()),
        constraints=case.reading.constraints,
        serving=serving_plan(intent, card, options.context, options.now, base, tuple(cards[1:])),
        card=card,
        further=tuple(cards[1:]),
        models=models,
        base=base,
        prompt=prompt.text if prompt else None,
        regions=regions,
        pieces=prompt.pieces if prompt else (),
        question=verdict.question,
        heard=verdict.heard,
        unheard=verdict.unheard,
        near=verdict.near,
        near_words=verdict.near_words,
        others=others,
        additions=additions(case, verdict),
        context=options.context,
        notices=(*notices, *mixed_bases([*cards, *([base] if base else [])])),
        offered_name=_offered_name(case, verdict),
        asked=tuple(options.reasoner.calls) if options.reasoner else (),
    )
