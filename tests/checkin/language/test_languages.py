"""Test requests in other languages: recognised, read by their data, and never altered."""

from __future__ import annotations

import gc
import weakref
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from personalq.checkin import Card, Repository, check_in
from personalq.checkin.catalog.vocabulary import Vocabulary
from personalq.checkin.language.gloss import detect, gloss
from personalq.checkin.language.parse import parse
from personalq.checkin.lexicon.languages import (
    FOLDER,
    dictionary,
    examples,
    profiles,
)
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.unique_keys import Unique
from personalq.tests.checkin.world import NOW, cards

KNOWN = {one.code: one for one in profiles() if one.known}
EXAMPLES = [(code, one) for code in KNOWN for one in examples(code)]
NOBODY = Vocabulary([])


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return Vocabulary(cards())


@pytest.mark.parametrize(("code", "example"), EXAMPLES, ids=lambda one: str(one)[:40])
def test_an_example_is_read_as_its_data_says(code: str, example: dict[str, str]) -> None:
    language = detect(example["request"], NOBODY)
    assert language.code == code
    assert gloss(example["request"], language, NOBODY).text == example["english"]


def test_each_language_has_examples() -> None:
    assert {code for code, _ in EXAMPLES} == set(KNOWN) >= {"de", "ko", "zh", "ja", "es", "fr"}


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        ("my latest bear in the snow", "English"),
        ("suzu, 1girl", "English"),
        ("初音ミク dancing in the rain with a friend", "English"),
        ("de_kooning_v2 die hard la la land", "English"),
        ("roter drache", "German"),
        ("perro salchicha", "Spanish"),
        ("un ours en peluche", "French"),
        ("un chat", "French"),
        ("la playa", "Spanish"),
        ("die Maus", "German"),
        ("la skyline at night", "English"),
        ("die hard poster", "English"),
        ("il mio cane sulla spiaggia", "Italian"),
        ("o meu cachorro na praia", "Portuguese"),
        ("mijn hond op het strand", "Dutch"),
        ("mój pies na plaży", "Polish"),
        ("мой медведь в лесу", "Russian"),
        ("دب في الغابة", "Arabic"),
        ("benim köpeğim ve bir kedi", "Turkish"),
        ("หมี ใน ป่า", "Thai"),
        ("मेरा भालू", "Hindi"),
    ],
)
def test_script_and_small_words_tell_the_language(request_: str, name: str) -> None:
    assert detect(request_, NOBODY).name == name


@pytest.mark.parametrize(
    ("request_", "subject", "styles", "newest"),
    [
        ("mein neuester Hund am Strand", "dog", [], True),
        ("le chat en aquarelle", "cat", ["watercolor"], None),
        ("mi perro más nuevo, en anime", "dog", ["anime"], True),
        ("最新の犬", "dog", [], True),
        ("우리 강아지 최신 버전", "dog", [], True),
        ("最新的狗", "dog", [], True),
    ],
)
def test_subject_style_and_order(
    vocabulary: Vocabulary,
    request_: str,
    subject: str,
    styles: list[str],
    newest: bool | None,
) -> None:
    intent = parse(request_, vocabulary, NOW)
    assert intent.request == request_
    assert intent.language.known
    assert intent.subject
    assert intent.subject.words == subject
    assert [term.words for term in intent.styles] == styles
    assert (intent.order and intent.order.newest) is newest


@pytest.mark.parametrize(
    "request_",
    [
        "der Hund vom letzten Monat",
        "el perro del mes pasado",
        "le chien du mois dernier",
        "先月の犬",
        "지난달 강아지",
        "上个月的狗",
    ],
)
def test_times_are_read_by_the_english_rules(vocabulary: Vocabulary, request_: str) -> None:
    assert [time.words for time in parse(request_, vocabulary, NOW).times] == ["last month"]


@pytest.mark.parametrize(
    "request_",
    [
        "the dog of 11 April 2025",
        "dog 11.04.2025 in fog",
        "der Hund vom 11.04.2025 im Nebel",
        "der Hund vom 11. April 2025",
        "el perro del 11 de abril de 2025",
        "le chien du 11 avril 2025 dans la neige",
        "2025年4月11日の犬",
        "2025년 4월 11일에 만든 강아지",
        "2025年4月11日的狗",
    ],
)
def test_a_day_of_the_model(vocabulary: Vocabulary, request_: str) -> None:
    (time,) = parse(request_, vocabulary, NOW).times
    (period,) = time.periods
    assert period.start
    assert period.start.date().isoformat() == "2025-04-11"


SPANS = {
    ("2025-05-12", "2025-05-13"): (
        "der Hund von vor 3 Tagen; el perro de hace 3 días; le chien d'il y a trois jours; "
        "3日前の犬; 사흘 전 강아지; 大前天的狗"
    ),
    ("2025-04-24", "2025-04-25"): "der Hund von vor 21 Tagen; le chien d'il y a 21 jours",
    ("2025-05-01", "2025-05-15"): (
        "der Hund der letzten zwei Wochen; el perro de las últimas dos semanas; "
        "le chien des deux dernières semaines; 过去两周的狗; 過去2週間の犬; 지난 2주 동안 강아지"
    ),
    (None, "2024-12-24"): (
        "mein Hund vor Weihnachten; mi perro de antes de navidad; mon chien d'avant noël; "
        "クリスマス前の犬; 크리스마스 전 강아지; 圣诞节前的狗"
    ),
    ("2025-04-22", None): "mein Hund nach Ostern; mi perro después de pascua",
    ("2025-03-01", None): (
        "mein Hund seit März; mi perro desde marzo; mon chien depuis mars; 3月からの犬; "
        "3月以降の犬; 3월부터 만든 강아지; 3월 이후 강아지; 三月以来的狗"
    ),
    ("2025-03-01", "2025-06-01"): (
        "der Hund von März bis Mai; mi perro de marzo a mayo; mon chien de mars à mai; "
        "3月から5月の犬; 三月到五月的狗"
    ),
    ("2025-04-11", "2025-04-21"): "4月中旬の犬; 4월 중순 강아지; 四月中旬的狗",
    ("2025-05-03", "2025-05-04"): "der Hund vom 3.; der Hund vom 3.5.; 3日の犬; 五月三号的狗",
    ("2024-03-01", "2024-06-01"): "去年の春の犬; 작년 봄 강아지; 去年春天的狗",
    ("2025-05-06", "2025-05-07"): "先週の火曜日の犬; 上周二的狗",
    ("2025-05-10", "2025-05-12"): (
        "der Hund vom Wochenende; mi perro del fin de semana; mon chien du week-end"
    ),
    ("2025-01-21", "2025-02-21"): "설날 강아지; 春节的狗",
}


@pytest.mark.parametrize(
    ("request_", "days"),
    [(one, days) for days, said in SPANS.items() for one in said.split("; ") if one],
)
def test_what_is_said_around_times(
    vocabulary: Vocabulary, request_: str, days: tuple[str | None, str | None]
) -> None:
    (time,) = parse(request_, vocabulary, NOW).times
    (period,) = time.periods
    edges = (period.start, period.end)
    assert tuple(edge and edge.date().isoformat() for edge in edges) == days


@pytest.mark.parametrize(
    "request_",
    ["mein Hund vor 3 Bäumen", "mein Hund bis zum Abend", "家の前の犬", "到海边的狗", "近看的狗"],
)
def test_what_is_said_around_other_things(vocabulary: Vocabulary, request_: str) -> None:
    intent = parse(request_, vocabulary, NOW)
    assert (intent.times, intent.unhandled) == ((), ())


@pytest.mark.parametrize(
    "request_", ["a dog on 4 July with fireworks", "a dog at the 4 July 2024 parade"]
)
def test_a_day_of_the_scene(vocabulary: Vocabulary, request_: str) -> None:
    assert parse(request_, vocabulary, NOW).times == ()


TWO_DOGS = Vocabulary(
    [
        Card(f"loras/{name}_{year}.safetensors", triggers=(name,))
        for name in ("moss", "nelson")
        for year in (2024, 2025)
    ]
)


@pytest.mark.parametrize(
    "request_",
    [
        "nelson 2025",
        "nelson 2025 sleeping on a mat",
        "my nelson of 2025",
        "a photo of nelson 2025, at the sea",
        "nelson von 2025",
        "moss und nelson, beide von 2025",
        "mi nelson de 2025",
        "moss y nelson, los dos de 2025",
        "moss et nelson, tous les deux de 2025",
        "2025年のnelson",
        "mossとnelson、両方とも2025年",
        "我2025年的nelson",
        "moss랑 nelson, 둘 다 2025년",
    ],
)
def test_a_year_is_of_the_model_that_is_named(request_: str) -> None:
    (time,) = parse(request_, TWO_DOGS, NOW).times
    (period,) = time.periods
    assert period.start
    assert (period.start.year, period.start.month, period.start.day) == (2025, 1, 1)


@pytest.mark.parametrize(
    "request_",
    ["nelson at the games of 2025", "nelson 2025 calendar", "a poster of the games 2025"],
)
def test_a_year_of_something_else_is_none(request_: str) -> None:
    assert parse(request_, TWO_DOGS, NOW).times == ()


@pytest.mark.parametrize(
    ("request_", "english"),
    [
        ("moss und nelson, beide von 2025", "moss and nelson, both from 2025"),
        ("moss y nelson, los dos de 2025", "moss and nelson, both from 2025"),
        ("moss et nelson, tous les deux de 2025", "moss and nelson, both from 2025"),
    ],
)
def test_what_is_said_of_both_stays_so(request_: str, english: str) -> None:
    language = detect(request_, TWO_DOGS)
    assert gloss(request_, language, TWO_DOGS).text == english


@pytest.mark.parametrize(
    "request_",
    [
        "der Hund, aber nicht der Anime",
        "el perro, pero no el de anime",
        "le chien, mais pas celui en anime",
        "犬、アニメじゃない方で",
        "강아지, 애니 말고",
        "狗\uff0c不要动漫",
    ],
)
def test_what_is_not_wanted(vocabulary: Vocabulary, request_: str) -> None:
    assert [term.words for term in parse(request_, vocabulary, NOW).unwanted] == ["anime"]


@pytest.mark.parametrize(
    "request_",
    [
        "das Modell, das ich gestern benutzt habe",
        "el modelo que usé ayer",
        "le modèle que j'ai utilisé hier",
        "昨日使ったモデル",
        "어제 쓰던 모델",
        "我昨天用的那个模型",
    ],
)
def test_what_was_used_yesterday(vocabulary: Vocabulary, request_: str) -> None:
    intent = parse(request_, vocabulary, NOW)
    assert intent.used
    assert [time.words for time in intent.times] == ["yesterday"]


def test_names_of_models_win_over_words() -> None:
    luna = Card("luna_v2", triggers=("lna dog",))
    said = gloss("mi luna y el sol", KNOWN["es"], Vocabulary([luna]))
    assert said.text == "my luna and the sun"
    assert gloss("mi luna y el sol", KNOWN["es"], NOBODY).text == "my moon and the sun"


def test_names_in_the_letters_of_the_language_are_kept_whole() -> None:
    library = Vocabulary([Card("fujihime_v2", triggers=("藤姫",))])
    assert gloss("雪の中の藤姫", KNOWN["ja"], library).text == "藤姫 in snow"
    assert gloss("雪の中の藤姫", KNOWN["ja"], NOBODY).text == "wisteria princess in snow"


def test_a_space_parts_what_is_said_but_no_name() -> None:
    library = Vocabulary([Card("小雪_巫女服", triggers=("koyuki miko",))])
    assert gloss("小雪 巫女服 神社 朝", KNOWN["ja"], library).text == "小雪 巫女服, shrine, morning"
    assert gloss("猫 anime, 2d art", KNOWN["zh"], NOBODY).text == "cat, anime, 2d art"


@pytest.mark.parametrize(
    ("code", "request_", "english"),
    [
        ("ja", "zイメージで猫", "cat in z-image"),
        ("ja", "アニマの猫", "anima model cat"),
        ("zh", "q版的猫", "chibi cat"),
        ("zh", "千问的猫", "qwen cat"),
        ("zh", "用麦橘写实画猫", "majicmix realistic cat"),
        ("ja", "猫にして 三匹で", "in cat"),
    ],
)
def test_words_of_latin_letters_and_signs(code: str, request_: str, english: str) -> None:
    assert gloss(request_, KNOWN[code], NOBODY).text == english


def test_what_is_given_to_somebody_with_a_name_is_apart() -> None:
    library = Vocabulary([Card("suzu_v2", path="suzu_v2.safetensors", triggers=("suzu",))])
    assert gloss("スズに絵本のやつ足して", KNOWN["ja"], library).text == "suzu, in storybook"
    assert gloss("公園に猫", KNOWN["ja"], library).text == "cat in park"


@pytest.mark.parametrize(
    ("code", "name", "request_", "english"),
    [
        ("ja", "yuka", "放課室の机", "放課 room desk"),
        ("ja", "yuka", "雪かく猫", "snow cat"),
        ("ja", "yuka", "アニメっぽい由香", "anime style, yuka"),
        ("ja", "yuka", "由香と雪", "yuka and snow"),
        ("ja", "haruna", "陽菜水着", "haruna swimsuit"),
        ("zh", "lihe", "茶室里喝茶", "in tea house drinking tea"),
        ("zh", "lihe", "里喝", "lihe"),
        ("zh", "waipo", "外婆", "waipo"),
        ("zh", "mmq", "马面裙 白底", "mmq, white background"),
        ("zh", "zhudundun", "墩墩 红包", "zhudundun, red envelope"),
        ("zh", "kd200", "柯达200那个", "kd200"),
        ("zh", "mmx", "若溪+猫 8步加速", "若溪 + cat, 8 steps lora"),
    ],
)
def test_a_name_is_read_where_it_is_a_word_of_its_own(
    code: str, name: str, request_: str, english: str
) -> None:
    library = Vocabulary([Card(f"{name}_v1", path=f"{name}_v1.safetensors", triggers=(name,))])
    assert gloss(request_, KNOWN[code], library).text == english


def test_file_names_and_tags_stay_as_they_are() -> None:
    text = "mein Hund mit <lora:hund:0.8> und mein_hund_v2.1"
    assert gloss(text, KNOWN["de"], NOBODY).text == "my dog with <lora:hund:0.8> and mein_hund_v2.1"


@pytest.mark.parametrize(("code", "typed"), [("ja", "アカリを描いて"), ("ko", "아카리 그려줘")])
def test_a_name_in_other_letters_is_spelt_as_in_the_library(code: str, typed: str) -> None:
    library = Vocabulary([Card("akari_v1", names=("akari",), triggers=("akari",))])
    assert gloss(typed, KNOWN[code], library).text == "akari"


PETS = Vocabulary(
    [Card(f"{one}_v1", names=(one,)) for one in "dubu kongi madang byeol naksi".split()]
)


@pytest.mark.parametrize(
    ("typed", "english"),
    [
        ("두부 소파에서", "dubu in sofa"),
        ("두부 마당에서", "dubu in madang"),
        ("엄마 마당에서", "mum in madang"),
        ("두부찌개 끓이는 엄마", "mum tofu stew cooking"),
        ("두부 flux 마당에서", "dubu flux in madang"),
        ("콩이 모자 쓰고 있는 flux", "kongi wearing hat flux"),
        ("콩이 z이미지로", "kongi z-image"),
        ("두부와 콩이", "dubu and kongi"),
        ("두부랑 마당에서", "dubu in madang"),
        ("두부가 엄마 껴안는거", "dubu hugging mum"),
        ("두부 3.1말고 3으로 지붕", "dubu 3 roof not 3.1"),
        ("두부 flux 말고", "dubu not flux"),
        ("두부 치비로 모자", "dubu hat in chibi style"),
        ("내 파스텔로 모자", "hat in my pastel style"),
        ("두부가 요리하고 노래하면서", "dubu cooking singing"),
        ("카페 1층", "cafe 1f"),
        ("두부 최신거 말고 예전 버전", "dubu old version not newest"),
        ("두비 모자", "dubi hat"),
        ("울강아지 산책", "my dog walking"),
        ("어젯밤에 쓰던 두부", "i used last night dubu"),
        ("별이 손흔드는거ㅋㅋ", "byeol waving"),
        ("별 아래에서 두부 수영", "dubu swimming under star"),
        ("두부 플럭스 첫번째꺼 v2말고", "dubu flux first not v2"),
        ("두부스타일로 바다", "dubu style sea"),
        ("두부 필름 flux v3로 바다", "dubu sea in film photograph style flux v3"),
        ("필름느낌 젤 최신꺼로 바다", "sea in newest film photograph style"),
        ("내 파스텔 느낌으로 모자", "hat in my pastel style"),
        ("마누라 새로 만든거 창가", "wife newest in window"),
        ("두부 sdxl에 콩이 v1 바다", "dubu sdxl, kongi v1 in sea"),
        ("두부콩이 바다", "dubu and kongi sea"),
        ("두부 낚시하는거", "dubu fishing"),
        ("낚시에서 두부", "dubu in naksi"),
        ("두부 하이퍼8스텝 바다", "dubu and hyper 8 steps in sea"),
        ("플럭스 터보로 두부", "flux turbo, dubu"),
        ("두부랑 콩이 싸우는데 별이가 말리는거", "dubu and kongi, byeol fighting stopping them"),
    ],
)
def test_names_and_base_models_in_korean(typed: str, english: str) -> None:
    assert gloss(typed, KNOWN["ko"], PETS).text == english


def test_a_library_is_not_kept_for_its_names() -> None:
    library = Vocabulary([Card("akari_v1", names=("akari",))])
    gloss("アカリを描いて", KNOWN["ja"], library)
    gloss("mi luna y el sol", KNOWN["es"], library)
    kept = weakref.ref(library)
    del library
    gc.collect()
    assert kept() is None


def test_letters_that_a_keyboard_lacks() -> None:
    assert gloss("mein Baer", KNOWN["de"], NOBODY).text == "my bear"
    assert gloss("el leon", KNOWN["es"], NOBODY).text == "the lion"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A model of a bear, with a trigger."""
    models = tmp_path_factory.mktemp("models")
    model = make.make_lora(models / "loras" / "bear_v4.safetensors", "sd15", {})
    make.beside(model, ".personalq.yaml", "subjects: [bear]\ntriggers: [<bear>]\n")
    return Repository.open(models, embedder=None)


@pytest.mark.parametrize(
    ("request_", "prompt"),
    [
        ("mein Bär im Wald", "<bear> im Wald"),
        ("森の中のくま", "森の中の <bear>"),
        ("l'ours dans la forêt", "l' <bear> dans la forêt"),
        ("숲속의 곰", "숲속의 <bear>"),
        ("bear_v4, im Wald", "<bear> , im Wald"),
        ("zeig mir bitte meinen neuesten Bären im Schnee, danke", "<bear> im Schnee"),
        ("un ours, pas un dessin animé, dans la neige", "un <bear> , dans la neige"),
        ("oso no cartoon en el bosque", "<bear> en el bosque"),
        (
            "\u4e00\u53ea\u718a\uff0c\u4e0d\u8981\u5361\u901a\u7684\uff0c\u5728\u96ea\u91cc",
            "<bear> \uff0c\u5728\u96ea\u91cc",
        ),
        ("(mein neuester B\u00e4r:1.2), Wald", "(mein neuester <bear> :1.2), Wald"),
        ("der neueste B\u00e4r", "<bear>"),
        ("der Bär im Schnee bitte", "der <bear> im Schnee"),
        ("un ours, il neige dehors stp", "un <bear> , il neige dehors"),
        ("un oso en la cena de acción de gracias", "un <bear> en la cena de acción de gracias"),
        ("un ours sauf celui en dessin animé, dans la neige", "un <bear> , dans la neige"),
        ("un oso menos el de dibujos animados en la playa", "un <bear> en la playa"),
    ],
)
def test_the_trigger_stands_for_the_word_in_the_users_language(
    folder: Repository, request_: str, prompt: str
) -> None:
    decision = check_in(request_, folder, now=datetime(2026, 5, 1, tzinfo=UTC))
    assert decision.card
    assert (decision.card.name, decision.request) == ("bear_v4", request_)
    assert decision.prompt == prompt


def test_a_language_that_is_not_known_is_named(folder: Repository) -> None:
    decision = check_in("il mio bear_v4 nella foresta", folder)
    assert decision.card
    assert [one for one in decision.notices if "Italian" in one]
    assert not decision.intent.language.known


@pytest.mark.parametrize("request_", ["suzu, 1girl", "bear_v4", "mein Bär im Wald"])
def test_names_and_known_languages_are_no_notice(folder: Repository, request_: str) -> None:
    assert not [one for one in check_in(request_, folder).notices if "does not know" in one]


@pytest.mark.parametrize("code", KNOWN)
def test_no_file_names_an_english_word_twice(code: str) -> None:
    paths: list[Path] = sorted((FOLDER / code).glob("*.yaml"))
    for path in paths:
        with path.open(encoding="utf-8") as file:
            yaml.load(file, Loader=Unique)
    assert len(dictionary(code).entries) > 1000
