"""Test that a name is one, in signs or in Latin letters."""

from __future__ import annotations

from pathlib import Path

import pytest

from personalq.checkin import Repository, check_in
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


@pytest.mark.parametrize(
    "named",
    [
        [("krümel_flux_v3", "krml dog"), ("kruemel_zimg", "kruem")],
        [("kruemel_v1", "krml dog"), ("krumel_v2", "krmel dog")],
        [("Bienenkästen bunt", "bnkst"), ("bienenkaesten_bunt_v2", "bnkstn")],
        [("celt_knot_v2", "cltknt"), ("celtknot_v1", "cknt")],
    ],
)
def test_a_name_may_be_written_apart_and_umlauts_in_two_letters_or_without(
    tmp_path: Path, named: list[tuple[str, str]]
) -> None:
    assert lineages(tmp_path, *named) == 1


@pytest.mark.parametrize("request_", ["krümel", "kruemel", "Krumel am See"])
def test_a_request_writes_umlauts_in_any_way(tmp_path: Path, request_: str) -> None:
    own(tmp_path, "krümel_flux", 1, "krml dog")
    own(tmp_path, "kruemel_v2", 2, "krmel dog")
    own(tmp_path, "keks", 3, "kks dog")
    repository = Repository.open(tmp_path, embedder=None)
    assert [one.name for one in check_in(request_, repository).cards] == ["kruemel_v2"]


def test_english_words_have_no_umlauts(tmp_path: Path) -> None:
    assert lineages(tmp_path, ("blue_vase", "blvs"), ("blu_vase", "bluv")) == 2
