"""Test that a name is one, in signs or in Latin letters."""

from __future__ import annotations

from pathlib import Path

import pytest

from personalq.checkin import Repository
from personalq.tests.checkin.own_loras import own


def lineages(folder: Path, *named: tuple[str, str]) -> int:
    """How many lineages some LoRAs are, each of a (name, trigger)."""
    for day, (name, trigger) in enumerate(named, 1):
        own(folder, name, day, trigger)
    columns = Repository.open(folder, embedder=None).catalogue().columns
    return len({*columns.lineage.tolist()})


@pytest.mark.parametrize(
    "named",
    [
        [("小雪_v3", "koyuki 1girl"), ("koyuki_anima_v1", "koyuki")],
        [("ミナモ_v1", "mnm"), ("minamo_pony", "minamo")],
        [("雪道_v2", "snwstreet"), ("yukimichi_flux", "yukimichi")],
        [("紫_final", "yukari witch"), ("yukari", "yukari")],
        [("宋制褙子_v2", "szbz"), ("songzhi_beizi_xl", "szbeizi")],
        [("ミナモ_v1", "mnm"), ("みなも", "mnmo")],
        [("小雪_v3", "koyuki"), ("コユキ", "kyk")],
        [("小雪_巫女服", "koyuki"), ("koyuki_巫女服_v2", "koyuki")],
    ],
)
def test_a_name_in_signs_is_that_of_the_same_model_in_latin_letters(
    tmp_path: Path, named: list[tuple[str, str]]
) -> None:
    assert lineages(tmp_path, *named) == 1


@pytest.mark.parametrize(
    "named",
    [
        [("小雪_v3", "koyuki 1girl"), ("sayuki_v1", "sayuki")],  # its trigger says how it is read
        [("小雪_巫女服", "koyuki"), ("koyuki_v2", "koyuki")],
        [("雪_v1", "snwlandscape"), ("yuki_v1", "yuki 1girl")],
        [("リラ_v1", "rira"), ("ルル_v1", "ruru")],
    ],
)
def test_other_names_are_of_other_models(tmp_path: Path, named: list[tuple[str, str]]) -> None:
    assert lineages(tmp_path, *named) == 2
