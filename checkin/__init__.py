"""Check-in: which of your models a request means."""

from .catalog.cards import Card
from .check_in import check_in
from .decision.decision import Choice, Decision, NearMiss, Question, ServingPlan
from .index.repository import EmptyRepository, Repository
from .language.intent import Intent
from .language.rewrite import Rewrite, rewrite

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
