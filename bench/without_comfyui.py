"""What of the main job runs where there is no ComfyUI: Check-in's decisions and the count of quantized bytes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import PurePath

import torch

from ..checkin import Card, Repository, check_in
from ..taq_kernels import Report, quantize_
from .conversation import Request, Turn
from .demo.weights import UNET, base_checkpoint
from .skeleton import skeleton
from .unet_shapes import DEMO, unet_shapes


def decide(repository: Repository, request: Request, answers: Sequence[str]) -> Turn:
    """Check-in's decision alone, without a picture."""
    started = time.perf_counter()
    decision = check_in(request.text, repository, answers=tuple(answers))
    turn = Turn(decision.outcome, decision.why, time.perf_counter() - started, prompt=decision.prompt)
    turn.model = _name(decision.card) if decision.card else None
    turn.notices = list(decision.notices)
    turn.near = [f"{_name(miss.card)} (without: {miss.dropped})" for miss in decision.near]
    if decision.question:
        turn.question = decision.question.text
        turn.choices = [choice.label for choice in decision.question.choices]
    return turn


def quantization_report() -> Report:
    """The demo base's UNet in W8A8."""
    weights = base_checkpoint()
    unet = skeleton(unet_shapes(DEMO), lambda name, shape: torch.from_numpy(weights[UNET + name]))
    return quantize_(unet, "W8A8")


def _name(card: Card) -> str:
    return PurePath(card.path).stem if card.path else card.id
