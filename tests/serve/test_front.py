"""Test decisions and jobs of the ingress on real files, without HTTP and without Ray."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="SQLAlchemy comes with ComfyUI")

from personalq.checkin.catalog.pinned import PinnedModels
from personalq.serve.front import Ask, Front, Refused
from personalq.serve.graph import graph_of
from personalq.serve.library import Library
from personalq.serve.store import Store
from personalq.serve.tokens import Token
from personalq.tests.checkin import make_files as make
from personalq.tests.serve.service import make_models, make_plan

ANNA, BERT = Token("anna", "", a_minute=100, waiting=2), Token("bert", "", a_minute=3)
TOON = Ask("my cartoon bear on the beach", seed=7)


@pytest.fixture
def front(tmp_path: Path) -> Iterator[Front]:
    make_models(tmp_path / "models")
    plan = make_plan(tmp_path, most_waiting=4)
    store = Store(plan.database)
    yield Front(plan, store)
    store.close()


def refused(front: Front, ask: Ask, token: Token | None = None) -> Refused:
    with pytest.raises(Refused) as raised:
        front.ask(ask, token)
    return raised.value


def test_a_clear_request_becomes_a_job(front: Front) -> None:
    answer = front.ask(TOON, None)
    assert (answer["outcome"], answer["models"]) == ("select", ["toon"])
    job = front.job(answer["job"]["id"], None)
    assert (job.state, job.task.prompt, job.task.seed) == (
        "waiting",
        "cartoon <toon> on the beach",
        7,
    )
    assert job.task.key.endswith("|W8A8")


def test_a_question_and_its_answer(front: Front) -> None:
    question = front.ask(Ask("my bear"), None)
    assert question["outcome"] == "clarify"
    assert "job" not in question
    labels = [choice["label"] for choice in question["choices"]]
    assert sorted(labels) == ["cartoon", "realistic"]
    answer = front.ask(Ask("my bear", answers=("cartoon",)), None)
    assert answer["job"]["models"] == ["toon"]


def test_loras_that_are_each_in_their_place_have_their_whole_strength(
    front: Front, tmp_path: Path
) -> None:
    """So they do on the canvas, whose node draws the picture."""
    cat = make.make_lora(tmp_path / "models" / "loras" / "tabby.safetensors")
    make.beside(cat, ".personalq.yaml", "subjects: cat\ntriggers: <tabby>\n")
    front.library = Library(front.plan)
    answer = front.ask(Ask("my cartoon bear next to my cat"), None)
    assert answer["models"] == ["toon", "tabby"]
    chosen = PinnedModels.from_text(front.job(answer["job"]["id"], None).task.chosen)
    assert chosen
    assert [one.strength for one in chosen.models] == [1.0, 1.0]


def test_nothing_fits(front: Front) -> None:
    answer = front.ask(Ask("a submarine"), None)
    assert answer["outcome"] == "no_match"
    assert front.store.unfinished() == 0


def test_no_answer_has_a_path(front: Front, tmp_path: Path) -> None:
    for request in (TOON, Ask("my bear"), Ask("a submarine")):
        assert str(tmp_path) not in json.dumps(front.ask(request, None))


def test_sent_again_it_draws_nothing_twice(front: Front) -> None:
    once = Ask("my cartoon bear", id="my-own-id-1")
    first = front.ask(once, ANNA)["job"]
    assert front.ask(once, ANNA)["job"] == first
    assert front.store.unfinished() == 1
    assert refused(front, Ask("my realistic bear", id="my-own-id-1"), ANNA).status == 409
    assert refused(front, once, BERT).status == 409


def test_sent_again_it_is_known_even_when_all_are_busy(front: Front) -> None:
    for number in range(4):
        front.ask(Ask("my cartoon bear", id=f"my-own-id-{number}"), None)
    full = refused(front, TOON)
    assert full.status == 503
    assert full.after
    assert front.ask(Ask("my cartoon bear", id="my-own-id-0"), None)["job"]["id"] == "my-own-id-0"


def test_the_limits_of_a_token(front: Front) -> None:
    for _ in range(2):
        front.ask(TOON, ANNA)
    waiting = refused(front, TOON, ANNA)
    assert (waiting.status, waiting.why) == (429, "This token may have 2 jobs waiting.")
    for _ in range(3):
        front.ask(Ask("my bear"), BERT)
    pace = refused(front, Ask("my bear"), BERT)
    assert pace.status == 429
    assert pace.after
    assert pace.after <= 60


def test_a_job_is_its_owners(front: Front) -> None:
    job = front.ask(TOON, ANNA)["job"]["id"]
    assert front.job(job, ANNA).owner == "anna"
    for token in (BERT, None):
        with pytest.raises(Refused, match="no job"):
            front.job(job, token)
        with pytest.raises(Refused, match="no job"):
            front.picture(job, token)


@pytest.mark.parametrize(
    "ask",
    [
        Ask("  "),
        Ask("a bear " * 600),
        Ask("my bear", answers=("cartoon",) * 11),
        Ask("my bear", answers=("c" * 201,)),
        Ask("my bear", width=63, height=64),
        Ask("my bear", width=64, height=4096),
        Ask("my bear", width=100, height=100),
        Ask("my bear", seed=-1),
        Ask("my bear", seed=2**32),
    ],
)
def test_bounds(front: Front, ask: Ask) -> None:
    assert refused(front, ask).status == 422
    assert front.store.unfinished() == 0


def test_a_broken_setting_is_said_until_it_is_mended(tmp_path: Path) -> None:
    make_models(tmp_path / "models")
    plan = make_plan(tmp_path, settings=str(tmp_path))
    store = Store(plan.database)
    front = Front(plan, store)
    for broken in ("questions: many\n", "questions: [\n"):
        (tmp_path / "settings.yaml").write_text(broken, "utf-8")
        said = refused(front, TOON)
        assert (said.status, said.why[:15]) == (503, "settings.yaml: ")
    (tmp_path / "settings.yaml").write_text("questions: 1\n", "utf-8")
    assert front.ask(TOON, None)["outcome"] == "select"
    store.close()


def test_a_base_that_nobody_has(tmp_path: Path) -> None:
    make_models(tmp_path / "models", base=False)
    plan = make_plan(tmp_path)
    store = Store(plan.database)
    said = refused(Front(plan, store), TOON)
    store.close()
    assert said.status == 422
    assert "toon is a LoRA for" in said.why
    assert "add one" in said.why


def test_a_new_model_is_found_in_seconds(front: Front, tmp_path: Path) -> None:
    now = [front.library._looked]
    front.library._clock = lambda: now[0]
    model = make.make_lora(tmp_path / "models" / "loras" / "dog.safetensors")
    make.beside(model, ".personalq.yaml", "subjects: dog\ntriggers: <dog>\n")
    assert front.ask(Ask("my dog"), None)["outcome"] == "no_match"
    now[0] += 3.1
    assert front.ask(Ask("my dog"), None)["models"] == ["dog"]


def test_the_graph_has_no_loose_link(front: Front) -> None:
    job = front.job(front.ask(TOON, None)["job"]["id"], None)
    for preset in ("W8A8", "none"):
        graph = graph_of(type(job.task)(**{**job.task.as_dict(), "preset": preset}), "one")
        links = [
            value[0]
            for node in graph.values()
            for value in node["inputs"].values()
            if isinstance(value, list)
        ]
        assert set(links) <= graph.keys()
        assert ("taq" in graph) == (preset != "none")
