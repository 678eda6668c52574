"""The `personalq` command."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from .checkin import Decision, Repository, check_in
from .checkin.gather import RepositoryError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand; the exit code is 0, or 2 where the input was wrong."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["bench"]:
        from .bench.cli import main as bench

        return bench(arguments[1:])
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except (ValueError, RepositoryError) as error:
        print(f"personalq: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("personalq", description="Find your own models by asking for them in plain words.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    index = commands.add_parser("index", help="list the models of one or more folders, and what is known of each")
    index.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    index.add_argument("--json", action="store_true", help="one JSON object")
    index.set_defaults(run=_index)

    ask = commands.add_parser("ask", help="which model a request means")
    ask.add_argument("request")
    ask.add_argument("--repo", action="append", default=[], type=Path, metavar="FOLDER", help="a folder of models")
    ask.add_argument("--cards", type=Path, metavar="FILE", help="a cards.jsonl")
    ask.add_argument("--answer", action="append", default=[], help="your answer to the question, in order")
    ask.add_argument("--now", type=_moment, metavar="ISO", help="the moment that 'last week' counts from")
    ask.add_argument("--json", action="store_true", help="one JSON object")
    ask.set_defaults(run=_ask)

    commands.add_parser("bench", help="demo repository and measurements: see `personalq bench --help`")
    return parser


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.astimezone()


def _index(options: argparse.Namespace) -> None:
    repository = Repository.open(*options.folders)
    if options.json:
        print(json.dumps({"cards": [card.as_dict() for card in repository.cards], "notices": repository.notices}))
        return
    for card in repository.cards:
        about = ", ".join([*card.subjects, *card.styles]) or "not described"
        made = f"{card.created_at:%Y-%m-%d}" if card.created_at else "no date"
        facts = [about, card.trigger or "no trigger", made, card.kind, card.base_model or "unknown base model"]
        print(f"{card.id}: {'; '.join(facts)}")
    _print_notices(repository.notices)


def _ask(options: argparse.Namespace) -> None:
    if not options.repo and not options.cards:
        raise ValueError("say where your models are: --repo FOLDER, or --cards FILE.")
    repository = Repository.open(*options.repo, cards=options.cards)
    decision = check_in(options.request, repository, now=options.now, answers=options.answer)
    if options.json:
        print(json.dumps(_as_dict(decision)))
        return
    print(decision.why)
    if decision.card:
        print(f"model:  {decision.card.path or decision.card.id}\nprompt: {decision.prompt}")
    if decision.question:
        print(decision.question.text)
        for choice in decision.question.choices:
            print(f'  --answer "{choice.label}"  ({choice.detail})')
    _print_notices((*repository.notices, *decision.notices))


def _as_dict(decision: Decision) -> dict[str, Any]:
    question = decision.question
    choices = [{"label": choice.label, "detail": choice.detail} for choice in question.choices] if question else []
    return {
        "outcome": decision.outcome,
        "why": decision.why,
        "card": decision.card.as_dict() if decision.card else None,
        "base": decision.base.id if decision.base else None,
        "prompt": decision.prompt,
        "question": question.text if question else None,
        "choices": choices,
        "near": [{"id": miss.card.id, "dropped": miss.dropped} for miss in decision.near],
        "serving": {"preset": decision.serving.preset, "why": decision.serving.why},
        "notices": list(decision.notices),
    }


def _print_notices(notices: Sequence[str]) -> None:
    for notice in notices:
        print(f"note: {notice}", file=sys.stderr)
