"""Test that runs and routes speak the language of their page."""

from __future__ import annotations

import pytest

from personalq.demo.host_process import HostError, failure, new_client_id
from personalq.tests.host.graphs import check_in, said

GERMAN = {"Accept-Language": "de"}


def page(host, language: str | None = None) -> str:
    """A page's client id, which told its language."""
    client = new_client_id()
    if language:
        answer = host.post("/personalq/language", {"client_id": client, "language": language})
        assert answer == {"language": language if language != "ru" else "en"}
    return client


def test_a_question_is_in_the_language_of_the_page_that_asked(host):
    german, other, korean = page(host, "de"), page(host), page(host, "ko")
    question = said(host.prompt(check_in("ein Bär im Wald"), german))["question"]
    assert question["text"].startswith("Welcher Stil: ")
    shown = {choice["label"]: choice["shown"] for choice in question["choices"]}
    assert shown.keys() == {"realistic", "cartoon"}
    assert said(host.prompt(check_in("ein Bär im Wald"), other))["question"]["text"].startswith(
        "Which look: "
    )
    asked = said(host.prompt(check_in("ein Bär im Wald"), korean))["question"]["text"]
    assert asked.startswith("어떤 스타일인가요: ")


def test_the_label_of_a_choice_is_the_answer_in_every_language(host):
    german = page(host, "de")
    asked = said(host.prompt(check_in("ein Bär im Wald"), german))["question"]
    for words in (asked["choices"][0]["label"], "das neueste von allen"):
        for client in (german, page(host)):
            entry = host.prompt(check_in("ein Bär im Wald", answer=words), client)
            assert said(entry)["outcome"] == "select"


def test_a_page_that_changes_its_language_sees_it_in_the_next_run(host):
    client, graph = page(host, "fr"), check_in("a zebra on a bicycle")
    assert said(host.prompt(graph, client))["why"].startswith("Il n'y a pas de « zebra » ici.")
    host.post("/personalq/language", {"client_id": client, "language": "ja"})
    assert said(host.prompt(graph, client))["why"].startswith("「zebra」はここにありません。")


def test_errors_of_a_run_are_in_the_language_and_those_of_programs_in_english(host):
    graph = check_in("a bear on grass", when_unsure="stop")
    assert "Schreib eines davon in den Eingang answer von Clarify" in str(
        failure(host.prompt(graph, page(host, "de")))
    )
    assert "Write one of these into the input answer of Clarify" in str(failure(host.prompt(graph)))


def test_an_unknown_language_is_english(host):
    entry = host.prompt(check_in("a zebra on a bicycle"), page(host, "ru"))
    assert said(entry)["why"].startswith("There is no 'zebra' here.")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"client_id": "a"},
        {"client_id": 1, "language": "de"},
        {"client_id": "a" * 65, "language": "de"},
    ],
)
def test_other_bodies_are_refused(host, body):
    with pytest.raises(HostError, match="400"):
        host.post("/personalq/language", body)


def test_routes_answer_in_the_language_that_the_page_asks_for(ask):
    body = {"request": "a zebra on a bicycle"}
    headers = {"Content-Type": "application/json"}
    assert ask("POST", "/personalq/preview", body, headers)[1]["why"].startswith("There is no")
    german = ask("POST", "/personalq/preview", body, headers | GERMAN)[1]
    assert german["why"].startswith("„zebra“ gibt es hier nicht.")
    status, answer, _ = ask("POST", "/personalq/settings", {"prefer": "x"}, headers | GERMAN)
    assert status == 400
    assert answer["error"] == "prefer kann nicht 'x' sein; wähle einen der angebotenen Werte."
