"""Test that requests in English are read as the examples in the data of English say."""

from __future__ import annotations

from datetime import timedelta

import pytest

from personalq.checkin.catalog.vocabulary import Vocabulary
from personalq.checkin.language.drawn import drawn
from personalq.checkin.language.intent import Intent, Order, Term, TimeTerm, VersionTerm
from personalq.checkin.language.parse import parse
from personalq.checkin.language.times.periods import Period
from personalq.checkin.lexicon.languages import examples
from personalq.tests.checkin.world import NOW, cards

EXAMPLES = examples("en")


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return Vocabulary(cards())


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one["request"][:60])
def test_an_example_is_read_as_its_data_says(
    example: dict[str, str], vocabulary: Vocabulary
) -> None:
    intent = parse(example["request"], vocabulary, NOW)
    found = what_is_read(intent)
    assert {key: found[key] for key in example} == example


def test_the_examples_cover_all_that_is_read(vocabulary: Vocabulary) -> None:
    assert len(EXAMPLES) >= 40
    said = {key for example in EXAMPLES for key in example}
    assert said == set(what_is_read(parse("bear", vocabulary, NOW)))


def what_is_read(intent: Intent) -> dict[str, str]:
    """The parts of an intent as text; "" for what the request does not say."""
    used = intent.used and ("used most" if intent.used.most else "used last")
    builds = intent.builds
    return {
        "request": intent.request,
        "subject": intent.subject.words if intent.subject else "",
        "styles": terms(intent.styles),
        "not": terms(intent.unwanted),
        "details": ", ".join(intent.details),
        "scenery": ", ".join(intent.scenery),
        "times": ", ".join(map(time, intent.times)),
        "versions": ", ".join(map(version, intent.versions)),
        "order": order(intent.order) if intent.order else "",
        "base": intent.base_model or "",
        "not base": ", ".join(intent.unwanted_bases),
        "kind": intent.kind or "",
        "builds": ", ".join(sorted(builds.wanted)) or "early" * builds.early,
        "builds before": ", ".join(sorted(builds.before)),
        "origin": intent.origin or "",
        "used": used or "",
        "points": "yes" if intent.points else "no",
        "missing": intent.missing or "",
        "unhandled": ", ".join(intent.unhandled),
        "drawn": drawn(intent.request, intent, ()).text,
    }


def terms(found: tuple[Term, ...]) -> str:
    return ", ".join(term.words for term in found)


def time(term: TimeTerm) -> str:
    """The days of a time, first and last."""
    return "not " * term.negated + " or ".join(map(days, term.periods))


def days(period: Period) -> str:
    first = f"{period.start:%Y-%m-%d}" if period.start else ""
    last = f"{period.end - timedelta(seconds=1):%Y-%m-%d}" if period.end else ""
    return first if first == last else f"{first} to {last}".strip()


def version(term: VersionTerm) -> str:
    numbers = " and ".join(".".join(map(str, number)) for number in term.numbers)
    return f"{'not ' * term.negated}{term.relation} {numbers}".rstrip()


def order(found: Order) -> str:
    names = {"date": ("oldest", "newest"), "version": ("lowest", "highest")}
    return f"{found.n} " * (found.n > 1) + names[found.by][found.newest]
