"""Test odd names of files and folders: all models are found, and a request is decided."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from personalq.checkin import Repository, check_in
from personalq.tests.checkin import make_files as make

MAX_NAME_BYTES = 255
"""Bytes of one name, on nearly all file systems."""
ENDING = ".safetensors"
SEPARATORS = ("_", "-", ".", " ", "__", "--", "..", "  ", "_-_", "- -")
PIECES = (
    *"bear v2 final test3 last ohwx 000010 2025-04-11 new Saber SDXL k-9 ( ) [v1] {x} <bear> & '"
    ' " %20 # @'.split(),
    *"$ ~ ` ! ? * | : \\ = 🐻 👨‍👩‍👧 🏳️‍🌈 熊 テディベア 곰돌이 דוב دب é ß İ ﬁ ² ① ٣".split(),
    *(
        "download (3)",
        "\u202egnp",
        "\u200b",
        "e\u0301",
        "\ue000",
        "\u3000",
        "\n",
        "\t",
        "\x1b[31m",
        "\x7f",
        "\u2028",
    ),
)
SPOKEN = st.lists(st.sampled_from((*SEPARATORS, *SEPARATORS, *PIECES)), min_size=1, max_size=6).map(
    "".join
)
ANY = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), min_size=1, max_size=40
)
NAMES = st.one_of(SPOKEN, SPOKEN, ANY, SPOKEN.map(lambda name: name * MAX_NAME_BYTES))


def shortened(name: str, most: int) -> str:
    """A name that a disk takes; no name for the folder itself or the one above it."""
    cut = name.encode()[:most].decode(errors="ignore")
    return cut if cut not in ("", ".", "..") else "_"


@contextmanager
def library(names: list[tuple[str, str]], words: str) -> Iterator[tuple[Path, set[str]]]:
    """(folder, paths) of a model for each (folder, name), `words` its trigger, and of one that can
    be asked for.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        root = Path(place)
        original = make.make_lora(root / "source" / "original.safetensors").read_bytes()
        bear = make.make_lora(root / "models" / "the bear.safetensors")
        make.beside(bear, ".personalq.yaml", "subjects: bear")
        paths = {str(bear)}
        for folder, name in names:
            directory = (
                root / "models" / shortened(folder, MAX_NAME_BYTES) if folder else root / "models"
            )
            path = os.path.join(directory, shortened(name, MAX_NAME_BYTES - len(ENDING)) + ENDING)
            try:
                os.makedirs(directory, exist_ok=True)
                Path(path).write_bytes(original)
            except OSError:  # another system takes fewer names
                continue
            paths.add(path)
            if words and len(os.path.basename(path).encode()) < MAX_NAME_BYTES - 10:
                make.beside(Path(path), ".json", {"activation text": words})
        yield root / "models", paths


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(st.one_of(st.just(""), NAMES), NAMES), min_size=1, max_size=4),
    st.one_of(st.just(""), SPOKEN),
)
@example([("_new", "bear"), ("", "dog")], "")
@example([("", "_"), ("", "-"), ("", "."), ("", " "), ("", "__a--b..c  d__")], "")
@example([("x", "bear")], "<-a>")
@example([("x", "bear")], "_x")
@example([("a" * MAX_NAME_BYTES, "🐻" * MAX_NAME_BYTES)], "")
def test_any_name(names: list[tuple[str, str]], words: str) -> None:
    with library(names, words) as (folder, paths):
        cache = folder.parent / "index.sqlite"
        repository = Repository.open(folder, cache=cache, embedder=None)
        assert {card.path for card in repository.cards} == paths
        assert not [said for said in repository.notices if "left out" in said]
        assert len({card.id for card in repository.cards}) == len(paths)
        assert check_in(f"my {repository.cards[-1].name} on grass"[:200], repository).why
        assert check_in("the newest bear", repository).why
        again = Repository.open(folder, cache=cache, embedder=None)
        assert again.cards == repository.cards
        assert again.version == repository.version


@pytest.mark.skipif(os.name == "nt", reason="names are Unicode there")
def test_a_name_that_is_no_text_costs_only_what_has_it(tmp_path: Path) -> None:
    bear = make.make_lora(tmp_path / "models" / "bear.safetensors")
    odd = os.fsencode(tmp_path / "models")
    try:
        os.makedirs(os.path.join(odd, b"b\xe4ren"))
    except OSError:
        pytest.skip("this disk takes no such name")
    for name in (b"b\xe4r.safetensors", b"b\xe4ren/bear.safetensors", b"b\xe4r.ckpt"):
        with open(os.path.join(odd, name), "wb") as file:
            file.write(bear.read_bytes())
    repository = Repository.open(
        tmp_path / "models", cache=tmp_path / "index.sqlite", embedder=None
    )
    assert [card.path for card in repository.cards] == [str(bear)]
    said = "\n".join(sorted(repository.notices))
    said.encode()
    assert r"b\udce4r.safetensors: left out: its name is not UTF-8 text; rename it" in said
    assert r"b\udce4ren/: left out: cannot be read (its name is not UTF-8 text; rename it)" in said
    assert r"b\udce4r.ckpt: left out: a pickle" in said
    assert (
        Repository.open(tmp_path / "models", cache=tmp_path / "index.sqlite", embedder=None).cards
        == repository.cards
    )
