"""The queries of a benchmark file, and a selector's answers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

GROUPS = ("single", "ambiguous", "no-match")
Outcome = Literal["select", "clarify", "no_match"]


@dataclass(frozen=True)
class Instance:
    """A query and its right answer: a card, a question, or that nothing fits."""

    id: str
    text: str
    kind: str
    card: str | None
    no_match: bool
    pool: tuple[str, ...] = ()
    """Ids of the cards to choose from; if empty, all cards."""
    acceptable: tuple[str, ...] = ()
    """Ids of the cards that a question should be about; if empty, any question is right."""

    @property
    def group(self) -> str:
        """One of GROUPS."""
        return "no-match" if self.no_match else "single" if self.card else "ambiguous"


@dataclass(frozen=True)
class Answer:
    """A selector's answer to one query."""

    outcome: Outcome
    card: str | None = None
    choices: tuple[str, ...] = ()
    """Text of the buttons that the user would see."""
    offered: tuple[str, ...] = ()
    """Ids of the cards that the choices stand for."""
    prompt: str | None = None
    milliseconds: float = 0.0


def read_instances(path: Path) -> list[Instance]:
    """Read the lines of a queries.jsonl.

    Raises ValueError, with the number of the line, for a line without exactly one truth.
    """
    instances = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.strip():
            try:
                instances.append(_instance(json.loads(line)))
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(f"{path.name}, line {number}: {error}") from error
    if not instances:
        raise ValueError(f"{path.name} holds no query")
    return instances


def _instance(line: dict[str, Any]) -> Instance:
    truth = line["ground_truth"]
    card, no_match, asks = (
        truth.get(name) for name in ("checkpoint_id", "no_match", "requires_clarification")
    )
    if (no_match and (card or asks)) or not (card or no_match or asks):
        raise ValueError(
            "ground_truth must say one of checkpoint_id, requires_clarification, no_match"
        )
    return Instance(
        str(line["instance_id"]),
        str(line["natural_language_query"]),
        str(line.get("kind", "query")),
        None
        if asks
        else card,  # where a question is right, the card that was meant is not a right answer
        bool(no_match),
        tuple(line.get("candidate_pool") or ()),
        tuple(line.get("acceptable") or ()),
    )
