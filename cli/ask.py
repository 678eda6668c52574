"""`personalq ask`: find the model that a request means."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from ..checkin import Card, Decision, Repository, check_in
from ..checkin.decision.serving.plan import model_identity
from ..checkin.decision.serving.record import IntentRecord
from ..checkin.index.folders import without_ending
from ..checkin.lexicon.sentences import ENGLISH, again, languages, say, speaking
from ..checkin.llm import OFFLINE
from ..checkin.readers.sidecar import ENDING
from ..checkin.user.context import load_context, open_history
from ..checkin.user.history import Use
from .decision_json import as_dict
from .settings import add_settings, settings_of
from .terminal import print_line, print_notices


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the subcommand."""
    parser.add_argument("request")
    parser.add_argument(
        "--repo",
        action="append",
        default=[],
        type=Path,
        metavar="FOLDER",
        help="a folder of models",
    )
    parser.add_argument("--cards", type=Path, metavar="FILE", help="a cards.jsonl")
    parser.add_argument(
        "--answer", action="append", default=[], help="your answer to the question, in order"
    )
    parser.add_argument(
        "--now", type=_moment, metavar="ISO", help="the moment that 'last week' counts from"
    )
    parser.add_argument(
        "--reasoner",
        default=OFFLINE,
        metavar="NAME",
        help="a language model, asked where the evidence is not clear",
    )
    parser.add_argument(
        "--embedder", default="auto", metavar="MODEL", help="ranks by meaning; none: by words alone"
    )
    parser.add_argument(
        "--reranker", metavar="MODEL", help="a cross-encoder for the first of the ranking"
    )
    parser.add_argument(
        "--whole-prompt",
        action="store_true",
        help="leave the words that only chose the model in the prompt",
    )
    parser.add_argument(
        "--draw-what-fits",
        action="store_true",
        help="of several models that are asked for, take those that are here and fit together",
    )
    parser.add_argument(
        "--language",
        default=ENGLISH,
        choices=languages(),
        help="of what is said; requests may be in any of these languages",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    add_settings(parser)


def run(options: argparse.Namespace) -> None:
    """Print the decision, and add a chosen model to the history.

    Raises ValueError where neither folders nor cards are given.
    """
    with speaking(options.language):
        _run(options)


def _run(options: argparse.Namespace) -> None:
    if not options.repo and not options.cards:
        raise ValueError("say where your models are: --repo FOLDER, or --cards FILE.")
    settings = settings_of(options)
    embedder = None if options.embedder == "none" else options.embedder
    repository = Repository.open(
        *options.repo, cards=options.cards, embedder=embedder, reranker=options.reranker
    )
    decision = check_in(
        options.request,
        repository,
        now=options.now,
        answers=options.answer,
        reasoner=options.reasoner,
        settings=settings,
        context=load_context(settings),
        whole_prompt=options.whole_prompt,
        what_fits=options.draw_what_fits,
    )
    notices = [*map(again, repository.notices), *decision.notices]
    if decision.card and (history := open_history(settings)):
        try:
            history.add(Use(datetime.now().astimezone(), model_identity(decision.card)))
        except OSError as error:
            why = error.strerror or error
            notices.append(say("this use is not in the history ({why})", why=why))
    if options.json:
        print(json.dumps(_answer(decision, notices)))
        return
    print_line(decision.why)
    if decision.card:
        print_line(f"model:  {decision.card.path or decision.card.id}")
        print_line(f"prompt: {decision.prompt}")
        if decision.offered_name:
            print_line(_hint(decision.card, decision.offered_name))
    if decision.question:
        print_line(decision.question.text)
        for choice in decision.question.choices:
            shown = "" if choice.shown == choice.label else f"{choice.shown}: "
            print_line(f'  --answer "{choice.label}"  ({shown}{choice.detail})')
    print_notices(notices)


def _hint(card: Card, name: str) -> str:
    """How the next request finds the model by this name."""
    model = without_ending(Path(card.path or card.id).name)
    written = ", ".join((*card.names, name))
    return f"to call it '{name}', write this line into {model}{ENDING}: names: [{written}]"


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        if not 1970 < moment.year < 3000:
            raise ValueError
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"'{text}' is no moment: write 2026-04-11 or 2026-04-11T09:30"
        ) from None
    return moment if moment.tzinfo else moment.astimezone()


def _answer(decision: Decision, notices: Sequence[str]) -> dict[str, Any]:
    cards = [card.as_dict() for card in decision.cards]
    return as_dict(decision, ()) | {
        "notices": notices,
        "card": cards[0] if cards else None,
        "cards": cards,
        "intent": IntentRecord.of(decision).as_dict(),
    }
