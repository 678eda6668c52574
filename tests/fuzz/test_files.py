"""Test that no model's file, whatever it holds, hides another model or holds up a scan."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from personalq.checkin import Repository
from personalq.tests.checkin import make_files as make

from .attack import FULL, Attack
from .broken_files import write_case

LIBRARIES, FILES = (300 if FULL else 50), 40


def test_broken_files_cost_only_themselves(tmp_path: Path) -> None:
    make.make_lora(tmp_path / "warm" / "bear.safetensors")
    Repository.open(tmp_path / "warm", embedder=None)  # tables are loaded at first use
    attack = Attack("model files, mutated", most_seconds=20)
    good = {f"good_{number}" for number in range(5)}
    for number in attack.numbers(LIBRARIES):
        chance = attack.random(number)
        folder = tmp_path / str(number)
        folder.mkdir()
        for name in sorted(good):
            model = make.make_lora(folder / f"{name}.safetensors")
            make.beside(model, ".personalq.yaml", f"triggers: <{name}>\nsubjects: bear")
        for file in range(FILES):
            write_case(folder, file, chance)
        with attack.case(number, of=FILES):
            _open_and_check(attack, number, folder, good)
    attack.finish()


def _open_and_check(attack: Attack, number: int, folder: Path, good: set[str]) -> None:
    started = time.process_time()

    def done(count: int, total: int) -> None:
        nonlocal started
        now = time.process_time()
        if now - started > 2:
            attack.broke("hangs", number, f"file {count} of {total} took {now - started:.1f} s")
        started = now

    index = folder.with_suffix(".sqlite")
    repository = Repository.open(folder, cache=index, embedder=None, progress=done)
    here = {card.name for card in repository.cards}
    assert good <= here, good - here
    again = Repository.open(folder, cache=index, embedder=None)
    assert [card.id for card in again.cards] == [card.id for card in repository.cards]
    if any("root:x:" in card.description for card in repository.cards if card.description):
        attack.broke("foreign_files", number, "a description is /etc/passwd")


_LONG = {
    "a title": {"modelspec.title": "Bear Cat " * 1_700_000},
    "a file name in the header": {"ss_output_name": "bear_" * 3_000_000},
    "tags": {"ss_tag_frequency": "{" + '"a b": {"c": 1}, ' * 60_000 + '"d": {}}'},
    "tags, nested": {"ss_tag_frequency": '{"a":' * 150_000},
    "a description of <a": {"modelspec.description": "<p>" + "<a " * 5_000_000},
    "a hint": {"modelspec.usage_hint": "trigger word: " * 800_000},
    "triggers": {"modelspec.trigger_phrase": "a, " * 5_000_000},
}


@pytest.mark.parametrize("name", sorted(_LONG))
def test_long_files_are_bounded(tmp_path: Path, name: str) -> None:
    attack = Attack(f"long header: {name}", most_seconds=2, most_megabytes=160)
    make.make_raw_lora(tmp_path / "long.safetensors", _LONG[name])
    with attack.case(0):
        Repository.open(tmp_path, embedder=None)
    attack.finish()


@pytest.mark.skipif(os.name != "posix", reason="file names are bytes only on POSIX")
def test_special_files_cost_only_themselves(tmp_path: Path) -> None:
    attack = Attack("special files: links, pipes, names that are not UTF-8", most_seconds=2)
    inside = os.fsencode(tmp_path / "models")
    outside = tmp_path / "secret.txt"
    outside.write_text("the secret")
    makers = [
        lambda: os.mkfifo(inside + b"/pipe.safetensors"),
        lambda: os.mkfifo(inside + b"/good.txt"),
        lambda: os.symlink("self.safetensors", inside + b"/self.safetensors"),
        lambda: os.symlink("loop", inside + b"/loop"),
        lambda: os.symlink(inside, inside + b"/round"),
        lambda: os.symlink("/nowhere", inside + b"/gone.safetensors"),
        lambda: os.symlink(outside, inside + b"/good.txt"),
        lambda: os.symlink(outside, inside + b"/good.description.txt"),
        lambda: os.symlink(outside, inside + b"/good.civitai.info"),
        lambda: os.symlink(outside, inside + b"/README.md"),
        lambda: os.symlink(outside, inside + b"/good.png"),
        lambda: os.mkdir(inside + b"/dir.safetensors"),
        lambda: os.mkdir(inside + b"/good.json"),
        lambda: os.mkdir(inside + b"/\xff"),
        lambda: os.close(os.open(inside + b"/\xfe.safetensors", os.O_CREAT)),
        lambda: os.close(os.open(inside + b"/good.\xff.png", os.O_CREAT)),
        lambda: os.close(os.open(inside + b"/empty.safetensors", os.O_CREAT)),
        lambda: os.mkdir(inside + b"/locked", 0),
        lambda: os.close(os.open(inside + b"/" + b"n" * 243 + b".safetensors", os.O_CREAT)),
    ]
    for number in attack.numbers(len(makers)):
        folder = Path(os.fsdecode(inside))
        folder.mkdir()
        make.make_lora(folder / "good.safetensors")
        makers[number]()
        with attack.case(number):
            [card] = Repository.open(folder, embedder=None).cards
            assert card.name == "good"
            if "secret" in str(card.as_dict()):
                attack.broke("foreign_files", number, "a link was followed")
        folder.rename(tmp_path / f"done{number}")
    attack.finish()
