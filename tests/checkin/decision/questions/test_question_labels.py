"""Test how a question calls the models that it is about: their owner knows which is which."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from personalq.checkin import Card, Repository, check_in
from personalq.checkin.catalog.selection import CardView
from personalq.checkin.decision.questions.labels import description_of
from personalq.tests.checkin.own_loras import own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    own(folder, "carys_age_16", 30, "carysg girl")
    own(folder, "carys_age_9", 31, "carysk girl")
    own(folder, "carys_grown_up", 35, "carysw woman")
    own(folder, "tahlia_wedding", 36, "tahwmn woman")
    own(folder, "tahlia_school", 37, "tahgrl girl")
    own(folder, "luna_garden_xl", 20, "lunacat cat")
    own(folder, "luna_sm_15", 22, "lunasm cat", base="sd15")
    own(folder, "shed_inside", 23, "shedin workshop")
    own(folder, "shed_outside", 24, "shedout building")
    own(folder, "ghost_bride", 25, "ghostlady woman")
    own(folder, "ghost_tower", 26, "ghosttwr tower")
    return Repository.open(folder, embedder=None)


def labels(repository: Repository, request: str) -> list[str]:
    question = check_in(request, repository, now=NOW).question
    assert question, "it asks"
    return sorted(choice.label for choice in question.choices)


def test_names_are_spelt_as_in_the_files(repository) -> None:
    said = labels(repository, "carys on a bicycle")
    assert [one for one in said if "any" not in one] == [
        "carys age 16",
        "carys age 9",
        "carys grown up",
    ]


def test_people_of_one_name_are_told_apart_by_their_names(repository) -> None:
    assert labels(repository, "tahlia on a bench") == ["tahlia school", "tahlia wedding"]


def test_things_of_one_name_are_told_apart_by_what_they_are(repository) -> None:
    assert labels(repository, "ghost at night") == ["tower", "woman"]


def test_a_name_says_its_base_model_where_that_differs(repository) -> None:
    assert labels(repository, "luna in a box") == ["luna garden (SDXL)", "luna sm (SD 1.5)"]


def test_each_choice_has_a_label_that_is_understood() -> None:
    described = {"hill": "Fluffy on a hill.", "loud": "Fluffy!", "silent": ""}
    bears = [
        Card(
            name,
            path=f"/models/{name}.safetensors",
            triggers=(f"<{name}>",),
            subjects=("bear",),
            styles=("realistic",),
            description=text,
            base_model="sd15",
            lineage=name,
        )
        for name, text in described.items()
    ]
    repository = Repository(bears, embedder=None)
    request = "my realistic bear on grass"
    question = check_in(request, repository, now=NOW).question
    assert question
    assert all(choice.label for choice in question.choices)
    for choice in question.choices:
        decision = check_in(request, repository, now=NOW, answers=(choice.label,))
        assert decision.outcome == "select", choice.label
        assert decision.cards[0].id in choice.card_ids


@pytest.mark.parametrize("answer", ["luna garden", "luna garden (SDXL)", "sdxl", "garden"])
def test_the_base_model_may_be_left_out_of_an_answer(repository, answer) -> None:
    assert check_in("luna in a box", repository, now=NOW).question
    decision = check_in("luna in a box", repository, now=NOW, answers=(answer,))
    assert [card.name for card in decision.cards] == ["luna_garden_xl"]


@pytest.mark.parametrize(
    ("request_text", "name"),
    [
        ("inside the shed, not outside", "shed_inside"),
        ("the shed, but not the inside one", "shed_outside"),
        ("the shed outside, in the rain", "shed_outside"),
    ],
)
def test_a_small_word_of_a_name_answers_beforehand(repository, request_text, name) -> None:
    decision = check_in(request_text, repository, now=NOW)
    assert [card.name for card in decision.cards] == [name]


def test_a_file_name_that_is_not_here_is_read_as_words(repository) -> None:
    decision = check_in("luna_garden_xl_v9", repository, now=NOW)
    assert decision.outcome == "no_match"
    assert decision.why.startswith("No SDXL v9 luna_garden;")


def test_a_trigger_is_called_without_its_brackets(tmp_path) -> None:
    own(tmp_path, "grey_cat", 30, "<cat>")
    own(tmp_path, "grey_dog", 31, "<dog>")
    library = Repository.open(tmp_path, embedder=None)
    assert labels(library, "my cat or my dog") == ["cat", "dog"]


def test_a_shortened_description_ends_in_a_word() -> None:
    text = "A brown dog with a white blaze and a blue bandana, photographed in a garden"
    card = Card("dog_v1", description=text)
    view = CardView(Repository([card], embedder=None).catalogue(), 0)
    assert description_of(view) == "A brown dog with a white blaze and a blue bandana…"
