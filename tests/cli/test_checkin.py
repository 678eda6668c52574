"""Test the `personalq` command in its own process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from personalq.checkin.user.context import HISTORY_FILE
from personalq.cli.main import main
from personalq.tests.checkin import make_files as make

CARDS = [
    {
        "id": "bear-1",
        "subjects": ["bear"],
        "styles": ["realistic"],
        "triggers": ["<bear>"],
        "created_at": "2025-03-01",
    },
    {
        "id": "bear-2",
        "subjects": ["bear"],
        "styles": ["cartoon"],
        "triggers": ["<toon>"],
        "created_at": "2025-04-01",
    },
]


@pytest.fixture
def cards(tmp_path) -> str:
    file = tmp_path / "cards.jsonl"
    file.write_text("\n".join(map(json.dumps, CARDS)), encoding="utf-8")
    return str(file)


def personalq(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-P",
        "-c",
        "from personalq.cli.main import main; raise SystemExit(main())",
        *arguments,
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_ask_selects(cards):
    done = personalq("ask", "realistic bear on grass", "--cards", cards, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["outcome"], answer["card"]["id"]) == ("select", "bear-1")
    assert answer["prompt"] == "realistic <bear> on grass"


def test_ask_says_which_words_are_not_in_the_prompt(cards):
    said = "<lora:gone:1>, my  newest realistic bear  on grass"
    done = personalq("ask", said, "--cards", cards, "--json")
    assert json.loads(done.stdout)["left_out"] == ["my newest"]


def test_ask_asks_and_takes_an_answer(cards):
    done = personalq("ask", "a bear", "--cards", cards)
    assert '--answer "cartoon"' in done.stdout
    done = personalq("ask", "a bear", "--cards", cards, "--answer", "cartoon", "--json")
    assert json.loads(done.stdout)["card"]["id"] == "bear-2"


def test_ask_says_how_a_model_is_called_by_a_new_word(tmp_path):
    for name, style in (("bruno", "realistic"), ("toon", "cartoon")):
        model = make.make_lora(tmp_path / f"{name}.safetensors")
        make.beside(model, ".personalq.yaml", f"subjects: bear\nstyles: {style}\nnames: [{name}]\n")
    asked = ["ask", "pickle the bear", "--repo", str(tmp_path), "--settings", str(tmp_path)]
    assert json.loads(personalq(*asked, "--json").stdout)["offered_name"] == ""
    done = personalq(*asked, "--answer", "cartoon")
    line = "names: [toon, pickle]"
    assert f"to call it 'pickle', write this line into toon.personalq.yaml: {line}" in done.stdout
    answered = personalq(*asked, "--answer", "cartoon", "--json")
    assert json.loads(answered.stdout)["offered_name"] == "pickle"
    (tmp_path / "toon.personalq.yaml").write_text(f"subjects: bear\nstyles: cartoon\n{line}\n")
    asked[1] = "pickle on the sofa"
    assert json.loads(personalq(*asked, "--json").stdout)["card"]["names"] == ["toon", "pickle"]


def test_now_is_what_last_month_counts_from(cards):
    done = personalq(
        "ask", "bear from last month", "--cards", cards, "--now", "2025-05-15T12:00+00:00", "--json"
    )
    assert json.loads(done.stdout)["card"]["id"] == "bear-2"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ask", ""], "say where your models are"),
        (["ask", "bear", "--repo", "/nowhere/at/all"], str(Path("/nowhere/at/all"))),
        (["ask", "bear", "--cards", "/nowhere.jsonl"], str(Path("/nowhere.jsonl"))),
    ],
)
def test_wrong_input_ends_with_2_and_one_sentence(arguments, message):
    done = personalq(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_left_out_is_said_by_every_command(tmp_path):
    models = tmp_path / "models"
    make.beside(
        make.make_lora(models / "_new" / "bear.safetensors"), ".personalq.yaml", "subjects: bear"
    )
    (models / "broken.safetensors").write_bytes(b"")
    said = "broken.safetensors: left out: not a safetensors file"
    for command in (
        ["index", str(models)],
        ["ask", "a bear", "--repo", str(models)],
        ["describe", str(models)],
    ):
        done = personalq(*command)
        assert done.returncode == 0
        assert f"note: {said}" in done.stderr
    for command in (["index", str(models)], ["ask", "a bear", "--repo", str(models)]):
        assert any(
            notice.startswith(said)
            for notice in json.loads(personalq(*command, "--json").stdout)["notices"]
        )
    german = personalq("ask", "a bear", "--repo", str(models), "--json", "--language", "de")
    assert json.loads(german.stdout)["notices"][0].startswith("broken.safetensors: ausgelassen: ")
    (models / "_new" / "bear.safetensors").unlink()
    assert said in personalq("ask", "a bear", "--repo", str(models)).stderr


def test_empty_request(cards):
    done = personalq("ask", " ", "--cards", cards)
    assert done.returncode == 2
    assert "The request is empty" in done.stderr


def test_index_lists_models(demo_repository):
    done = personalq("index", str(demo_repository / "loras"), "--json")
    cards = json.loads(done.stdout)["cards"]
    assert {"bear", "dog", "house"} <= {subject for card in cards for subject in card["subjects"]}
    assert "<bear-v4>" in personalq("index", str(demo_repository / "loras")).stdout


@pytest.mark.skipif(os.name != "posix", reason="Windows has a home for everybody")
def test_an_account_without_a_home_names_its_settings(tmp_path):
    program = (
        "import os, pwd; os.environ.pop('HOME', None); os.environ.pop('PERSONALQ_SETTINGS', None)\n"
        "def nobody(number): raise KeyError(number)\n"
        "pwd.getpwuid = nobody\n"
        "from personalq.cli.main import main; raise SystemExit(main())"
    )

    def history(*options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-P", "-c", program, "history", *options]
        return subprocess.run(command, capture_output=True, text=True)

    named = history("--settings", str(tmp_path))
    assert (named.returncode, named.stderr) == (0, "")
    none = history()
    assert (none.returncode, none.stderr[:36]) == (2, "personalq: there is no home folder: ")


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such names")
def test_a_name_from_elsewhere_steers_no_terminal(tmp_path, capsys):
    hostile = {**CARDS[0], "triggers": ["sks\nmodel:  other"], "subjects": ["bear\x1b[2Jx"]}
    file = tmp_path / "cards.jsonl"
    file.write_text(json.dumps(hostile) + "\n", encoding="utf-8")
    settings = ["--settings", str(tmp_path)]
    model = make.make_lora(tmp_path / "models" / "bear\x1b[2J\n.safetensors")
    make.beside(model, ".personalq.yaml", "subjects: bear\n")
    assert main(["ask", "a bear", "--repo", str(tmp_path / "models"), *settings]) == 0
    assert main(["index", str(tmp_path / "models")]) == 0
    assert main(["ask", "a bear", "--cards", str(file), *settings]) == 0
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err
    assert "bear\\x1b[2J\\n.safetensors" in said.out


@pytest.mark.parametrize("now", ["yesterday", "9999-12-31T23:59:59+00:00", "0001-01-01"])
def test_a_now_that_is_no_moment_is_said(cards, now, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["ask", "my bear from next week", "--cards", cards, "--now", now])
    assert "is no moment: write 2026-04-11 or 2026-04-11T09:30" in capsys.readouterr().err


def test_a_limit_is_more_than_0(tmp_path, capsys):
    assert main(["describe", str(tmp_path), "--limit", "-3"]) == 2
    assert capsys.readouterr().err == "personalq: --limit must be more than 0.\n"


@pytest.mark.skipif(os.name != "posix", reason="Windows reports a broken pipe otherwise")
def test_nobody_reads_to_the_end(tmp_path):
    for number in range(3):
        make.make_lora(tmp_path / f"bear_v{number}.safetensors")
    command = [sys.executable, "-P", "-m", "personalq", "index", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert (process.wait(120), process.stderr.read()) == (141, b"")


@pytest.mark.parametrize("more", [[], ["--watch"]])
def test_index_ends_where_its_cache_cannot_be_used(tmp_path, more):
    make.make_lora(tmp_path / "bear.safetensors")
    notes = tmp_path / "notes.md"
    notes.write_text("my notes", encoding="utf-8")
    for cache, said in ((notes, "is no index of PersonalQ"), (notes / "index", "cannot be used")):
        done = personalq("index", str(tmp_path), "--cache", str(cache), *more)
        assert done.returncode == 2
        assert done.stderr.startswith(f"personalq: {cache} {said}")
    assert notes.read_text(encoding="utf-8") == "my notes"


def on_a_cp1252_console(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    """As on Windows where the output goes into a file or a pipe."""
    command = [
        sys.executable,
        "-P",
        "-c",
        "from personalq.cli.main import main; raise SystemExit(main())",
        *arguments,
    ]
    console = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    return subprocess.run(command, capture_output=True, timeout=120, env=console)


def test_a_console_that_cannot_show_a_name_gets_the_rest(tmp_path):
    model = make.make_lora(tmp_path / "熊 Größe.safetensors")
    make.beside(model, ".personalq.yaml", "subjects: [bear]\ntriggers: 熊\n")
    done = on_a_cp1252_console("index", str(tmp_path))
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode("cp1252").startswith("\\u718a-grösse: ")
    asked = on_a_cp1252_console(
        "ask", "a bear", "--repo", str(tmp_path), "--settings", str(tmp_path / "settings")
    )
    assert (asked.returncode, asked.stderr) == (0, b"")
    assert b"prompt: a \\u718a" in asked.stdout


def test_a_file_that_cannot_be_written_ends_with_2_and_one_sentence(tmp_path, monkeypatch, capsys):
    history = tmp_path / HISTORY_FILE
    history.write_text('{"when": "2025-04-11T09:30:00+02:00", "model": "bear"}\n', encoding="utf-8")

    def held(*_: object, **__: object) -> None:
        raise PermissionError(13, "The process cannot access the file", str(history))

    monkeypatch.setattr(Path, "unlink", held)
    assert main(["history", "--erase", "--settings", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("personalq: ")
    assert said.count("\n") == 1
    assert str(history) in said


def test_an_answer_is_given_where_the_history_cannot_be_kept(cards, tmp_path, monkeypatch, capsys):
    def held(*_: object) -> None:
        raise PermissionError(13, "The process cannot access the file")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", str(tmp_path / "personalq-1.part"))

    asked = ["ask", "realistic bear on grass", "--cards", cards, "--settings", str(tmp_path)]
    with monkeypatch.context() as while_full:
        while_full.setattr(Path, "touch", full)
        assert main([*asked, "--json", "--language", "de"]) == 0
    said = "diese Verwendung steht nicht im Verlauf (No space left on device)"
    assert json.loads(capsys.readouterr().out)["notices"] == [said]
    monkeypatch.setattr(os, "replace", held)
    assert main(asked) == 0
    said = capsys.readouterr()
    assert "prompt: realistic <bear> on grass" in said.out
    assert (
        f"note: this use is not in the history ({HISTORY_FILE} is open in another program"
        in said.err
    )
