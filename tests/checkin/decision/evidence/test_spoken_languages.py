"""Test decisions and questions in the language of the user, and answers in it."""

from __future__ import annotations

import pytest

from personalq.checkin import Card, Repository, check_in
from personalq.checkin.index.repository import EmptyRepository
from personalq.checkin.lexicon.sentences import speaking
from personalq.tests.checkin.world import NOW

CARDS = (
    ("bear-v1", "bear", "realistic", "2024-11-11T09:30:00+02:00"),
    ("bear-v2", "bear", "realistic", "2025-04-11T09:30:00+02:00"),
    ("toon-bear", "bear", "cartoon", "2025-03-02T09:30:00+02:00"),
    ("inked-bear", "bear", "sketch", "2025-02-02T09:30:00+02:00"),
    ("inky-dog", "dog", "watercolour", "2025-03-12T09:30:00+02:00"),
)


@pytest.fixture(scope="module")
def bears() -> Repository:
    """Bears of three styles, and a dog; all LoRAs for SD 1.5."""
    cards = [
        Card.from_dict(
            {
                "id": name,
                "kind": "lora",
                "base_model": "sd15",
                "triggers": [f"<{name}>"],
                "subjects": [subject],
                "styles": [style],
                "created_at": made,
            }
        )
        for name, subject, style, made in CARDS
    ]
    return Repository(cards, embedder=None)


QUESTIONS = {
    "en": ("a bear", "Which look: realistic, cartoon, sketch or the newest of any?"),
    "de": ("ein Bär", "Welcher Stil: realistic, cartoon, sketch oder das neueste von allen?"),
    "fr": ("mon ours", "Quel style : realistic, cartoon, sketch ou le plus récent de tous ?"),
    "es": ("un oso", "¿Qué estilo: realistic, cartoon, sketch o el más nuevo de todos?"),
    "ja": ("クマ", "どのスタイルですか？ realistic、cartoon、sketchまたはこの中で最新のもの"),  # noqa: RUF001
    "zh": ("一只熊", "哪种风格：realistic、cartoon、sketch或其中最新的？"),  # noqa: RUF001
    "ko": ("곰", "어떤 스타일인가요: realistic, cartoon, sketch 또는 그중 가장 최신 것?"),
}


@pytest.mark.parametrize("language", QUESTIONS)
def test_a_question_is_in_the_language_and_its_labels_stay(
    bears: Repository, language: str
) -> None:
    request, asked = QUESTIONS[language]
    question = check_in(request, bears, now=NOW, language=language).question
    assert question
    assert question.text == asked
    labels = [choice.label for choice in question.choices]
    assert labels == ["realistic", "cartoon", "sketch", "the newest of any"]
    for choice in question.choices:
        assert choice.shown in question.text
        label, shown = (
            check_in(request, bears, now=NOW, answers=[words], language=language)
            for words in (choice.label, choice.shown)
        )
        assert label.card
        assert label.card == shown.card
        assert f"{choice.shown}" in label.why


NEAR = {
    "de": (
        "mein realistischer SDXL-Bär",
        "Nichts passt zu „SDXL, realistischer Bär“; das neueste für „realistischer Bär“ ist vom "
        "11. April 2025.",
        ["SDXL", "SDXL und realistischer"],
    ),
    "fr": (
        "mon ours réaliste sdxl",
        "Rien ne correspond à « SDXL, ours réaliste » ; le plus récent pour « ours réaliste » "
        "date du 11 avril 2025.",
        ["SDXL", "SDXL et réaliste"],
    ),
    "es": (
        "mi oso realista sdxl",
        "Nada encaja con «SDXL, oso realista»; el más nuevo de «oso realista» es del 11 de abril "
        "de 2025.",
        ["SDXL", "SDXL y realista"],
    ),
    "ja": (
        "SDXLのリアルなクマ",
        "「SDXL、リアルなクマ」に合うものはありません。"
        "「リアルなクマ」の最新は 2025年4月11日 のものです。",
        ["SDXL", "SDXL、リアルな"],
    ),
    "zh": (
        "SDXL的写实熊",
        "没有符合“SDXL、写实熊”的模型；最新的“写实熊”是 2025年4月11日。",  # noqa: RUF001
        ["SDXL", "SDXL、写实"],
    ),
    "ko": (
        "SDXL 실사 곰",
        "'SDXL, 실사 곰'에 맞는 것이 없습니다. '실사 곰' 중 가장 최신 모델의 날짜는 2025년 4월 11일"
        "입니다.",
        ["SDXL", "SDXL, 실사"],
    ),
}


@pytest.mark.parametrize("language", NEAR)
def test_where_nothing_fits_the_users_own_words_say_so(bears: Repository, language: str) -> None:
    request, why, dropped = NEAR[language]
    decision = check_in(request, bears, now=NOW, language=language)
    assert decision.outcome == "no_match"
    assert decision.why == why
    assert list(dict.fromkeys(miss.dropped for miss in decision.near)) == dropped


NOTICES = {
    "en": "No model here has the trigger <moth-v9>.",
    "de": "Kein Modell hier hat den Trigger <moth-v9>.",
    "fr": "Aucun modèle ici n'a le trigger <moth-v9>.",
    "es": "Ningún modelo de aquí tiene el trigger <moth-v9>.",
    "ja": "トリガーが <moth-v9> のモデルはここにありません。",
    "zh": "这里没有触发词为 <moth-v9> 的模型。",
    "ko": "여기에는 트리거가 <moth-v9>인 모델이 없습니다.",
}


@pytest.mark.parametrize("language", NOTICES)
def test_notices(bears: Repository, language: str) -> None:
    decision = check_in("the bear with <moth-v9>", bears, now=NOW, language=language)
    assert NOTICES[language] in decision.notices


def test_why_a_model_was_chosen(bears: Repository) -> None:
    decision = check_in("mein neuester realistischer Bär", bears, now=NOW, language="de")
    assert decision.why == (
        "bear-v2: „realistischer“ als Stil und „Bär“ im Namen: nach „neuester“, vom 11. April 2025."
    )


@pytest.mark.parametrize(
    ("language", "label", "shown"),
    [
        ("en", "April 2025", "April 2025"),
        ("fr", "April 2025", "avril 2025"),
        ("ja", "April 2025", "2025年4月"),
    ],
)
def test_months_of_a_question(language: str, label: str, shown: str) -> None:
    """Which month is asked in English; it is shown in the language."""
    cards = [
        Card.from_dict(
            {
                "id": f"ted-{month}",
                "triggers": ["<ted>"],
                "subjects": ["teddy"],
                "styles": ["cartoon"],
                "lineage": "ted",
                "created_at": f"2025-{month:02}-11T09:30:00+02:00",
                "sources": {},
            }
        )
        for month in (3, 4)
    ]
    two = Repository(cards, embedder=None)
    decision = check_in("my teddy from spring", two, now=NOW, language=language)
    assert decision.question
    assert (label, shown) in [(one.label, one.shown) for one in decision.question.choices]


ANSWERS = {
    "de": {
        "bear-v2": "das realistische; die erste; egal; das neuere; such dir eins aus; Nummer 1",
        "toon-bear": "das zweite; der zweite.; Nummer 2; 2",
        "bear-v1": "das ältere",
        "": "keins davon; keine",
    },
    "fr": {
        "bear-v2": "le réaliste; le premier; n'importe lequel; peu importe",
        "toon-bear": "le deuxième; la seconde; celui de mars",
        "bear-v1": "le plus ancien",
        "": "aucun; aucun des deux",
    },
    "es": {
        "bear-v2": "el realista; el primero; me da igual; cualquiera",
        "toon-bear": "el segundo; la segunda; el de marzo",
        "bear-v1": "el más antiguo",
        "": "ninguno",
    },
    "ja": {
        "bear-v2": "リアルな方; 最初の; 一つ目; 最新の; どれでも; おまかせ",
        "toon-bear": "二つ目; 2番目; 3月の",
        "bear-v1": "古い方",
        "": "どれでもない",
    },
    "zh": {
        "bear-v2": "写实的; 第一个; 最新的; 随便; 哪个都行",
        "toon-bear": "第二个; 选第二个; 三月的",
        "bear-v1": "最旧的",
        "": "都不是",
    },
    "ko": {
        "bear-v2": "실사풍; 첫 번째; 최신 것; 아무거나; 상관없어",
        "toon-bear": "두 번째; 3월 것",
        "bear-v1": "오래된 것",
        "": "둘 다 아님; 없음",
    },
}


@pytest.mark.parametrize(
    ("language", "answer", "card"),
    [
        (language, answer.strip(), card)
        for language, table in ANSWERS.items()
        for card, answers in table.items()
        for answer in answers.split(";")
    ],
)
def test_answers_in_the_users_language(
    bears: Repository, language: str, answer: str, card: str
) -> None:
    request, _ = QUESTIONS[language]
    decision = check_in(request, bears, now=NOW, answers=[answer], language=language)
    assert (decision.card.id if decision.card else "") == card
    assert decision.question is None


def test_errors_are_in_the_language(bears: Repository, tmp_path) -> None:
    with pytest.raises(ValueError, match="Die Anfrage ist leer"):
        check_in(" ", bears, language="de")
    (tmp_path / "bear.ckpt").write_bytes(b"x")
    with (
        speaking("fr"),
        pytest.raises(EmptyRepository, match=r"Trouvés : bear\.ckpt: ignoré : un pickle"),
    ):
        Repository.open(tmp_path)


def test_the_index_keeps_its_notices_in_english(tmp_path) -> None:
    (tmp_path / "bear.safetensors").write_bytes(b"x")
    with (
        speaking("de"),
        pytest.raises(EmptyRepository, match="ausgelassen: keine safetensors-Datei"),
    ):
        Repository.open(tmp_path, cache=tmp_path / "index.sqlite")
    with pytest.raises(EmptyRepository, match="left out: not a safetensors file"):
        Repository.open(tmp_path, cache=tmp_path / "index.sqlite")


def test_english_is_spoken_by_default_and_to_strangers(bears: Repository) -> None:
    said = {check_in("a dragon", bears, now=NOW, language=one).why for one in (None, "en", "ru")}
    assert said == {"There is no 'dragon' here. You have models of: bear, dog."}


@pytest.mark.parametrize("language", QUESTIONS)
def test_a_given_answer_is_known_as_it_was_shown(bears: Repository, language: str) -> None:
    question = check_in(QUESTIONS[language][0], bears, now=NOW, language=language).question
    assert question
    newest = question.choices[-1]
    decision = check_in(
        QUESTIONS[language][0], bears, now=NOW, language=language, answers=[newest.label]
    )
    assert decision.heard == ((newest.label, newest.shown),)
    assert (newest.label == newest.shown) == (language == "en")
