"""Test that models of one person or thing are one, in whatever way they are called."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin.catalog.test_read_names import lineages
from personalq.tests.checkin.own_loras import downloaded, own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


@pytest.mark.parametrize(
    "named",
    [
        [("me", "br4ndi woman"), ("brandi_flux_v2", "br4ndi woman")],
        [("me_v2", "br4ndi woman"), ("brandi_pony", "br4ndi")],
        [("dan_zit", "dnl33ds man"), ("danme_xl", "dnl33ds man")],
        [("bruno_dog_xl", "brn0 dog"), ("bruno_flux", "brn0 dog")],
        [("wife_mikyung", "mikyung"), ("mikyung", "mikyung woman")],
        [("me", "kirstyl"), ("myself_v2", "kirsty woman")],
        [("tam_border_terrier_v1", "tamdug dog"), ("tam_flux_v3", "tamdug dog")],
        [("moi_flux", "mthlyn homme"), ("mathieu_xl", "mthlyn homme")],
    ],
)
def test_one_own_trigger_is_one_model(tmp_path: Path, named: list[tuple[str, str]]) -> None:
    assert lineages(tmp_path, *named) == 1


@pytest.mark.parametrize(
    "named",
    [
        [("me_pregnant", "br4ndi woman"), ("brandi_flux_v2", "br4ndi woman")],
        [("me_blonde", "br4ndi blonde"), ("brandi_flux_v2", "br4ndi woman")],
        [("mam", "ohwx woman"), ("orla", "ohwx woman")],
        [("windsor_chair", "wjtk windsor chair"), ("roubo_bench", "wjtk roubo bench")],
        [("mabel_puppy", "mabldog dog"), ("mabel_xl", "mabldog dog")],
        [("tara_5yrs", "t4ra girl"), ("tara_in_red", "t4ra girl")],
    ],
)
def test_what_a_name_says_besides_is_another(tmp_path: Path, named: list[tuple[str, str]]) -> None:
    assert lineages(tmp_path, *named) == 2


@pytest.mark.parametrize(
    ("named", "models"),
    [
        ([("hooked_rug", "hkdrug style", "sdxl"), ("rughook", "hkdrug style", "sd15")], 1),
        ([("house_final", "hillhse house", "sdxl"), ("on_hill", "hillhse house", "sd15")], 1),
        (
            [
                ("mabel", "mabldog dog", "sdxl"),
                ("the_small_one", "mabldog dog", "sdxl"),
                ("mabel_15", "mabldog dog", "sd15"),
            ],
            2,
        ),
        ([("pip_hat", "pipq", "sdxl"), ("pip_coat", "pipq", "sd15")], 2),
        ([("isla", "islw woman", "sdxl"), ("isla_purplehair", "islw woman", "sd15")], 2),
        ([("orla", "ohwx woman", "sdxl"), ("mam", "ohwx woman", "sd15")], 2),
    ],
)
def test_one_trigger_is_one_model_if_each_base_has_one(
    tmp_path: Path, named: list[tuple[str, str, str]], models: int
) -> None:
    for day, (name, trigger, base) in enumerate(named):
        own(tmp_path, name, 10 + day, trigger, **({"base": base} if base == "sd15" else {}))
    columns = Repository.open(tmp_path, embedder=None).catalogue().columns
    assert len({*columns.lineage.tolist()}) == models


def test_what_others_made_is_not_joined_by_its_trigger(tmp_path: Path) -> None:
    downloaded(tmp_path, "makima", "Makima", ["character"], "mkmx")
    downloaded(tmp_path, "mak_goofy", "Mak goofy", ["character"], "mkmx")
    columns = Repository.open(tmp_path, embedder=None).catalogue().columns
    assert len({*columns.lineage.tolist()}) == 2


def test_me_is_the_newest_of_oneself_however_it_is_called(tmp_path: Path) -> None:
    own(tmp_path, "me", 30, "br4ndi woman")
    own(tmp_path, "brandi_v2", 300, "br4ndi woman")
    own(tmp_path, "dustin", 310, "dstn man")
    repository = Repository.open(tmp_path, embedder=None)
    for request in ("me on a rooftop", "brandi on a rooftop"):
        decision = check_in(request, repository, now=NOW)
        assert [one.name for one in decision.cards] == ["brandi_v2"]


def test_each_is_found_by_the_names_of_the_others(tmp_path: Path) -> None:
    own(tmp_path, "me", 30, "br4ndi woman", base="sd15")
    own(tmp_path, "brandi_v2", 300, "br4ndi woman")
    repository = Repository.open(tmp_path, embedder=None)
    for request, name in (("brandi sd15 in a park", "me"), ("me on a lake, sdxl", "brandi_v2")):
        decision = check_in(request, repository, now=NOW)
        assert [one.name for one in decision.cards] == [name]
