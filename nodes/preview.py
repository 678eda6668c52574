"""What Repo Check-in would decide, while the request is still being typed: nothing is loaded, and
no language model is asked.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

from ..checkin import Card, Decision, Repository
from ..checkin.catalog.connected import ConnectedModel
from ..checkin.catalog.given_answers import GivenAnswers
from ..checkin.catalog.pinned import PinnedModels
from ..checkin.catalog.reference import Reference
from ..checkin.decision.resolve import find
from ..checkin.index.bases import family_of
from ..checkin.language.read_part import MAX_CHARS
from ..checkin.lexicon.base_models import BASE_MODELS as KNOWN_BASES
from ..checkin.lexicon.sentences import say
from ..checkin.lexicon.split_models import split_model
from ..checkin.llm import OFFLINE
from .check_in_schema import BASE_MODELS
from .host.models.decide import decide
from .host.models.held import HeldRepositories
from .host.models.parts import missing_base, missing_parts
from .host.models.repository import ALL
from .host.provenance import PROVENANCE, Provenance
from .payload import decision_payload

_ANY_BASE = frozenset(one.id for one in KNOWN_BASES)
_TEXTS = ("request", "repository", "base_model", "chosen", "when_unsure", "made_with")
_SWITCHES = ("whole_prompt", "draw_what_fits", "each_in_its_place")


class Preview:
    """The handler of the route. `progress(done, total)` is called while models are read.

    Models are looked for in the `held` repositories. Thread-safe: one preview is made at a time.
    """

    def __init__(self, progress: Callable[[int, int], None], held: HeldRepositories):
        self._held = held
        self._lock = threading.Lock()
        self._progress = progress

    def __call__(self, named: Mapping[str, str], body: dict[str, Any]) -> dict[str, Any]:
        """The payload of a run (see `payload`) for the node's inputs; {error} with the sentence
        that it would end with.

        `body` has the node's inputs by their names; `answers` as a list of the texts that hold
        them; `connected`: None, or the name of the file behind the connected model ("" if that is
        unknown); and `made_with`, what the node keeps of its last run (host/provenance.py). If
        all models of that are here and others are decided now, the payload has `made_with_here`.
        Raises ValueError for a body of another form.
        """
        said = _checked(body)
        try:
            return self._payload(said)
        except ValueError as error:  # a sentence that a run would end with
            return {"error": str(error)}

    def _payload(self, said: Mapping[str, Any]) -> dict[str, Any]:
        if len(said["request"]) > MAX_CHARS:
            raise ValueError(
                say(
                    "The request is longer than {number:,} characters: there is no preview.",
                    number=MAX_CHARS,
                )
            )
        with self._lock:
            decided = decide(
                said["request"],
                said["repository"],
                base_model=BASE_MODELS[said["base_model"]],
                reasoner=OFFLINE,
                given=[GivenAnswers.from_text(one) for one in said["answers"]],
                best_match=said["when_unsure"] == "best match",
                pinned=PinnedModels.all_from_text(said["chosen"]),
                whole_prompt=said["whole_prompt"],
                what_fits=said["draw_what_fits"],
                each_in_its_place=said["each_in_its_place"],
                connected=self._connected(said["connected"]),
                opened=self._open,
            )
            lacking = _lacking(decided.decision) if said["connected"] is None else ()
            saved = Provenance({PROVENANCE: said["made_with"]}, "", is_saved=False)
            notices, instead = saved.compare(decided)
            payload = decision_payload(
                decided, self._open, offered=instead, notices=[*lacking, *notices]
            )
            return payload | {"made_with_here": bool(instead)}

    def _open(self, name: str, progress: object = None) -> Repository:
        return self._held.open(name, self._progress)

    def _connected(self, file: str | None) -> ConnectedModel | None:
        """What is known of the connected model before it is loaded, by its file's name."""
        if file is None:
            return None
        card = _card_of(file, self._open(ALL))
        if card is None or card.base_model is None:
            return ConnectedModel(card or Card(""), None, _ANY_BASE)
        return ConnectedModel(card, card.base_model)


def _lacking(decision: Decision) -> tuple[str, ...]:
    """What a run would end with where the base of the chosen LoRA, or a part of what is loaded, is
    not here.
    """
    card = decision.card
    if card is None:
        return ()
    root = card if card.kind == "checkpoint" else decision.base
    if root is None:
        return (str(missing_base(card, split_model(family_of(card)))),)
    here = root.path is not None and os.path.isfile(root.path)
    return tuple(filter(None, [missing_parts(root)] if here else []))


def _card_of(file: str, repository: Repository) -> Card | None:
    """The card of the file that a loader node names, which is only looked up, never opened."""
    name = PurePath(file.replace("\\", "/")).stem
    entry, _ = find(Reference(name=name), repository.catalogue()) if name else (None, [])
    return entry.card if entry else None


def _checked(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body with defaults for what it lacks. Raises ValueError for values of another type."""
    said: dict[str, Any] = {
        "repository": ALL,
        "base_model": "any",
        "chosen": "",
        "when_unsure": "ask",
        "made_with": "",
        "answers": [],
        "connected": None,
        "whole_prompt": False,
        "draw_what_fits": False,
        "each_in_its_place": True,
        **body,
    }
    texts = [said.get(name) for name in _TEXTS]
    answers, file = said["answers"], said["connected"]
    texts += [*(answers if isinstance(answers, list) else [None]), "" if file is None else file]
    switches = [said[name] for name in _SWITCHES]
    if not all(isinstance(one, str) for one in texts) or not all(
        isinstance(one, bool) for one in switches
    ):
        raise ValueError("Expected the inputs of Repo Check-in by their names.")
    if said["base_model"] not in BASE_MODELS:
        raise ValueError(f"There is no base model {said['base_model'][:40]!r}.")
    return said | {"answers": tuple(answers)}
