"""Test who made a model: by its sidecar, its folder, its header, and its neighbours."""

from __future__ import annotations

from pathlib import Path

import pytest

from personalq.checkin import Repository
from personalq.checkin.catalog.cards import Card
from personalq.checkin.catalog.origins import origin_of
from personalq.tests.checkin import make_files as make

TRAINED = {"ss_training_finished_at": "1750000000.0", "ss_network_module": "networks.lora"}


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("loras dl styles", "downloaded"),
        ("loras looks downloaded", "downloaded"),
        ("loras my downloads", "downloaded"),
        ("loras my books cities", "trained"),
        ("loras mystyles", "trained"),
        ("loras MINE xl", "trained"),
        ("loras descargas", "downloaded"),
        ("loras téléchargements", "downloaded"),
        ("loras 下载", "downloaded"),
        ("loras eigene bilder", "trained"),
        ("loras mios", "trained"),
        ("loras heruntergekommen", None),
        ("loras mythology", None),
        ("loras minecraft", None),
        ("loras style", None),
    ],
)
def test_a_folder_says_who_made_its_models(folder: str, expected: str | None) -> None:
    assert origin_of(Card("a", path="a.safetensors"), folder) == expected


def test_a_sidecar_counts_more_than_a_folder_and_a_folder_more_than_a_header() -> None:
    said = {"origin": "civitai.info"}
    assert origin_of(Card("a", origin="downloaded", sources=said), "loras mine") == "downloaded"
    said = {"origin": "safetensors"}
    assert origin_of(Card("a", origin="trained", sources=said), "loras dl") == "downloaded"
    assert origin_of(Card("a", origin="trained", sources=said), "loras style") == "trained"


def by_name(repository: Repository) -> dict[str, tuple[bool, bool]]:
    columns = repository.catalogue().columns
    names = [card.name for card in repository.cards]
    return dict(
        zip(
            names,
            zip(columns.trained.tolist(), columns.downloaded.tolist(), strict=True),
            strict=True,
        )
    )


def test_a_file_that_says_nothing_is_what_most_of_its_folder_are(tmp_path: Path) -> None:
    for name in ("anna", "bert", "carl"):
        make.make_lora(tmp_path / "heroes" / f"{name}.safetensors", metadata=TRAINED)
    make.make_lora(tmp_path / "heroes" / "dora.safetensors")
    make.make_lora(tmp_path / "other" / "emil.safetensors")
    found = by_name(Repository.open(tmp_path, embedder=None))
    assert found["dora"] == (True, False)
    assert found["emil"] == (False, False)


def test_a_build_without_a_header_belongs_to_who_trained_the_others(tmp_path: Path) -> None:
    make.make_lora(tmp_path / "anna_v1.safetensors", metadata=TRAINED)
    make.make_lora(tmp_path / "anna_v2.safetensors")
    assert by_name(Repository.open(tmp_path, embedder=None))["anna_v2"] == (True, False)
