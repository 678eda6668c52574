"""Test what file names say: what a model is called, and which build it is."""

from __future__ import annotations

import pytest

from personalq.checkin.catalog.file_names import (
    labels_in,
    numbered_words,
    read_file_name,
    without_site_version,
)


@pytest.mark.parametrize(
    ("name", "words", "labels"),
    [
        ("mossXL_v2", ("moss",), {"v2"}),
        ("tedxl_v2-000008", ("ted",), {"v2", "epoch8"}),
        ("bramble2b", ("bramble",), {"v2b"}),
        ("bramble_v2_1", ("bramble",), {"v2.1"}),
        ("bramble_sd15", ("bramble",), set()),
        ("bramble_final_2025-06-07", ("bramble",), {"final"}),
        ("blackfive_45157_v3_2025-03-29", ("blackfive", "45157"), {"v3"}),
        ("bramble_768_1500_128", ("bramble",), set()),
        ("bramble_step_625", ("bramble",), {"step625"}),
        ("bramble_wan22_v3", ("bramble",), {"v3"}),
        ("bramble_flux_v1_2025-06-07", ("bramble",), {"v1"}),
        ("bramble_fp8_e4m3fn_scaled", ("bramble",), set()),
        ("bramble_xl_FINAL2", ("bramble",), {"final2"}),
        ("hm_cinderchoir_1.0.1-hotfix", ("hm", "cinderchoir"), {"v1.0.1", "hotfix"}),
        ("tuskboar_mount_000001500", ("tuskboar", "mount"), {"step1500"}),
        ("frt_b7", ("frt",), {"build7"}),
        ("carys_age4_xl", ("cary", "age", "age4"), set()),
        ("nora_5y_sd15", ("nora", "age5"), set()),
        ("sdxl_lightning_4step_lora", ("lightning", "4step"), set()),
        ("_new", (), set()),
        ("my_bus_76_flux_v2_good", ("my", "bus"), {"v2"}),
        ("poster_flux_v3_good (1)", ("poster",), {"v3"}),
        ("abena_BEST", ("abena",), set()),
        ("good_dog_xl", ("good", "dog"), set()),
        ("blue_flux_22pics_v1", ("blue",), {"v1"}),
        ("bao_klein9b", ("bao",), set()),
        ("anna_klein", ("anna", "klein"), set()),
        ("AoDai_ZImageTurbo_v2", ("ao", "dai"), {"v2"}),
        ("Qwen-Image-Lightning-8steps-V1.0", ("lightning", "8step"), {"v1.0"}),
        ("Miku_NoobAI-vpred_v1", ("miku",), {"v1"}),
        ("dev_illu_v2", ("dev",), {"v2"}),
        ("sori_ill_v3", ("sori",), {"v3"}),
        ("doyoon_ill_v2_진짜최종", ("doyoon",), {"v2", "final"}),
        ("ink_v3 - 복사본", ("ink",), {"v3"}),
        ("ink_v3 (copia)", ("ink",), {"v3"}),
        ("狐狸_最终版2", ("狐狸",), set()),
        ("flux1-dev-fp8", (), set()),
    ],
)
def test_a_name_is_taken_apart(name: str, words: tuple[str, ...], labels: set[str]) -> None:
    found = read_file_name(name)
    assert found.words == words
    assert labels <= found.labels


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("juggernautXL_ragnarokBy", "juggernautXL"),
        ("epicrealism_naturalSinRC1VAE", "epicrealism"),
        ("dreamshaper_8", "dreamshaper_8"),
        ("bear_cartoon", "bear_cartoon"),
        ("Bear_redHat", "Bear_redHat"),
        ("my_bearXL_red", "my_bearXL_red"),
    ],
)
def test_the_version_of_a_name_from_a_site_is_left_out(name: str, plain: str) -> None:
    assert without_site_version(name) == plain


def test_a_number_counts_once() -> None:
    assert not read_file_name("bao_klein9b").labels | read_file_name("flux1-dev-fp8").labels
    assert read_file_name("chair_e08").labels >= {"epoch8"}
    assert read_file_name("chair_steps_2000").labels >= {"step2000"}
    assert read_file_name("chair_v3_FINAL2").labels == {"v3", "final2"}
    assert read_file_name("bear2").labels == {"v2", "age2"}  # whichever a request asks for


@pytest.mark.parametrize(
    ("name", "words", "labels"),
    [
        ("bear_v2_rank32", ("bear",), {"v2"}),
        ("bear_dim32_alpha16", ("bear",), set()),
        ("bear_lr_1e-4", ("bear",), set()),
        ("leo_age_4", ("leo", "age", "age4"), {"age4"}),
        ("haruki_4sai_v1", ("haruki", "sai", "age4"), {"age4", "v1"}),
        ("若溪_3岁", ("若溪", "岁", "age3"), {"age3"}),
        ("紫_final2", ("紫",), {"final2"}),
        ("koyuki_anima_v1", ("koyuki",), {"v1"}),
        ("leo_2025-4-11", ("leo",), set()),
        ("bear_v1.5beta", ("bear",), {"v1.5"}),
        ("bear_1000_steps_00001_", ("bear",), {"step1000"}),
        ("luna_lora_1500", ("luna",), {"step1500"}),
        ("luna_1024", ("luna",), set()),
    ],
)
def test_no_other_number_is_a_build(name: str, words: tuple[str, ...], labels: set[str]) -> None:
    found = read_file_name(name)
    assert (found.words, found.labels) == (words, labels)
    assert found.unfinished == ("beta" in name)


def test_builds_before_the_finished_one_and_rejected_ones_are_told() -> None:
    assert read_file_name("nelson_march2025").words == ("nelson",)
    assert read_file_name("nelson_nov26").words == ("nelson",)
    assert read_file_name("june_v2").words == ("june",)
    assert read_file_name("nelson_xl_v3-000006").unfinished
    assert read_file_name("hero_mvesper_rc2").unfinished
    assert not read_file_name("nelson_xl_v3").unfinished
    assert read_file_name("yoru_il_v4_FAILED").rejected
    assert not read_file_name("goldfish").rejected


def test_a_request_names_builds_as_files_do() -> None:
    said = "the saltwardens v2b, epoch 12, not rc1"
    assert [label for _, _, label in labels_in(said)] == ["v2b", "epoch12", "rc1"]


def test_a_word_with_its_number_is_one_word() -> None:
    assert numbered_words("job03_product_shoe") == {"job03"}
    assert numbered_words("IMG2034") == {"img2034"}
    assert numbered_words("bear_plushie_a1111") == {"a1111"}
    for name in ("bear_v2", "leo_epoch10", "leo_ep12", "wan21_dance", "ink_rank32"):
        assert numbered_words(name) == set()


@pytest.mark.parametrize(("stem", "word"), [("90s_album_zit", "90s"), ("look_1970s", "1970s")])
def test_a_decade_is_a_word(stem: str, word: str) -> None:
    assert word in numbered_words(stem)
