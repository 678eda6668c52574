"""Test what `personalq bench libraries` says of Check-in with a language model, a local server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from personalq.bench.cli import main
from personalq.tests.bench.libraries.made_up import CAT, request, write_archive
from personalq.tests.checkin.llm.server import Asked, Reply, openai, serving

pytest.importorskip(
    "openai", reason="openai is not installed: python quickstart.py test installs it"
)
PLAIN = [
    request("clear", "nelson on the sofa", ("select", [CAT])),
    request("whale", "a submarine", ("no_match", [])),
]
HIDDEN = request("hidden", "his majesty on the sofa", ("select", [CAT]))


@pytest.fixture
def libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "libraries"
    write_archive(folder / "open" / "first.zip", PLAIN)
    write_archive(folder / "open" / "second.zip", [*PLAIN, HIDDEN])
    monkeypatch.setattr("personalq.bench.libraries.library.FOLDER", folder)
    return folder


def reply(asked: Asked) -> Reply:
    """Chooses Nelson, declines submarines, finds no words."""
    said = json.JSONDecoder().raw_decode(asked.body["messages"][1]["content"])[0]
    if "models" not in said:
        return openai({"words": []})
    cat = next(one["index"] for one in said["models"] if one["file"] == "nelson")
    if "submarine" in said["request"]:
        return openai({"decision": "no_match", "choices": [], "reason": "None."})
    return openai({"decision": "select", "choices": [cat], "reason": "A cat."})


def test_what_a_language_model_adds(
    libraries: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    with serving(reply) as local:
        (tmp_path / "reasoners.yaml").write_text(
            f"local:\n  model: small\n  base_url: {local.url}/v1\n"
        )
        arguments = ["--method", "checkin-llm", "--profile", "local", "--settings", str(tmp_path)]
        assert main(["libraries", *arguments, "--json", str(out)]) == 0
        sent = [json.dumps(asked.body) for asked in local.asked]
    found = json.loads(out.read_text("utf-8"))
    offline, helped = found["methods"]
    assert (offline["method"], helped["method"]) == ("checkin", "checkin-llm")
    assert (offline["share"]["right"], helped["share"]["right"]) == (0.8, 1)
    assert "calls_per_request" not in offline
    warm = 2 * sum("nelson on the sofa" in one for one in set(sent))  # the first request, untimed
    assert helped["calls_per_request"] == pytest.approx((len(sent) - warm) / 5)
    assert helped["not_heard"] == 0
    assert found["clear"]["requests"] == 5
    assert [(one["method"], one["gained"]) for one in found["parts"]] == [("checkin-llm", 1)]
    said = capsys.readouterr().out
    assert "| **Check-in** | 80.0%" in said
    assert "| Check-in with a language model | 100.0% " in said
    assert f"asks it {helped['calls_per_request']:.2f} questions a request" in said
    assert "of 5 requests\nthat the history does not decide are clear" in said


def test_questions_without_an_answer_are_counted(libraries: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    with serving([Reply(status=401)]) as local:
        (tmp_path / "reasoners.yaml").write_text(
            f"local:\n  model: small\n  base_url: {local.url}/v1\n"
        )
        arguments = ["--method", "checkin-llm", "--profile", "local", "--settings", str(tmp_path)]
        assert main(["libraries", *arguments, "--json", str(out)]) == 0
    offline, helped = json.loads(out.read_text("utf-8"))["methods"]
    assert helped["share"] == offline["share"]
    assert helped["not_heard"] == round(5 * helped["calls_per_request"]) > 0
