"""Test that one broken thing in a models folder affects nothing else.

It is named with the reason, and everything else is found.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from personalq.checkin import check_in
from personalq.checkin.catalog.card_facts import facts_of
from personalq.checkin.index import read_models, snapshot_builder
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.index.opening import names, opened


def test_a_folder_as_people_have_it(folder: Path, tmp_path: Path) -> None:
    lora = make.make_lora
    for name in (
        "_new/fox",
        "download (3)",
        "test3",
        "last",
        "[old] stuff/-- cat --",
        "Saber_(fate)_v2",
        "..dots..",
        " ",
    ):
        lora(folder / f"{name}.safetensors", metadata={"name": name})
    shutil.copy(folder / "test3.safetensors", folder / "test3 - Copy.safetensors")
    whole = (folder / "last.safetensors").read_bytes()
    (folder / "half.safetensors").write_bytes(whole[:-700])
    (folder / "_new" / "quarter.safetensors").write_bytes(whole[:90])
    make.beside(lora(folder / "owl.safetensors"), ".civitai.info", '{"trainedWords": ["owl"')
    make.beside(lora(folder / "yaml.safetensors"), ".personalq.yaml", "subjects: [owl")
    make.make_vae(folder / "vae.safetensors")
    (folder / "old.ckpt").write_bytes(b"cos\nsystem\n.")
    (folder / "folder.safetensors").mkdir()
    lora(folder / "folder.safetensors" / "inside.safetensors")
    (folder / "bear.preview.png").write_bytes(b"no picture")
    cache = tmp_path / "index.sqlite"
    repository = opened(folder, cache=cache, hash_files=True)
    assert len(repository.cards) == 13
    said = dict(notice.split(": ", 1) for notice in repository.notices)
    assert {
        "half.safetensors",
        "_new/quarter.safetensors",
        "vae.safetensors",
        "old.ckpt",
    } <= said.keys()
    assert said["owl.civitai.info"] == "broken JSON in line 1: Expecting ',' delimiter; not read"
    assert said["yaml.personalq.yaml"].startswith("broken YAML in line 1")
    assert len(said) == 6
    assert check_in("a bear on grass", repository).card.name == "bear"
    again = opened(folder, cache=cache)
    assert (again.cards, again.notices, again.version) == (
        repository.cards,
        repository.notices,
        repository.version,
    )


@pytest.mark.parametrize(
    "trash", [".Trash-1000/files", "$RECYCLE.BIN/S-1-5", "#recycle", "@Recycle", ".stversions"]
)
def test_what_was_deleted_is_no_model(folder: Path, trash: str) -> None:
    make.make_lora(folder / trash / "bear_v2.safetensors")
    (folder / "converted.bin").mkdir()
    make.make_lora(folder / "converted.bin" / "owl.safetensors")
    repository = opened(folder)
    assert (names(repository), repository.notices) == (["bear", "owl"], ())


def test_links_that_lead_nowhere_or_to_themselves(folder: Path) -> None:
    try:
        for name in ("itself", "itself.safetensors", "bear.json"):
            (folder / name).symlink_to(folder / name)
        (folder / "bear.preview.png").symlink_to(folder / "gone.png")
        (folder / "circle").symlink_to(folder)
    except OSError:
        pytest.skip("this account may not make symbolic links")
    repository = opened(folder)
    assert names(repository) == ["bear"]
    assert repository.notices == ("itself.safetensors: a link to a file that is not there",)


def gone_after(place: Path, listings: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Emulated at the edge of the system: `place` vanishes right after its folder was listed so
    many times.
    """
    original, left = os.scandir, [listings]

    class Scanned:
        def __init__(self, folder: str) -> None:
            self.folder, self.found = str(folder), original(folder)

        def __enter__(self) -> Any:
            return list(self.found.__enter__())

        def __exit__(self, *error: object) -> None:
            self.found.__exit__(*error)
            left[0] -= self.folder == str(place.parent)
            if left[0] == 0 and place.exists():
                place.rename(place.parent.parent / "elsewhere")

    monkeypatch.setattr(os, "scandir", Scanned)


@pytest.mark.parametrize("listings", [1, 2])
@pytest.mark.parametrize("gone", ["owl.safetensors", "owl.json", "owl.png", "more"])
def test_what_vanishes_while_it_is_read_costs_itself(
    folder: Path, tmp_path: Path, gone: str, listings: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    owl = make.make_lora(folder / "owl.safetensors")
    make.beside(owl, ".json", {"activation text": "hoot"})
    make.beside(owl, ".png")
    make.make_lora(folder / "more" / "fox.safetensors")
    gone_after(folder / gone, listings, monkeypatch)
    repository = opened(folder, cache=tmp_path / "index.sqlite")
    expected = {"bear", "owl", "fox"} - {"owl.safetensors": {"owl"}, "more": {"fox"}}.get(
        gone, set()
    )
    assert set(names(repository)) == expected
    monkeypatch.undo()
    assert set(names(opened(folder, cache=tmp_path / "index.sqlite"))) == expected


def closed(monkeypatch: pytest.MonkeyPatch, *places: Path) -> None:
    """Emulated at the edge of the system, as root may read anything: these paths cannot be opened
    or listed.
    """
    refused = set(map(str, places))

    def edge(original: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(path: Any, *rest: Any, **options: Any) -> Any:
            if str(path) in refused:
                raise PermissionError(13, "Permission denied", str(path))
            return original(path, *rest, **options)

        return guarded

    monkeypatch.setattr(os, "scandir", edge(os.scandir))
    monkeypatch.setattr("io.open", edge(open))
    monkeypatch.setattr("builtins.open", edge(open))


def test_what_may_not_be_read_is_named_and_tried_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "index.sqlite"
    owl = make.make_lora(folder / "owl.safetensors")
    fox = make.make_lora(folder / "fox.safetensors")
    notes = make.beside(fox, ".json", {"activation text": "fox"})
    make.make_lora(folder / "private" / "cat.safetensors")
    closed(monkeypatch, owl, notes, folder / "private")
    first = opened(folder, cache=cache)
    assert names(first) == ["bear", "fox"]
    assert sorted(first.notices) == [
        "fox.json: cannot be read (Permission denied)",
        "owl.safetensors: left out: cannot be read (Permission denied)",
        "private/: left out: cannot be read (Permission denied)",
    ]
    assert opened(folder, cache=cache).notices == first.notices
    monkeypatch.undo()  # as after chmod, which changes neither size nor time
    second = opened(folder, cache=cache)
    assert names(second) == ["bear", "cat", "fox", "owl"]
    assert second.notices == ()
    assert second.version != first.version
    assert next(card for card in second.cards if card.name == "fox").triggers == ("fox",)


def test_a_file_that_cannot_be_hashed_has_no_hash(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owl = make.make_lora(folder / "owl.safetensors")
    cache = tmp_path / "index.sqlite"
    opened(folder, cache=cache)
    closed(monkeypatch, owl)
    repository = opened(folder, cache=cache, hash_files=True)
    assert [bool(card.sha256) for card in repository.cards] == [True, False]
    assert repository.notices == (
        "owl.safetensors: not hashed: cannot be read (Permission denied)",
    )


@pytest.mark.parametrize(
    "error",
    [KeyError("x"), RecursionError(), MemoryError(), AssertionError("y"), UnicodeError("z")],
)
def test_a_mistake_of_ours_costs_one_model(
    folder: Path, tmp_path: Path, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Emulated, as no such mistake is known: what reads, or describes, one file raises."""
    make.make_lora(folder / "owl.safetensors")
    make.make_lora(folder / "fox.safetensors")
    read_header = read_models.read_header

    def failing(one: Any) -> Any:
        if "owl" in str(one):
            raise error
        return read_header(one) if isinstance(one, Path) else facts_of(one)

    cache = tmp_path / "index.sqlite"
    for module, name in ((read_models, "read_header"), (snapshot_builder, "facts_of")):
        with monkeypatch.context() as patched:
            patched.setattr(module, name, failing)
            repository = opened(folder, cache=cache)
            assert names(repository) == ["bear", "fox"]
            (said,) = repository.notices
            assert said.startswith(
                f"owl.safetensors: left out: PersonalQ failed on it ({type(error).__name__}: "
            )
    (folder / "fox.safetensors").touch()
    assert names(opened(folder, cache=cache)) == ["bear", "fox", "owl"], "tried again"


def test_an_index_with_flipped_bits_never_stops_a_library(folder: Path, tmp_path: Path) -> None:
    for number in range(4):
        owl = make.make_lora(folder / f"owl_v{number}.safetensors", metadata=make.KOHYA)
        make.beside(owl, ".civitai.info", make.CIVITAI)
    make.make_vae(folder / "vae.safetensors")
    cache = tmp_path / "index.sqlite"
    whole = opened(folder, cache=cache)
    content = cache.read_bytes()
    chance = random.Random(0)
    for _ in range(120):
        place = chance.randrange(len(content))
        cache.write_bytes(
            content[:place]
            + bytes([content[place] ^ 1 << chance.randrange(8)])
            + content[place + 1 :]
        )
        for _ in range(2):
            repository = opened(folder, cache=cache)
            assert repository.cards == whole.cards


@pytest.mark.skipif(sys.platform == "win32", reason="file names there hold no control characters")
def test_notices_can_be_printed(folder: Path) -> None:
    (folder / "a\n\x1b[31mb.safetensors").write_bytes(b"")
    (said,) = opened(folder).notices
    assert said.startswith(r"a\n\x1b[31mb.safetensors: left out: ")


def test_the_same_files_from_another_root_are_another_version(folder: Path) -> None:
    inner, outer = opened(folder), opened(folder.parent)
    assert {card.id for card in inner.cards} != {card.id for card in outer.cards}
    assert inner.version != outer.version
    assert check_in("a bear on grass", inner).card.name == "bear"
    assert check_in("a bear on grass", outer).card.name == "bear"
