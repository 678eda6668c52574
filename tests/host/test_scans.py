"""Test how often Check-in and its preview look at the folders of models."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import folder_paths
from comfy_api.latest._io import HiddenHolder
from server import PromptServer

from personalq.checkin import Repository
from personalq.nodes.check_in import CheckIn
from personalq.nodes.host.models.held import HeldRepositories
from personalq.nodes.host.models.repository import ALL, KINDS
from personalq.nodes.preview import Preview
from personalq.nodes.recommended_settings import RecommendedSettings
from personalq.tests.host.server_in_process import Server

BASE_AND_REASONER = ("any", "offline")
REQUEST = "pickle, cartoon"
CHOSEN = f"for: {REQUEST}\nmodel: cat_cartoon"
"""A model that could be called by a word of the request."""


@pytest.fixture
def scans(demo_repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list:
    """The folders of each time that the demo's folders were looked at."""
    for kind in KINDS:
        found = ([str(demo_repository / kind)], {".safetensors"})
        monkeypatch.setitem(folder_paths.folder_names_and_paths, kind, found)
    monkeypatch.setattr(folder_paths, "user_directory", str(tmp_path / "user"))
    monkeypatch.setattr(folder_paths, "temp_directory", str(tmp_path / "temp"))
    monkeypatch.setattr(PromptServer, "instance", Server(), raising=False)
    hidden = HiddenHolder.from_dict({"UNIQUE_ID": "2", "PROMPT": {}})
    monkeypatch.setattr(CheckIn, "hidden", hidden)
    scanned, opened = [], Repository.open

    def open_counted(*folders, **options):
        scanned.append(folders)
        return opened(*folders, **options)

    monkeypatch.setattr(Repository, "open", open_counted)
    return scanned


@pytest.mark.parametrize(("repository", "times"), [(ALL, 1), ("loras", 2)])
def test_one_look_tells_whether_check_in_runs_again(scans, repository, times):
    CheckIn.fingerprint_inputs("a bear", repository, *BASE_AND_REASONER)
    assert len(scans) == times


def test_settings_of_a_model_of_another_loader_are_cached_where_no_models_are(
    scans, tmp_path, monkeypatch
):
    """As with GGUF files alone."""
    monkeypatch.setattr(RecommendedSettings, "hidden", CheckIn.hidden)
    for kind in KINDS:
        monkeypatch.setitem(folder_paths.folder_names_and_paths, kind, ([str(tmp_path)], set()))
    first, second = (RecommendedSettings.fingerprint_inputs(model=None) for _ in range(2))
    assert first == second
    assert first != RecommendedSettings.fingerprint_inputs(model=None, selection=None)


def test_a_run_looks_once(scans):
    made = CheckIn.execute(REQUEST, ALL, *BASE_AND_REASONER, chosen=CHOSEN)
    assert made.ui["personalq"][0]["offered_name"]["name"] == "pickle"
    assert len(scans) == 1


def test_previews_look_at_the_disk_once_in_a_while(scans):
    preview = Preview(lambda done, total: None, HeldRepositories())
    for _ in range(2):
        assert (
            preview({}, {"request": REQUEST, "chosen": CHOSEN})["offered_name"]["name"] == "pickle"
        )
    assert len(scans) == 1
