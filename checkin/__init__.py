"""Check-in: which of your models a request means."""

from .cards import Card
from .check_in import check_in
from .decision import Choice, Decision, NearMiss, Question, ServingPlan
from .intent import Intent
from .repository import EmptyRepository, Repository
from .rewrite import Rewrite, rewrite

__all__ = [
    "Card",
    "Choice",
    "Decision",
    "EmptyRepository",
    "Intent",
    "NearMiss",
    "Question",
    "Repository",
    "Rewrite",
    "ServingPlan",
    "check_in",
    "rewrite",
]
