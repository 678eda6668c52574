"""Three requests to the demo repository, and the turns until each has its result.

One is clear, one needs a question, and no model fits the third.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

MAX_QUESTIONS = 2


@dataclass(frozen=True)
class Request:
    """A request and the outcomes expected on the demo repository."""

    text: str
    expected: tuple[str, ...]
    """Outcomes in order; a "clarify" is answered with the question's first choice."""


REQUESTS = (
    Request("my latest realistic bear on forest grass", ("select",)),
    Request("a sketch of the house from spring 2026, in the morning sun", ("clarify", "select")),
    Request("a December watercolour of a dog", ("no_match",)),
)


@dataclass
class Turn:
    """One decision on a request, with its picture if one was drawn."""

    outcome: str
    why: str
    seconds: float
    model: str | None = None
    prompt: str | None = None
    question: str | None = None
    choices: list[str] = field(default_factory=list)
    answer: str | None = None
    """The choice that is passed to the next turn."""
    near: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    picture: str | None = None
    unet_bytes_before: int | None = None
    unet_bytes_after: int | None = None


@dataclass(frozen=True)
class Conversation:
    """All turns of a request, until there is a picture or a reason why there is none."""

    request: Request
    turns: list[Turn]

    @property
    def as_expected(self) -> bool:
        """Whether the outcomes are the expected ones."""
        return tuple(turn.outcome for turn in self.turns) == self.request.expected

    def to_dict(self) -> dict[str, Any]:
        """Request, verdict and turns, for JSON."""
        turns = [asdict(turn) for turn in self.turns]
        return {"request": self.request.text, "as_expected": self.as_expected, "turns": turns}


def converse(
    request: Request, decide: Callable[[Sequence[str]], Turn], say: Callable[[Request, Turn], None]
) -> Conversation:
    """Call `decide` with the answers so far until it asks no more question.

    Each question is answered with its first choice. `say` gets every turn.
    """
    conversation = Conversation(request, [])
    answers: list[str] = []
    for _ in range(MAX_QUESTIONS + 1):
        turn = decide(answers)
        conversation.turns.append(turn)
        if turn.outcome == "clarify":
            turn.answer = turn.choices[0]
            answers.append(turn.answer)
        say(request, turn)
        if turn.outcome != "clarify":
            break
    return conversation
