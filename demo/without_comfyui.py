"""The main job without ComfyUI: Check-in decides, and diffusers draws the picture."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path, PurePath

from ..checkin import Card, Decision, Repository, check_in
from .conversation import Request, Turn


def decide(
    repository: Repository, request: Request, answers: Sequence[str]
) -> tuple[Turn, Decision]:
    """Return Check-in's decision alone, without a picture."""
    started = time.perf_counter()
    decision = check_in(request.text, repository, answers=tuple(answers))
    turn = Turn(
        decision.outcome, decision.why, time.perf_counter() - started, prompt=decision.prompt
    )
    turn.model = _name(decision.card) if decision.card else None
    turn.notices = list(decision.notices)
    turn.near = [
        f"{_name(miss.card)} (without: {miss.dropped})" if miss.dropped else _name(miss.card)
        for miss in decision.near
    ]
    if decision.question:
        turn.question = decision.question.text
        turn.choices = [choice.label for choice in decision.question.choices]
    return turn, decision


def decide_and_draw(
    repository: Repository,
    request: Request,
    answers: Sequence[str],
    *,
    demo: Path,
    pictures: Path,
    seed: int,
) -> Turn:
    """Decide; if a model is chosen, draw its picture in W8A8 and write it into `pictures`."""
    from . import through_diffusers

    started = time.perf_counter()
    turn, decision = decide(repository, request, answers)
    if decision.card is None or decision.prompt is None:
        return turn
    pipeline = through_diffusers.load(demo, decision.card)
    picture, report = through_diffusers.draw(
        pipeline, decision.prompt, seed, trigger=decision.card.trigger or ""
    )
    path = pictures / f"{seed + 1}_{turn.model}.png"
    through_diffusers.save(picture, path)
    turn.picture = str(path)
    turn.unet_bytes_before, turn.unet_bytes_after = report.bytes_before, report.bytes_after
    turn.seconds = time.perf_counter() - started
    return turn


def _name(card: Card) -> str:
    return PurePath(card.path).stem if card.path else card.id
