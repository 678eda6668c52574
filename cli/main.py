"""The `personalq` command."""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from ..checkin import Decision, Repository, check_in
from ..checkin.decision.record import IntentRecord
from ..checkin.decision.serving import identity
from ..checkin.describe import describe_models, describer_named, needs_description
from ..checkin.describe.through_comfyui import describe_through
from ..checkin.index.read_models import Progress
from ..checkin.llm import OFFLINE
from ..checkin.user.context import HISTORY_FILE, load_context, open_history
from ..checkin.user.history import History, Use
from ..checkin.user.settings import VARIABLE, settings_folder
from .doctor import add_arguments as add_doctor_arguments
from .quantize import add_arguments as add_quantize_arguments

CLONE_OF_ALL = "a clone of https://github.com/personalq/personalq"
_SETTINGS = f"your settings, keys and history (default: ${VARIABLE}, else ~/.personalq)"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand.

    The exit code is 0; 2 where the input was wrong or a file cannot be read or written; 1 where
    `doctor` found something.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(
            errors="backslashreplace"
        )  # into a file, Windows writes cp1252, which lacks most names
    if arguments[:1] == ["bench"]:
        return _bench(arguments[1:])
    options = _parser().parse_args(arguments)
    try:
        return options.run(options) or 0
    except (ValueError, OSError) as error:
        print(f"personalq: {error}", file=sys.stderr)
        return 2


def _bench(arguments: Sequence[str]) -> int:
    try:
        from ..bench.cli import main as bench
    except ModuleNotFoundError as error:
        if error.name != f"{__package__.rpartition('.')[0]}.bench":
            raise
        print(
            "personalq: the measurements are not part of the pack: run `python quickstart.py "
            f"setup` in {CLONE_OF_ALL}, and `personalq bench` with the Python that it prints.",
            file=sys.stderr,
        )
        return 2
    return bench(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "personalq", description="Find your own models by asking for them in plain words."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    index = commands.add_parser(
        "index", help="list the models of one or more folders, and what is known of each"
    )
    index.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    index.add_argument(
        "--cache",
        type=Path,
        metavar="FILE",
        help="keep what is read, so that only changes are read again",
    )
    index.add_argument(
        "--hash",
        action="store_true",
        help="take the SHA-256 of each file, to know copies; needs --cache",
    )
    index.add_argument("--json", action="store_true", help="one JSON object")
    index.set_defaults(run=_index)

    ask = commands.add_parser("ask", help="which model a request means")
    ask.add_argument("request")
    ask.add_argument(
        "--repo",
        action="append",
        default=[],
        type=Path,
        metavar="FOLDER",
        help="a folder of models",
    )
    ask.add_argument("--cards", type=Path, metavar="FILE", help="a cards.jsonl")
    ask.add_argument(
        "--answer", action="append", default=[], help="your answer to the question, in order"
    )
    ask.add_argument(
        "--now", type=_moment, metavar="ISO", help="the moment that 'last week' counts from"
    )
    ask.add_argument(
        "--reasoner", default=OFFLINE, metavar="NAME", help="a language model for what is left open"
    )
    ask.add_argument(
        "--embedder", default="auto", metavar="MODEL", help="ranks by meaning; none: by words alone"
    )
    ask.add_argument(
        "--reranker", metavar="MODEL", help="a cross-encoder for the first of the ranking"
    )
    ask.add_argument("--json", action="store_true", help="one JSON object")
    ask.set_defaults(run=_ask)

    describe = commands.add_parser(
        "describe", help="say what models draw, where nobody has, in the cards beside them"
    )
    describe.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    describe.add_argument(
        "--with", dest="describer", default=OFFLINE, metavar="NAME", help="what looks at pictures"
    )
    describe.add_argument(
        "--again", action="store_true", help="also what a program has described before"
    )
    describe.add_argument("--limit", type=int, metavar="N", help="at most so many models")
    describe.add_argument(
        "--server",
        metavar="URL",
        help="a running ComfyUI: it describes its own models, and draws them",
    )
    describe.add_argument("--json", action="store_true", help="one JSON object")
    describe.set_defaults(run=_describe)

    quantize = commands.add_parser(
        "quantize", help="store a model's UNet in 8 or 4 bits, before it is needed"
    )
    add_quantize_arguments(quantize)

    doctor = commands.add_parser(
        "doctor", help="check what quantization computes on this machine, and how fast"
    )
    add_doctor_arguments(doctor)

    history = commands.add_parser(
        "history", help="which models you used, as kept on this machine for the serving plan"
    )
    history.add_argument("--erase", action="store_true", help="forget all of it")
    history.add_argument("--json", action="store_true", help="one JSON object")
    history.set_defaults(run=_history)

    for command in (ask, describe, history):
        command.add_argument(
            "--settings", type=Path, default=settings_folder(), metavar="FOLDER", help=_SETTINGS
        )
    commands.add_parser(
        "bench", help="demo repository and measurements, in a clone of the repository"
    )
    return parser


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.astimezone()


def _index(options: argparse.Namespace) -> None:
    if options.hash and not options.cache:
        raise ValueError(
            "--hash reads every file whole: name a --cache FILE that keeps the hashes."
        )
    repository = Repository.open(
        *options.folders, cache=options.cache, hash_files=options.hash, progress=_progress()
    )
    if options.json:
        print(
            json.dumps(
                {
                    "cards": [card.as_dict() for card in repository.cards],
                    "notices": repository.notices,
                }
            )
        )
        return
    for card in repository.cards:
        about = ", ".join([*card.subjects, *card.styles]) or "not described"
        made = f"{card.created_at:%Y-%m-%d}" if card.created_at else "no date"
        facts = [
            about,
            card.trigger or "no trigger",
            made,
            card.kind,
            card.base_model or "unknown base model",
        ]
        print(f"{card.id}: {'; '.join(facts)}")
    _print_notices(repository.notices)


def _progress() -> Progress | None:
    """Shows how far a scan is, where a person looks at it."""
    if not sys.stderr.isatty():
        return None
    return lambda done, total: print(
        f"\r{done} of {total} files", end="" if done < total else "\n", file=sys.stderr
    )


def _ask(options: argparse.Namespace) -> None:
    if not options.repo and not options.cards:
        raise ValueError("say where your models are: --repo FOLDER, or --cards FILE.")
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
        settings=options.settings,
        context=load_context(options.settings),
    )
    notices = [*repository.notices, *decision.notices]
    if decision.card and (history := open_history(options.settings)):
        try:
            history.add(Use(datetime.now().astimezone(), identity(decision.card)))
        except OSError as error:
            notices.append(f"this use is not in the history ({error})")
    if options.json:
        print(json.dumps(_as_dict(decision, repository.notices)))
        return
    print(decision.why)
    if decision.card:
        print(f"model:  {decision.card.path or decision.card.id}\nprompt: {decision.prompt}")
    if decision.question:
        print(decision.question.text)
        for choice in decision.question.choices:
            print(f'  --answer "{choice.label}"  ({choice.detail})')
    _print_notices(notices)


def _describe(options: argparse.Namespace) -> None:
    if bool(options.folders) == bool(options.server):
        raise ValueError(
            "say which models: folders, or --server with the address of a running ComfyUI."
        )
    if options.server:
        print(
            describe_through(options.server, options.describer, options.again, options.limit or 0)
        )
        return
    repository = Repository.open(*options.folders, embedder=None)
    waiting = [card for card in repository.cards if needs_description(card, options.again)]
    outcome = describe_models(
        waiting[: options.limit],
        describer_named(options.describer, options.settings),
        options.describer,
        now=datetime.now().astimezone(),
        progress=_progress_bar,
    )
    print(json.dumps(asdict(outcome)) if options.json else outcome.text())
    _print_notices(repository.notices)


def _progress_bar(done: int, total: int) -> None:
    filled = 30 * done // total
    line = f"\r[{'#' * filled}{'.' * (30 - filled)}] {done}/{total}"
    print(line, end="\n" if done == total else "", file=sys.stderr, flush=True)


def _history(options: argparse.Namespace) -> None:
    history = History(options.settings / HISTORY_FILE)
    if options.erase:
        count = history.erase()
        print(json.dumps({"erased": count}) if options.json else f"{count} uses forgotten.")
        return
    uses = [
        {"when": use.when.isoformat(), "model": use.model, "preset": use.preset}
        for use in history.uses()
    ]
    if options.json:
        print(json.dumps({"file": str(history.path), "uses": uses}))
        return
    print(f"{len(uses)} uses in {history.path}")
    for use in uses:
        print(f"{use['when']}  {use['model']}  {use['preset'] or ''}".rstrip())


def _as_dict(decision: Decision, notices: Sequence[str]) -> dict[str, Any]:
    question = decision.question
    choices = (
        [{"label": choice.label, "detail": choice.detail} for choice in question.choices]
        if question
        else []
    )
    return {
        "outcome": decision.outcome,
        "why": decision.why,
        "card": decision.card.as_dict() if decision.card else None,
        "base": decision.base.id if decision.base else None,
        "prompt": decision.prompt,
        "question": question.text if question else None,
        "choices": choices,
        "near": [{"id": miss.card.id, "dropped": miss.dropped} for miss in decision.near],
        "serving": asdict(decision.serving),
        "intent": IntentRecord(decision.intent, decision.context).as_dict(),
        "notices": [*notices, *decision.notices],
    }


def _print_notices(notices: Sequence[str]) -> None:
    for notice in notices:
        print(f"note: {notice}", file=sys.stderr)
