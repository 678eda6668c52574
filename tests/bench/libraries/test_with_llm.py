"""Test `personalq bench libraries --llm` with a local server."""

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
REQUESTS = [
    request("clear", "nelson on the sofa", ("select", [CAT])),
    request("hidden", "our whiskerface asleep", ("select", [CAT])),
    request("whale", "a submarine", ("no_match", [])),
]


@pytest.fixture
def libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "libraries"
    for name in ("first", "second"):
        write_archive(folder / "open" / f"{name}.zip", REQUESTS)
    monkeypatch.setattr("personalq.bench.libraries.library.FOLDER", folder)
    return folder


def reply(asked: Asked) -> Reply:
    """Chooses Nelson for whiskers, declines submarines, finds no words."""
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
        arguments = ["--llm", "local", "--settings", str(tmp_path), "--json", str(out)]
        assert main(["libraries", *arguments]) == 0
        sent = [str(asked.body) for asked in local.asked]
    offline, helped = json.loads(out.read_text("utf-8"))["methods"]
    assert (offline["method"], helped["method"]) == ("checkin", "checkin-llm")
    assert (offline["share"]["right"], helped["share"]["right"]) == (pytest.approx(2 / 3), 1)
    assert offline["calls_per_request"] == 0
    assert helped["calls_per_request"] == pytest.approx(len(sent) / 6)
    assert helped["not_heard"] == 0
    assert helped["seconds_median"] > 0
    said = capsys.readouterr().out
    assert "| **Check-in** | 66.7% | 0.0% | 0.0% | 33.3% | 0.00 | 0 |" in said
    assert "| Check-in with a language model | 100.0% |" in said
    assert "of 6 requests that the history does not decide are clear" in said


@pytest.mark.parametrize("option", ["--sealed", "--errors", "--write"])
def test_it_is_for_the_open_half_alone(
    libraries: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["libraries", "--llm", "openai", option]) == 1
    assert "--llm is for Check-in in the open half" in capsys.readouterr().err
