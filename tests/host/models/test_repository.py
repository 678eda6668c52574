"""ComfyUI's folders of models as a repository, however messy they are."""

from __future__ import annotations

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("comfy.sd", reason="ComfyUI is not on this machine")

import folder_paths

from personalq.checkin.index import read_models
from personalq.checkin.index.folders import Listed
from personalq.checkin.index.store import StoredModel
from personalq.nodes.host.models.held import HeldRepositories
from personalq.nodes.host.models.library import Library
from personalq.nodes.host.models.repository import ALL, KINDS, choices, open_repository
from personalq.nodes.host.web.cards_api import summary
from personalq.tests.checkin import make_files as make


@pytest.fixture
def loras(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """ComfyUI's folder of LoRAs, with one in it; there are no checkpoints."""
    for kind in KINDS:
        (tmp_path / kind).mkdir()
        monkeypatch.setitem(
            folder_paths.folder_names_and_paths, kind, ([str(tmp_path / kind)], {".safetensors"})
        )
    monkeypatch.setattr(folder_paths, "user_directory", str(tmp_path / "user"))
    make.make_lora(tmp_path / "loras" / "_new" / "bear.safetensors")
    return tmp_path / "loras"


def test_what_is_offered_in_a_messy_folder(loras: Path) -> None:
    (loras / "styles").mkdir()
    try:
        (loras / "itself").symlink_to(loras / "itself")
        os.mkdir(os.path.join(os.fsencode(loras), b"b\xe4r"))
    except OSError:
        pytest.skip("this disk takes no such name")
    assert choices() == [ALL, *KINDS, "loras/_new", "loras/styles"]
    json.dumps(choices(), ensure_ascii=False).encode()
    assert [card.name for card in open_repository(ALL).cards] == ["bear"]


def test_a_folder_that_may_not_be_listed_hides_no_other(
    loras: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Emulated at the edge of the system, as root may list anything."""
    scandir, refused = os.scandir, str(loras.parent / "checkpoints")

    def guarded(folder):
        if str(folder) == refused:
            raise PermissionError(13, "Permission denied", refused)
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", guarded)
    assert "loras/_new" in choices()
    assert [card.name for card in open_repository(ALL).cards] == ["bear"]


def test_the_sidebar_says_what_is_left_out(loras: Path) -> None:
    (loras / "broken.safetensors").write_bytes(b"")
    library = Library(HeldRepositories())
    about = summary(library.refresh())
    assert about["total"] == 1
    assert about["unreadable"] == 1
    assert about["notices"][0]["file"] == "broken.safetensors"
    assert about["notices"][0]["why"].startswith("not a safetensors file")
    (loras / "_new" / "bear.safetensors").unlink()
    with pytest.raises(
        ValueError, match=r"press Rescan. Found: broken.safetensors: left out: not a safetensors"
    ):
        library.refresh()


def test_who_shows_models_is_told_when_they_are_others(loras: Path) -> None:
    told: list[int] = []
    library = Library(HeldRepositories(), lambda: told.append(1))
    library.refresh()
    library.refresh()
    assert not told
    (loras / "_new" / "bear.safetensors").rename(loras / "_new" / "bruno.safetensors")
    library.refresh()
    library.refresh()
    assert told == [1]


@pytest.fixture
def reads(loras: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The models that were read, each slowly."""
    for number in range(20):
        os.link(loras / "_new" / "bear.safetensors", loras / f"bear_{number}.safetensors")
    seen: list[str] = []
    read = read_models.read_model

    def slowly(listed: Listed) -> StoredModel:
        seen.append(listed.path)
        time.sleep(0.05)
        return read(listed)

    monkeypatch.setattr(read_models, "read_model", slowly)
    return seen


def test_who_needs_models_that_are_being_read_waits_and_sees_how_far_it_is(
    reads: list[str],
) -> None:
    told: list[tuple[int, int]] = []
    with ThreadPoolExecutor() as pool:
        first = pool.submit(open_repository, ALL)
        while not reads:
            time.sleep(0.01)
        second = pool.submit(open_repository, ALL, lambda *far: told.append(far))
        assert first.result().version == second.result().version
    assert len(reads) == 21
    assert told
    assert {total for _, total in told} == {21}


def test_who_waits_may_be_interrupted(reads: list[str]) -> None:
    def interrupted(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with ThreadPoolExecutor() as pool:
        first = pool.submit(open_repository, ALL)
        while not reads:
            time.sleep(0.01)
        with pytest.raises(KeyboardInterrupt):
            open_repository(ALL, interrupted)
        assert not first.done()
        assert len(first.result().cards) == 21
