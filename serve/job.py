"""A job: one picture to draw, decided once and for all when it was accepted."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

State = Literal["waiting", "drawing", "done", "failed"]
FINISHED: tuple[State, ...] = ("done", "failed")


@dataclass(frozen=True)
class Task:
    """What a painter needs to draw. Drawn twice, it gives the same picture."""

    request: str
    chosen: str
    """The models, as Repo Check-in's input `chosen` has them."""
    models: tuple[str, ...]
    """The names of the models, to check what was drawn."""
    prompt: str
    base: str
    """The id of the checkpoint that is loaded."""
    preset: str
    """Of TAQ; "none" for full precision."""
    seed: int
    width: int | None = None
    height: int | None = None
    """Pixels; None for what suits the model."""

    @property
    def key(self) -> str:
        """Jobs with one key need the same quantized weights."""
        return f"{self.base}|{self.preset}"

    def as_dict(self) -> dict[str, Any]:
        """The task in JSON types."""
        return asdict(self)

    @classmethod
    def of(cls, values: dict[str, Any]) -> Task:
        """The task that `as_dict` gave."""
        return cls(**{**values, "models": tuple(values["models"])})


@dataclass(frozen=True)
class Job:
    """A task and how far it is."""

    id: str
    owner: str
    """The name of the token that it was asked with; "" without tokens."""
    task: Task
    state: State = "waiting"
    step: int = 0
    steps: int = 0
    """Sampling steps done, and in all; 0 while that is not known."""
    attempts: int = 0
    """How often drawing was begun."""
    error: str = ""
    seconds: float | None = None
    """From acceptance to the picture."""

    def as_dict(self) -> dict[str, Any]:
        """The job as an answer shows it: without path, card file or owner."""
        task = self.task
        return {
            "id": self.id,
            "state": self.state,
            "step": self.step,
            "steps": self.steps,
            "error": self.error or None,
            "seconds": self.seconds,
            "request": task.request,
            "models": list(task.models),
            "prompt": task.prompt,
            "preset": task.preset,
            "seed": task.seed,
            "picture": f"/v1/jobs/{self.id}/picture" if self.state == "done" else None,
        }
