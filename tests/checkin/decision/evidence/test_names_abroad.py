"""Test requests in the language in which the user also names models."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from personalq.checkin import Repository, check_in
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.own_loras import own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    own(folder, "kiko_v2", 10, "kiko_chr")
    own(folder, "oma", 11, "omahelga woman")
    own(folder, "Mädchen_mit_Schirm", 12, "umbrellagrl", "1girl, umbrella")
    own(folder, "tusche_v2", 13, "yukitusche style")
    own(folder, "Aquarell_weich", 14, "aquarellweich style")
    own(folder, "dog_watercolour_v2", 15, "dgwc dog", "watercolor")
    own(folder, "Straßenbahn", 16, "strbhn tram")
    own(folder, "Großstadt_Neon", 17, "neonstadt style")
    own(folder, "柴犬_ハチ", 18, "hachi_inu dog")
    own(folder, "Bär_Bruno_v3", 19, "brunobaer", "bear, no humans")
    (folder / "Bär_Bruno_v3.personalq.yaml").write_text("names: [くまちゃん]\n", "utf-8")
    own(folder, "bear_realistic_v4", 20, "brreal bear")
    own(folder, "frieda", 21, "fuchsfrieda")
    own(folder, "bienenhaus_opa", 22, "opabhs")
    own(folder, "Biene_v1", 23, "jbiene bee")
    own(folder, "dorfplatz_linde", 24, "dorfplz village square")
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("Kiko am Strand mit Oma", ["kiko_v2", "oma"]),
        ("Kiko, nicht in Tusche, in Aquarell weich", ["kiko_v2", "Aquarell_weich"]),
        ("Kiko, aber nicht in Tusche, lieber Aquarell weich", ["kiko_v2", "Aquarell_weich"]),
        ("Strassenbahn in der Grossstadt", ["Straßenbahn", "Großstadt_Neon"]),
        ("柴犬ハチとキコ", ["柴犬_ハチ", "kiko_v2"]),
        ("くまちゃんとキコ", ["Bär_Bruno_v3", "kiko_v2"]),
        ("フリーダとキコ", ["frieda", "kiko_v2"]),
        ("das Bienenhaus im Regen", ["bienenhaus_opa"]),
        ("Kiko vor dem Bienenhaus", ["kiko_v2", "bienenhaus_opa"]),
        ("Dorfplatz mit der Linde, Maibaum wird aufgestellt", ["dorfplatz_linde"]),
    ],
)
def test_the_models_that_are_called_by_their_names(repository, request_text, names) -> None:
    decision = check_in(request_text, repository, now=NOW)
    assert [card.name for card in decision.cards] == names, decision.why


def test_strengths_have_a_comma_where_the_language_has_one(repository) -> None:
    decision = check_in("Kiko 0,6 und Oma", repository, now=NOW)
    assert {card.name: card.strength for card in decision.cards} == {"kiko_v2": 0.6, "oma": 0.85}
    assert decision.prompt == "kiko_chr und omahelga woman"


def test_a_thing_is_offered_by_its_name_in_the_language_of_the_request(repository) -> None:
    question = check_in("mein Bär im Schnee", repository, now=NOW).question
    assert question
    assert {one.label for one in question.choices} == {"Bär Bruno", "bear realistic"}


def test_words_of_a_language_that_is_understood_show_no_other_one(repository) -> None:
    assert check_in("Kiko am Strand mit Oma", repository, now=NOW).intent.language.name == "German"
    danish = check_in("min hund og vores kat uden sne", repository, now=NOW)
    assert danish.intent.language.name == "Danish"


def test_a_reason_repeats_no_word_in_small_letters(repository) -> None:
    why = check_in("Kiko, nicht in Tusche, in Aquarell weich", repository, now=NOW).why
    assert "'Aquarell' and 'weich' in its name" in why


def test_reasons_are_in_one_language(repository) -> None:
    german = check_in("die neueste Kiko am Strand", repository, now=NOW, language="de")
    english = check_in("die neueste Kiko am Strand", repository, now=NOW)
    assert "neueste" in german.why
    assert "the newest" in english.why
    assert "neueste" not in english.why


@pytest.mark.parametrize("request_text", ["Syl'vara in a wood", "sylvara in a wood"])
def test_an_apostrophe_inside_a_name_may_be_left_out(tmp_path, request_text) -> None:
    own(tmp_path, "sylvara_v1", 10, "sylvr elf")
    own(tmp_path, "Syl'vara_v2", 11, "sylvr elf")
    decision = check_in(request_text, Repository.open(tmp_path, embedder=None), now=NOW)
    assert [card.name for card in decision.cards] == ["Syl'vara_v2"], decision.why


@pytest.fixture(scope="module")
def japanese(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    for name, day in (("sayo_v1", 10), ("sayo_v2", 11), ("tumugi_v1", 12), ("mugi", 13)):
        own(folder, name, day, f"{name[:4]}trg")
    own(folder, "yuka_photo", 14, "ykph woman")
    own(folder, "awashima_jinja", 15, "awsm shrine")
    own(folder, "gakkou_v2", 16, "gkk building")
    own(folder, "fuyuki", 17, "fyk man")
    own(folder, "kotetu_v1", 18, "ktt dog")
    own(folder, "kotetsu_v2", 19, "shiba dog")
    own(folder, "宝泉寺", 20, "hsj temple")
    own(folder, "housenji", 20, "hsj temple")
    own(folder, "anna", 21, "annw woman")
    own(folder, "haruka_xl", 25, "hrk woman")
    z_image = folder / "haruka_zit.safetensors"
    make.make_transformer_lora(z_image, ["lora_unet_layers_0_attention_qkv"], 3840)
    own(folder, "ana", 22, "anaw woman")
    (folder / "オリキャラ" / "紫").mkdir(parents=True)
    for day, name in enumerate(("yukari_v1", "yukari_dress")):
        own(folder / "オリキャラ" / "紫", name, 20 + day, "ykrtrg girl")
    own(folder / "オリキャラ", "ren", 22, "rentrg boy")
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("小夜が雪の中で", ["sayo_v2"]),
        ("むぎ　雪の中で", ["mugi"]),
        ("つむぎの横顔", ["tumugi_v1"]),
        ("由佳の写真", ["yuka_photo"]),
        ("淡嶋神社の朝", ["awashima_jinja"]),
        ("学校の朝だよ", ["gakkou_v2"]),
        ("レンの横顔", ["ren"]),
        ("紫のドレスの横顔", ["yukari_dress"]),
        ("冬の朝だよ", []),
        ("ana in the snow", ["ana"]),
        ("こたつで小夜", ["sayo_v2"]),  # a kotatsu is no Kotetsu
        ("haruka zit 海辺で笑ってる", ["haruka_zit"]),
    ],
)
def test_names_in_latin_letters_are_read_in_japanese(japanese, request_text, names) -> None:
    decision = check_in(request_text, japanese, now=NOW)
    assert [card.name for card in decision.cards] == names, decision.why


def test_a_name_that_is_written_in_two_ways_is_offered_in_both(japanese) -> None:
    question = check_in("小鉄が雪の中で", japanese, now=NOW).question
    assert question
    assert {one.label for one in question.choices} == {"kotetsu", "kotetu"}


def test_a_name_in_signs_is_a_build_of_that_in_latin_letters(japanese) -> None:
    asked = ("宝泉寺の雪の朝", "housenji in the snow")
    found = [check_in(one, japanese, now=NOW).cards for one in asked]
    assert [len(cards) for cards in found] == [1, 1]
    assert found[0][0].name == found[1][0].name in {"宝泉寺", "housenji"}


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("kotetu in the snow", ["kotetu_v1"]),
        ("kotetsu in the snow", ["kotetsu_v2"]),
        ("hosenzi in the snow", ["housenji"]),
        ("tina in a dress", ["tina"]),
        ("susi im Park", []),
    ],
)
def test_a_name_as_it_is_written_is_that_one(tmp_path, request_text, names) -> None:
    for day, name in enumerate(("kotetu_v1", "kotetsu_v2", "housenji", "tina", "china_dress")):
        own(tmp_path, name, 10 + day, f"{name}trg")
    own(tmp_path, "sushi_plate", 20, "shptrg")
    decision = check_in(request_text, Repository.open(tmp_path, embedder=None), now=NOW)
    assert [card.name for card in decision.cards] == names, decision.why


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("汤圆趴在窗台上看雨", ["tangyuan_v2"]),
        ("周屿在咖啡店", ["zhouyu"]),
        ("周屿和汤圆", ["zhouyu", "tangyuan_v2"]),
        ("小夜 海边的照片", ["sayo"]),
        ("下雨的街", []),
        ("汤圆在窗台上, 冬天的太阳", ["tangyuan_v2"]),
        ("汤圆2.1和周屿", ["tangyuan_v2.1", "zhouyu"]),
    ],
)
def test_names_in_latin_letters_are_read_in_chinese(tmp_path, request_text, names) -> None:
    own(tmp_path, "tangyuan_v1", 10, "tytrg cat")
    own(tmp_path, "tangyuan_v2.1", 10, "tytrg cat")
    own(tmp_path, "tangyuan_v2", 11, "tytrg cat")
    own(tmp_path, "zhouyu", 12, "zytrg man")
    own(tmp_path, "sayo", 13, "sytrg girl")
    decision = check_in(request_text, Repository.open(tmp_path, embedder=None), now=NOW)
    assert [card.name for card in decision.cards] == names, decision.why


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("두부 소파에서 자는거", ["dubu_v2"]),
        ("보리랑 소파에서", ["bori"]),
        ("도윤이가 요리하는거", ["doyoon"]),
        ("다락방에서 책 읽는 보리", ["bori", "darakbang"]),
        ("옥분이 웃는 얼굴", ["okbun_halmae"]),
        ("민서 웃는 얼굴", []),
        ("다락 아침 햇살", ["darakbang"]),
        ("옥분이랑 여우비가게 앞에서", ["okbun_halmae", "shop"]),
    ],
)
def test_names_in_latin_letters_are_read_in_korean(tmp_path, request_text, names) -> None:
    own(tmp_path, "dubu_v1", 10, "dbtrg cat")
    own(tmp_path, "dubu_v2", 11, "dbtrg cat")
    own(tmp_path, "bori", 12, "brtrg cat")
    own(tmp_path, "doyoon", 13, "dytrg man")
    own(tmp_path, "darakbang", 14, "attc room")
    own(tmp_path, "okbun_halmae", 15, "okbtrg")
    own(tmp_path, "shop", 16, "shptrg")
    (tmp_path / "shop.txt").write_text("여우비가게 배경", "utf-8")
    decision = check_in(request_text, Repository.open(tmp_path, embedder=None), now=NOW)
    assert sorted(card.name for card in decision.cards) == names, decision.why


@pytest.mark.parametrize("request_text", ["dubu on a sofa", "두부 소파에서", "dubu랑 소파에서"])
def test_names_in_hangul_are_read_in_latin_letters(tmp_path, request_text) -> None:
    own(tmp_path, "두부_v1", 10, "dbtrg cat")
    own(tmp_path, "보리_v1", 11, "brtrg cat")
    decision = check_in(request_text, Repository.open(tmp_path, embedder=None), now=NOW)
    assert [card.name for card in decision.cards] == ["두부_v1"], decision.why


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("la vitrine de noël avec de la neige", ["vitrine_noel"]),
        ("trois éclairs sur une assiette", ["eclairs"]),
        ("milo en pirate, z image", ["milo_zimage"]),
    ],
)
def test_names_in_french(tmp_path, request_text, names) -> None:
    own(tmp_path, "vitrine_noel", 10, "vtrn shop window")
    own(tmp_path, "vitrine_sdxl", 11, "vtrn shop window")
    own(tmp_path, "eclairs", 12, "eclr pastry")
    own(tmp_path, "milo_sdxl", 14, "milokid boy")
    z_image = tmp_path / "milo_zimage.safetensors"
    make.make_transformer_lora(z_image, ["lora_unet_layers_0_attention_qkv"], 3840)
    decision = check_in(request_text, Repository.open(tmp_path, embedder=None), now=NOW)
    assert [card.name for card in decision.cards] == names, decision.why


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("시네스틸로 주유소", ["CineStill800T"]),
        ("시네스틸800t로 주유소", ["CineStill800T"]),
        ("씨비750 바다", ["cb750_v1"]),
        ("시티백이랑 바다", ["citi100"]),
        ("필름으로 바다", []),
    ],
)
def test_english_names_are_heard_in_korean(tmp_path, request_text, names) -> None:
    own(tmp_path, "CineStill800T", 10, "cinestill 800t")
    own(tmp_path, "cb750_v1", 11, "cb750")
    own(tmp_path, "citi100", 12, "citi100")
    decision = check_in(request_text, Repository.open(tmp_path, embedder=None), now=NOW)
    assert [card.name for card in decision.cards] == names, decision.why


@pytest.mark.parametrize(
    ("request_text", "name"),
    [
        ("마누라 소파에서", "anae"),
        ("와이프 소파에서", "anae"),
        ("집사람 소파에서", "anae"),
        ("아들내미 소파에서", "adeul"),
        ("딸내미 소파에서", "ttal"),
        ("할배 소파에서", "harabeoji"),
    ],
)
def test_relatives_are_meant_by_any_word_for_them(tmp_path, request_text, name) -> None:
    for at, one in enumerate(("anae", "adeul", "ttal", "harabeoji", "eomma")):
        own(tmp_path, one, 10 + at, f"{one}trg")
    decision = check_in(request_text, Repository.open(tmp_path, embedder=None), now=NOW)
    assert [card.name for card in decision.cards] == [name], decision.why


def test_my_in_another_language_is_nobodys_name(tmp_path) -> None:
    own(tmp_path, "mon_chum", 10, "f3lix man")
    own(tmp_path, "ruelle", 20, "ruelx alley")
    library = Repository.open(tmp_path, embedder=None)
    assert [one.name for one in check_in("ruelle, mon look film", library).cards] == ["ruelle"]
    assert [one.name for one in check_in("mon chum in the snow", library).cards] == ["mon_chum"]
