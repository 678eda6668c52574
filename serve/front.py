"""What the service does with a request: decide, and accept the job. It knows no HTTP and no Ray."""

from __future__ import annotations

import math
import random
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..checkin import Decision, EmptyRepository, check_in
from ..checkin.catalog.pinned import PinnedModels
from ..checkin.language.read_part import MAX_CHARS
from ..checkin.lexicon.base_models import label_of
from ..checkin.lexicon.sentences import again, say
from ..checkin.lexicon.text import without_folders
from ..checkin.readers.failures import is_text
from ..checkin.user.context import load_context
from ..checkin.user.preferences import load_preferences
from .job import Job, Task
from .library import Library
from .plan import Plan
from .store import Conflict, Store
from .tokens import Pace, Token, Tokens

MAX_ANSWERS = 10
MAX_ANSWER_CHARS = 200
LEAST_SIDE, MOST_SIDE = 64, 2048
"""Pixels of a side, which a multiple of 8 must be."""
MAX_SEED = 2**32 - 1


@dataclass(frozen=True)
class Ask:
    """One request, as it came in."""

    request: str
    answers: tuple[str, ...] = ()
    seed: int | None = None
    width: int | None = None
    height: int | None = None
    id: str | None = None
    """The id that its job gets, so that sending it again draws nothing twice."""

    @property
    def question(self) -> dict[str, Any]:
        """What two requests with one id must have in common."""
        return {
            "request": self.request,
            "answers": self.answers,
            "seed": self.seed,
            "size": [self.width, self.height],
        }


class Refused(Exception):
    """The request is not served: an HTTP status and a sentence; perhaps when to come again."""

    def __init__(self, status: int, why: str, after: float | None = None):
        super().__init__(why)
        self.status, self.why = status, why
        self.after = None if after is None else max(math.ceil(after), 1)


class Front:
    """Decides requests and keeps their jobs. Stateless but for the pace of each token."""

    def __init__(self, plan: Plan, store: Store, wake: Callable[[], None] = lambda: None):
        """Open the library. `wake` is called when a job was accepted."""
        self.plan, self.store, self._wake = plan, store, wake
        self.tokens = Tokens(plan.tokens)
        self._pace = Pace()
        self.library = Library(plan)
        self._settings = Path(plan.settings) if plan.settings else None

    def who(self, authorization: str) -> Token | None:
        """The token of a request; None where none is needed. Raises Refused."""
        if not self.tokens.all():
            if self.plan.local:
                return None
            raise Refused(401, say("This service has no tokens yet, and answers nobody."))
        token = self.tokens.of(authorization)
        if token is None:
            raise Refused(401, say("Send a token of this service: Authorization: Bearer TOKEN."))
        return token

    def ask(self, ask: Ask, token: Token | None) -> dict[str, Any]:
        """Decide a request; accept the job if it means a model. Raises Refused."""
        self._check(ask)
        owner = token.name if token else ""
        if token and (later := self._pace.wait(token.name, token.a_minute)):
            why = say("This token may ask {number} times a minute.", number=token.a_minute)
            raise Refused(429, why, later)
        if job := self._known(ask, owner):
            return {"outcome": "select", "job": job.as_dict()}
        decision = self._decide(ask)
        answer = _answer(decision)
        if decision.outcome == "select":
            self._room(token)
            job = Job(ask.id or uuid.uuid4().hex, owner, _task(decision, ask))
            answer["job"] = self._accept(job, ask).as_dict()
            self._wake()
        return answer

    def job(self, job_id: str, token: Token | None) -> Job:
        """A job of this token. Raises Refused."""
        if job := self.store.get(job_id, token.name if token else ""):
            return job
        raise Refused(404, say("There is no job with this id."))

    def picture(self, job_id: str, token: Token | None) -> tuple[str, bytes]:
        """(media type, bytes) of a job's picture. Raises Refused."""
        job = self.job(job_id, token)
        if job.state == "failed":
            raise Refused(410, again(job.error))
        if found := self.store.picture(job.id):
            return found
        raise Refused(404, say("This picture is not drawn yet."), self.store.mean_seconds())

    def _check(self, ask: Ask) -> None:
        """The bounds of what is read."""
        if not ask.request.strip():
            raise Refused(422, say("Say what you want in `request`."))
        if not all(map(is_text, (ask.request, *ask.answers))):
            raise Refused(422, say("A text has a broken character: send it as UTF-8."))
        if len(ask.request) > MAX_CHARS:
            raise Refused(422, say("A request has at most {most:,} characters.", most=MAX_CHARS))
        if len(ask.answers) > MAX_ANSWERS or any(len(a) > MAX_ANSWER_CHARS for a in ask.answers):
            raise Refused(
                422,
                say(
                    "Send at most {number} answers of {most} characters.",
                    number=MAX_ANSWERS,
                    most=MAX_ANSWER_CHARS,
                ),
            )
        sides = [side for side in (ask.width, ask.height) if side is not None]
        if any(not LEAST_SIDE <= side <= MOST_SIDE or side % 8 for side in sides):
            raise Refused(
                422,
                say(
                    "A side of the picture has {least} to {most} pixels, a multiple of 8.",
                    least=LEAST_SIDE,
                    most=MOST_SIDE,
                ),
            )
        if ask.seed is not None and not 0 <= ask.seed <= MAX_SEED:
            raise Refused(422, say("A seed is a number from 0 to {most}.", most=MAX_SEED))

    def _known(self, ask: Ask, owner: str) -> Job | None:
        if ask.id is None:
            return None
        try:
            return self.store.accepted(ask.id, owner, ask.question)
        except Conflict:
            raise _taken() from None

    def _accept(self, job: Job, ask: Ask) -> Job:
        try:
            return self.store.add(job, ask.question)
        except Conflict:
            raise _taken() from None

    def _decide(self, ask: Ask) -> Decision:
        try:
            wanted = load_preferences(self._settings)
            # Without the history: it would be that of everybody who asks here.
            context = replace(load_context(self._settings), history=())
        except ValueError as error:  # the file may be changed while the service runs
            raise Refused(503, without_folders(str(error))) from None
        try:
            decision = check_in(
                ask.request,
                self.library.repository(),
                answers=ask.answers,
                reasoner=wanted.reasoner,
                settings=self._settings,
                context=context,
                most_questions=wanted.questions,
                each_in_its_place=True,  # as the graph's Repo Check-in has it
            )
        except EmptyRepository:
            raise Refused(503, say("This service has no models that can be asked for.")) from None
        except ValueError as error:
            raise Refused(422, without_folders(str(error))) from None
        card = decision.card
        if card and card.kind == "lora" and decision.base is None:
            raise Refused(
                422,
                say(
                    "{name} is a LoRA for {base}, and no such checkpoint is here: add one to the "
                    "service's models.",
                    name=card.name,
                    base=label_of(card.base_model) if card.base_model else say("an unknown base"),
                ),
            )
        return decision

    def _room(self, token: Token | None) -> None:
        """Raise Refused where too many jobs wait already."""
        wait, unfinished = self.store.mean_seconds(), self.store.unfinished()
        if unfinished >= self.plan.most_waiting:
            why = say("All painters are busy and {number} jobs wait.", number=unfinished)
            raise Refused(503, why, wait * unfinished / self.plan.most_painters / 2)
        if token and self.store.unfinished(token.name) >= token.waiting:
            why = say("This token may have {number} jobs waiting.", number=token.waiting)
            raise Refused(429, why, wait)


def _taken() -> Refused:
    return Refused(409, say("Another request has this id: choose a new one."))


def _task(decision: Decision, ask: Ask) -> Task:
    used = [one for one in decision.models if one.on and one.card]
    pinned = [
        replace(one.pinned, strength=one.strength)
        if one.card and one.card.kind == "lora"
        else one.pinned
        for one in decision.models
    ]
    base = decision.base or decision.card
    assert base
    return Task(
        request=ask.request,
        chosen=PinnedModels(tuple(pinned), ask.request, ask.answers).to_text(),
        models=tuple(one.card.name for one in used if one.card),
        prompt=decision.prompt or "",
        base=base.id,
        preset=decision.serving.preset,
        seed=random.SystemRandom().randint(0, MAX_SEED) if ask.seed is None else ask.seed,
        width=ask.width,
        height=ask.height,
    )


def _answer(decision: Decision) -> dict[str, Any]:
    """What the person sees of a decision; nothing of paths."""
    question = decision.question
    choices: Sequence[Any] = question.choices if question else ()
    return {
        "outcome": decision.outcome,
        "why": decision.why,
        "models": [card.name for card in decision.cards],
        "prompt": decision.prompt,
        "question": question.text if question else None,
        "choices": [
            {"label": one.label, "shown": one.shown, "detail": one.detail} for one in choices
        ],
        "near": [
            {"name": miss.card.name, "dropped": miss.dropped, "met": miss.met}
            for miss in decision.near
        ],
        "near_words": [[word, list(words)] for word, words in decision.near_words],
        "notices": [without_folders(one) for one in decision.notices],
    }
