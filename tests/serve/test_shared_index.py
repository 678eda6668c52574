"""Test an index that one process keeps and others read, which have no folder of models."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from personalq.checkin import EmptyRepository, Repository, check_in
from personalq.checkin.index.build_index import RepositoryError
from personalq.checkin.index.shared import generation_of
from personalq.cli.main import main
from personalq.serve.library import Library
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.world import NOW
from personalq.tests.serve.service import CARDS, make_models, make_plan

REQUESTS = (
    "my realistic bear on grass",
    "my newest bear by the sea",
    "a bear in the rain",
    "my green submarine",
)
DECIDE = """
import json, sys
from datetime import datetime
from personalq.checkin import Repository, check_in
found, _ = Repository.open_shared(sys.argv[1], None)
now = datetime.fromisoformat(sys.argv[2])
decided = [check_in(request, found, now=now) for request in sys.argv[3:]]
print(json.dumps([[one.outcome, one.prompt, one.base and one.base.id] for one in decided]))
"""


def kept(folder: Path) -> Path:
    """The index of the models in `folder`/models, as `personalq index` makes it."""
    index = folder / "shared" / "index.sqlite"
    assert main(["index", *folders(folder), "--cache", str(index)]) == 0
    return index


def folders(folder: Path) -> list[str]:
    return [str(folder / "models" / name) for name in ("checkpoints", "loras")]


@pytest.fixture
def index(tmp_path: Path) -> Path:
    make_models(tmp_path / "models")
    return kept(tmp_path)


def test_another_process_without_the_models_decides_the_same(tmp_path: Path, index: Path) -> None:
    whole = Repository.open(*folders(tmp_path), embedder=None)
    here = [check_in(request, whole, now=NOW) for request in REQUESTS]
    shutil.rmtree(tmp_path / "models")
    out = subprocess.run(
        [sys.executable, "-P", "-c", DECIDE, str(index), NOW.isoformat(), *REQUESTS],
        capture_output=True,
        text=True,
    )
    said = [[one.outcome, one.prompt, one.base and one.base.id] for one in here]
    assert json.loads(out.stdout) == said, out.stderr
    assert {outcome for outcome, *_ in said} == {"select", "clarify", "no_match"}


def test_reading_changes_no_byte(index: Path) -> None:
    before = index.read_bytes()
    Repository.open_shared(index, None)
    assert generation_of(index)
    assert index.read_bytes() == before
    assert [one.name for one in index.parent.iterdir()] == [index.name]


def test_a_new_model_is_there_within_seconds(tmp_path: Path, index: Path) -> None:
    """One process watches the folder, another reads the index: nothing else is between them."""
    plan = make_plan(tmp_path / "reader", models="nowhere", shared_index=str(index))
    library = Library(plan)
    assert {card.id for card in library.repository().cards} == {
        "base",
        *(f"bears-{name}" for name in CARDS),
    }
    command = ["index", *folders(tmp_path), "--cache", str(index), "--watch"]
    watching = subprocess.Popen(
        [sys.executable, "-P", "-m", "personalq", *command], stdout=subprocess.PIPE, text=True
    )
    try:
        assert watching.stdout
        assert watching.stdout.readline() == "3 models\n"
        model = tmp_path / "models" / "loras" / "dog.safetensors"
        make.beside(model, ".personalq.yaml", "subjects: dog\ntriggers: <dog>\n")
        make.make_lora(model)
        changed = time.monotonic()
        while "dog" not in library.repository().catalogue().position_of:
            assert time.monotonic() - changed < 30
            time.sleep(0.1)
    finally:
        watching.kill()
        watching.wait()
    decided = check_in("my dog", library.repository(), now=NOW)
    assert (decided.outcome, decided.prompt) == ("select", "<dog>")


def test_what_is_not_changed_is_not_read_again(tmp_path: Path, index: Path) -> None:
    now = [0.0]
    plan = make_plan(tmp_path / "reader", shared_index=str(index))
    library = Library(plan, clock=lambda: now[0])
    first = library.repository()
    now[0] = 100.0
    assert library.repository() is first
    make.make_lora(tmp_path / "models" / "loras" / "new.safetensors")
    kept(tmp_path)
    assert library.repository() is first, "it was looked at a moment ago"
    now[0] = 200.0
    assert len(library.repository().cards) == 4


def damage(index: Path) -> None:
    with sqlite3.connect(index) as database:
        database.execute("UPDATE snapshot SET content = x'00' || content WHERE name = 'cards'")
    database.close()


def of_another_version(index: Path) -> None:
    with sqlite3.connect(index) as database:
        database.execute("UPDATE snapshot SET content = x'31' WHERE name = 'facts version'")
    database.close()


def cut(index: Path) -> None:
    index.write_bytes(index.read_bytes()[:5000])


def no_index(index: Path) -> None:
    index.write_bytes(b"nothing of the kind" * 1000)


@pytest.mark.parametrize(
    ("harm", "why"),
    [
        (damage, "missing or damaged"),
        (of_another_version, "another version of PersonalQ made it"),
        (cut, "malformed"),
        (no_index, "file is not a database"),
        (Path.unlink, "it is not there"),
    ],
)
def test_a_broken_snapshot_is_refused_with_a_sentence(tmp_path: Path, index: Path, harm, why):
    plan = make_plan(tmp_path / "reader", shared_index=str(index))
    library = Library(plan, clock=iter(range(0, 10_000, 100)).__next__)
    harm(index)
    with pytest.raises(RepositoryError, match=why) as refused:
        Repository.open_shared(index, None)
    assert "make it with personalq index FOLDER --cache index.sqlite" in str(refused.value)
    assert len(library.repository().cards) == 3, "what runs already keeps what it knows"
    index.unlink(missing_ok=True)
    kept(tmp_path)
    make.make_lora(tmp_path / "models" / "loras" / "new.safetensors")
    kept(tmp_path)
    assert len(library.repository().cards) == 4, "and takes the next sound one"


def test_an_index_of_nothing_is_said(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    index = tmp_path / "index.sqlite"
    assert main(["index", str(tmp_path / "models"), "--cache", str(index)]) == 2
    with pytest.raises(EmptyRepository, match="No model found"):
        Repository.open_shared(index, None)


def test_watching_needs_an_index(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", str(tmp_path), "--watch"]) == 2
    assert "--cache FILE" in capsys.readouterr().err
