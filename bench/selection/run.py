"""Run selectors on queries, and evaluate their answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

from ...checkin import Repository
from ...checkin.llm import Profile
from ..timed import timed
from . import checkin, scorers
from .composer import TOP, compose
from .graded_relevance import graded_relevance
from .instances import Answer, Instance
from .metrics import right, totals
from .thresholds import Scored, tune

Selector = Callable[[str, Repository, datetime], Answer]

DECIDING: dict[str, Selector] = {
    "checkin": checkin.checkin,
    "checkin-no-clarification": checkin.without_clarification,
    "checkin-no-retrieval": checkin.without_retrieval,
    "checkin-rules-only": checkin.without_both,
}
"""Selectors that ask and decline by themselves."""
SCORING: dict[str, scorers.Scorer] = {
    "random": scorers.random_card,
    "bm25": scorers.bm25,
    "dense": scorers.dense,
    "rrf": scorers.rrf,
    "stylus": scorers.stylus,
    "reranker": scorers.description,
}
"""Selectors that score every card and take the best."""
CHECKIN_LLM = "checkin-llm"
WITH_LLM = (CHECKIN_LLM, "stylus-composer")
METHODS = (*DECIDING, *SCORING)
"""All methods that need no language model."""
TUNED = "+thresholds"
"""Suffix of a scoring method that declines and asks by two thresholds."""


class Pools:
    """The repository, and the parts of it to which queries are limited."""

    def __init__(self, repository: Repository):
        self._whole = repository
        self._parts: dict[tuple[str, ...], Repository] = {}

    def of(self, instance: Instance) -> Repository:
        """Return the cards for a query.

        Raises ValueError for a pool with an id that no card has.
        """
        if not instance.pool:
            return self._whole
        if instance.pool not in self._parts:
            try:
                cards = [self._whole.get(card_id) for card_id in instance.pool]
            except KeyError as error:
                raise ValueError(
                    f"{instance.id}: its candidate_pool names {error}, which no card is"
                ) from None
            self._parts[instance.pool] = Repository(cards)
        return self._parts[instance.pool]


def answers_of(
    method: str,
    instances: Sequence[Instance],
    repository: Repository,
    now: datetime,
    llm: Profile | None = None,
    settings: Path | None = None,
) -> list[Answer]:
    """Return the answers of one method, each timed in milliseconds.

    The first query runs twice, so that everything is loaded. "checkin-llm" and "stylus-composer"
    need a language model, `llm`, whose keys are in `settings`. Raises ValueError without it, and
    for an unknown method.
    """
    pools = Pools(repository)
    if method in WITH_LLM:
        if llm is None:
            raise ValueError(f"{method} needs a language model: name its profile with --llm")
        if method == "stylus-composer":
            return _timed(
                [
                    partial(stylus_composer, one.text, pools.of(one), llm, settings)
                    for one in instances
                ]
            )
        return _timed(
            [
                partial(checkin.checkin, one.text, pools.of(one), now, llm, settings)
                for one in instances
            ]
        )
    if method in DECIDING:
        select = DECIDING[method]
        return _timed([partial(select, one.text, pools.of(one), now) for one in instances])
    scorer = _scorer(method)

    def scored(one: Instance) -> Scored:
        pool = pools.of(one)
        return Scored.of(scorer(one.text, pool), [card.id for card in pool.cards])

    found = timed([partial(scored, one) for one in instances])
    all_scored = [one for one, _ in found]
    tuned = method.endswith(TUNED)
    answers = _judged(instances, all_scored) if tuned else [one.best() for one in all_scored]
    return [
        replace(answer, milliseconds=taken)
        for answer, (_, taken) in zip(answers, found, strict=True)
    ]


def stylus_composer(
    text: str, repository: Repository, profile: Profile, settings: Path | None
) -> Answer:
    """Run Stylus with its composer on the cards that are nearest by cosine. Raises NoAnswer.

    A query means one card here: the first adapter of the first topic that has one.
    """
    import numpy as np

    best = np.argsort(-scorers.stylus(text, repository), kind="stable")[:TOP]
    topics = compose(text, [repository.cards[one] for one in best], profile, settings)
    chosen = [card.id for topic in topics for card in topic.cards]
    return Answer("select", chosen[0]) if chosen else Answer("no_match")


def _judged(instances: Sequence[Instance], scored: Sequence[Scored]) -> list[Answer]:
    """Judge each half with the thresholds that are best for the other half."""
    answers: dict[int, Answer] = {}
    for side in (0, 1):
        other = [n for n in range(len(instances)) if n % 2 != side]
        both = tune([instances[n] for n in other], [scored[n] for n in other], right)
        answers |= {n: scored[n].judged(*both) for n in range(len(instances)) if n % 2 == side}
    return [answers[n] for n in range(len(instances))]


def _scorer(method: str) -> scorers.Scorer:
    name, _, model = method.removesuffix(TUNED).partition(":")
    if name == "reranker" and model:
        return scorers.cross_encoder(model)
    if name not in SCORING or model:
        raise ValueError(
            f"there is no method '{method}'; there are {', '.join((*METHODS, *WITH_LLM))} and "
            "reranker:MODEL"
        )
    return SCORING[name]


def _timed(runs: Sequence[Callable[[], Answer]]) -> list[Answer]:
    return [replace(answer, milliseconds=taken) for answer, taken in timed(runs)]


def judge(
    method: str,
    instances: Sequence[Instance],
    repository: Repository,
    now: datetime,
    llm: Profile | None = None,
    settings: Path | None = None,
) -> dict[str, Any]:
    """Return {method, totals, instances}: a method's answer to each query, and its metrics."""
    answers = answers_of(method, instances, repository, now, llm, settings)
    cards = {card.id: card for card in repository.cards}
    scores = [
        graded_relevance(instance, answer, cards)
        for instance, answer in zip(instances, answers, strict=True)
    ]
    return {
        "method": method,
        "totals": totals(instances, answers) | {"graded_relevance": mean(scores)},
        "instances": [
            {
                "instance_id": instance.id,
                "outcome": answer.outcome,
                "checkpoint_id": answer.card,
                "choices": list(answer.choices),
                "prompt": answer.prompt,
                "milliseconds": round(answer.milliseconds, 3),
            }
            for instance, answer in zip(instances, answers, strict=True)
        ],
    }
