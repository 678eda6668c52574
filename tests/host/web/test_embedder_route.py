"""Test the route that gets the model which ranks by meaning, and that the next run uses it."""

from __future__ import annotations

import time

import pytest

from personalq.checkin.retrieval.hybrid import WORDS_ALONE
from personalq.checkin.retrieval.installed import MINILM, MINILM_BYTES
from personalq.tests.host.graphs import check_in, said
from personalq.tests.host_with_hub import host_with_hub

PATH = "/personalq/embedder"


@pytest.fixture(scope="module")
def both(comfyui, demo_repository, tmp_path_factory):
    with host_with_hub(comfyui, demo_repository, tmp_path_factory.mktemp("with_hub")) as both:
        yield both


@pytest.fixture(scope="module")
def host(both):
    return both.host


@pytest.fixture
def hub(both):
    both.forget()
    return both.hub


def ended(ask):
    """The state once no download is under way."""
    while (state := ask("GET", PATH)[1])["step"] == "fetching":
        time.sleep(0.05)
    return state


def test_it_is_fetched_when_it_is_asked_for_and_the_next_run_uses_it(ask, host, hub):
    graph = check_in("a bear on forest grass")
    assert WORDS_ALONE in said(host.prompt(graph, "client"))["notices"]
    assert ask("GET", PATH)[1]["step"] == "missing"
    assert hub.asked == [], "nothing is fetched by itself"
    hub.wait = 0.1
    begun = [ask("POST", PATH, {})[1] for _ in range(3)]
    assert {state["step"] for state in begun} == {"fetching"}
    assert begun[0]["total"] == MINILM_BYTES
    assert ended(ask)["step"] == "here"
    assert hub.fetched().count("model.safetensors") == 1
    assert MINILM in ask("GET", "/personalq/settings")[1]["offered"]["embedder"]
    assert WORDS_ALONE not in said(host.prompt(graph, "client"))["notices"]


def test_a_failure_is_a_sentence_and_the_next_try_works(ask, hub):
    hub.refuse["config.json"] = 403
    assert ask("POST", PATH, {})[0] == 200
    state = ended(ask)
    assert state["step"] == "failed"
    assert "answered 403: try again later" in state["why"]
    assert ask("GET", PATH)[1] == state, "it is told until the next try"
    hub.refuse.clear()
    ask("POST", PATH, {})
    assert ended(ask)["step"] == "here"


def test_no_page_says_what_is_fetched_or_from_where(ask, hub):
    status, answer, _ = ask("POST", PATH, {"name": "evil/model"})
    assert (status, answer["error"]) == (400, "This takes no options: send {}.")
    assert hub.asked == []
