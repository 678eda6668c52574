"""Test how models that people described are chosen, rule by rule, and what is said of no match."""

from __future__ import annotations

import time
from datetime import datetime

import pytest

from personalq.checkin import Card, Repository, check_in
from personalq.tests.checkin.world import NOW, ZONE, cards


@pytest.fixture(scope="module")
def repository() -> Repository:
    return Repository(cards(), embedder=None)


def ask(repository: Repository, request: str, **options):
    return check_in(request, repository, now=NOW, **options)


def card(name: str, **fields) -> Card:
    made = fields.pop("made", "2025-03-01")
    fields.setdefault("triggers", (f"<{name}>",))
    return Card(id=name, created_at=datetime.fromisoformat(made).replace(tzinfo=ZONE), **fields)


def test_constraints_filter_the_whole_index_not_the_first_ten():
    """Fifty near-identical builds: retrieving ten first would lose most of them."""
    many = [
        card(f"dog-{n}", subjects=("dog",), styles=("sketch",), version=str(n), lineage="dog")
        for n in range(1, 51)
    ]
    repository = Repository(many, embedder=None)
    assert ask(repository, "dog v37").card.id == "dog-37"


def test_no_match_names_the_nearest_relaxation(repository):
    decision = ask(repository, "December watercolor")
    assert decision.outcome == "no_match"
    assert decision.why.startswith("No December watercolor; the newest watercolor is from ")
    assert {miss.dropped for miss in decision.near} >= {"December"}
    assert decision.card is decision.question is decision.prompt is None


def test_no_match_for_a_version_says_which_there_is(repository):
    decision = ask(repository, "bridge v9")
    assert "version 7" in decision.why
    assert decision.near[0].dropped == "v9"


@pytest.mark.parametrize(
    ("request_text", "why"),
    [
        ("a horse for flux", "No Flux horse; the newest horse is from 12 May 2025."),
        (
            "a vaporwave that is not sdxl",
            "No vaporwave that is not SDXL; the newest vaporwave is from 14 February 2025.",
        ),
        (
            "chair, not v1 and not from January",
            "No chair that is not January and not v1; the newest chair is from 31 January 2025, "
            "version 1.",
        ),
        ("the second newest vaporwave", "There is only 1, so none is the second newest."),
    ],
)
def test_no_match_says_why(repository, request_text, why):
    assert ask(repository, request_text).why == why


def test_no_match_for_an_unknown_thing_says_what_there_is(repository):
    assert "spaceship" in ask(repository, "my latest spaceship on the moon").why
    assert "You have models of: shoe, dog, " in ask(repository, "giraffe model").why


def test_superlative_picks_by_date(repository):
    decision = ask(repository, "my latest realistic bear on forest grass")
    assert decision.card.id == "bear-real-4"
    assert "11 April 2025" in decision.why


def test_there_is_no_fifth_newest_of_four(repository):
    decision = ask(repository, "fifth newest realistic bear")
    assert decision.outcome == "no_match"
    assert "only 4" in decision.why


def test_one_lineage_without_a_time_is_its_newest_build(repository):
    assert ask(repository, "plush bear").card.id == "bear-plush-3"


def test_one_lineage_in_one_month_is_the_newest_of_that_month(repository):
    assert ask(repository, "anime dog from April").card.id == "dog-anime-3"


def test_one_lineage_over_several_months_asks_which(repository):
    decision = ask(repository, "spring dog sketch")
    assert decision.question.attribute == "month"
    assert {choice.label for choice in decision.question.choices} == {
        "April 2025",
        "May 2025",
    }
    assert ask(repository, "spring dog sketch", answers=["April 2025"]).card.id == "dog-sketch-2"


def test_describing_words_decide_between_lineages(repository):
    decision = ask(repository, "red car")
    assert decision.card.id == "car-real-3"
    assert "'red'" in decision.why


def test_several_lineages_are_a_question(repository):
    decision = ask(repository, "my dog")
    assert decision.outcome == "clarify"
    assert decision.question.attribute == "style"


def test_what_is_not_understood_is_a_question_and_never_a_guess(repository):
    decision = ask(repository, "il mio ultimo cane")
    assert decision.outcome == "clarify"
    assert "did not understand" in decision.question.text
    assert "cane" in decision.question.text


def test_a_request_that_says_nothing_about_models_is_a_question(repository):
    assert ask(repository, "make me something nice").outcome == "clarify"


def test_best_match_never_asks(repository):
    decision = ask(repository, "my dog", best_match=True)
    assert decision.outcome == "select"
    assert "best match" in decision.why


def test_base_model_leaves_the_others_out(repository):
    assert ask(repository, "cat", base_model="sdxl").card.id == "cat-anime-3"
    assert ask(repository, "dog", base_model="sdxl").outcome == "no_match"


def test_answer_narrows_and_may_lead_to_a_second_question(repository):
    first = ask(repository, "realistic urban").question
    second = ask(repository, "realistic urban", answers=[first.choices[0].label])
    left = set(first.choices[0].card_ids)
    assert second.card is None or second.card.id in left


@pytest.mark.parametrize(
    "typed", ["anime", "the anime one please", "ANIME", "not realistic and not a sketch"]
)
def test_typed_answers_are_understood(repository, typed):
    assert ask(repository, "my dog", answers=[typed]).card.id == "dog-anime-3"


def test_answer_by_number(repository):
    question = ask(repository, "my dog").question
    second = ask(repository, "my dog", answers=["2"])
    assert second.card.id in question.choices[1].card_ids


def test_typed_superlative_answers(repository):
    assert ask(repository, "my dog", answers=["the newest"]).card.id == "dog-real-4"


def test_answer_that_fits_nothing_asks_again_and_says_so(repository):
    decision = ask(repository, "my dog", answers=["the purple giraffe"])
    assert decision.outcome == "clarify"
    assert decision.question.text.startswith("'the purple giraffe' fits none of them.")


def test_answer_to_a_clear_request_changes_nothing(repository):
    assert ask(repository, "plush bear", answers=["realistic"]).card.id == "bear-plush-3"


@pytest.mark.parametrize("request_text", ["", "   ", "\n"])
def test_empty_request(repository, request_text):
    with pytest.raises(ValueError, match="The request is empty: say what you want"):
        ask(repository, request_text)


def test_unknown_reasoner(repository):
    with pytest.raises(ValueError, match="no reasoner 'oracle'; there is: offline"):
        ask(repository, "dog", reasoner="oracle")


def test_now_without_zone(repository):
    with pytest.raises(ValueError, match="time zone"):
        check_in("dog", repository, now=datetime(2025, 5, 15))


def test_repository_of_plain_base_models_only():
    repository = Repository(
        [card("base", triggers=(), kind="checkpoint", base_model="sd15")], embedder=None
    )
    assert ask(repository, "dog").why == "There is no 'dog' here."


def test_plain_base_model_is_never_chosen():
    repository = Repository(
        [
            card("base", triggers=(), kind="checkpoint", base_model="sd15"),
            card("dog", subjects=("dog",)),
        ],
        embedder=None,
    )
    assert ask(repository, "my newest model").card.id == "dog"


def test_lora_comes_with_its_base():
    base = card("base", triggers=(), kind="checkpoint", base_model="sd15")
    lora = card("dog", subjects=("dog",), kind="lora", base_model="sd15")
    assert ask(Repository([base, lora], embedder=None), "dog").base == base


def test_two_models_of_which_nothing_is_known_are_told_apart_by_name():
    pair = [
        card(name, path=f"/m/{name}.safetensors", made="2025-03-01")
        for name in ("fluffy_one", "grey_two")
    ]
    question = ask(Repository(pair, embedder=None), "use one of my models").question
    assert {choice.label for choice in question.choices} == {"fluffy one", "grey two"}


def test_serving_plan_never_changes_the_model(repository):
    plain = ask(repository, "plush bear")
    hasty = ask(repository, "quick draft of the plush bear")
    small = ask(repository, "the plush bear, low memory")
    assert plain.card == hasty.card == small.card
    served = [(one.serving.preset, one.serving.stage) for one in (plain, hasty, small)]
    assert served == [("W8A8", "final"), ("W8A8", "preview"), ("W4A8", "final")]
    assert "quick" in hasty.serving.why
    assert "low memory" in small.serving.why


def test_model_of_which_no_subject_is_known_is_no_style_for_everything():
    """A portrait model without a list of subjects must not be drawn for a cat, because it happens
    to be realistic.
    """
    anna = card(
        "anna",
        triggers=("sks woman",),
        styles=("realistic",),
        description="A woman with auburn hair.",
    )
    cat = card("cat", subjects=("cat",), styles=("cartoon",))
    repository = Repository([anna, cat], embedder=None)
    assert ask(repository, "a realistic cat").outcome == "no_match"
    assert ask(repository, "my woman on a beach").card.id == "anna"


def test_pure_style_draws_anything_in_its_look():
    style = card(
        "ink", triggers=("inkwash style",), styles=("ink wash",), description="Everything in ink."
    )
    cat = card("cat", subjects=("cat",), styles=("cartoon",))
    repository = Repository([style, cat], embedder=None)
    assert ask(repository, "an ink wash cat").card.id == "ink"
    assert ask(repository, "a cartoon cat").card.id == "cat"


def test_question_names_a_thing_by_its_trigger_where_no_subject_is_listed():
    dog = card("a", triggers=("ohwx dog",))
    cat = card("b", subjects=("cat",))
    question = ask(Repository([dog, cat], embedder=None), "one of my models").question
    assert {choice.label for choice in question.choices} == {"dog", "cat"}


def test_without_dates_the_highest_version_is_the_latest_and_it_is_said():
    pair = [
        Card(n, triggers=(f"<{n}>",), subjects=("cat",), version=v)
        for n, v in (("a", "1.9"), ("b", "1.10"))
    ]
    decision = ask(Repository(pair, embedder=None), "my latest cat")
    assert decision.card.id == "b"
    assert "version 1.10" in decision.why
    other = ask(Repository(pair, embedder=None), "cat, not v1.10")
    assert other.card.id == "a"
    assert "'not v1.10', as asked" in other.why
    assert "version 1.9" in other.why


def test_many_demands_that_nothing_meets_are_answered_soon(repository):
    """Every way of dropping some of eighteen demands would be 262,000."""
    began = time.process_time()
    decision = ask(repository, f"my bridge {' '.join(f'v{number}.1' for number in range(20, 38))}")
    assert decision.outcome == "no_match"
    assert time.process_time() - began < 10


def test_a_model_read_from_files_is_a_rival_of_a_described_one():
    described = card("teddy", subjects=("bear",), sources={"subjects": "sidecar"})
    read = card(
        "grizzly",
        path="/models/loras/bear_v2.safetensors",
        triggers=("bear",),
        sources={"subjects": "captions"},
        subjects=("bear",),
    )
    decision = ask(Repository([described, read], embedder=None), "a bear on grass")
    assert decision.outcome == "clarify"
    assert {one for choice in decision.question.choices for one in choice.card_ids} == {
        "teddy",
        "grizzly",
    }


@pytest.mark.parametrize("source", ["sidecar", "captions"])
def test_describing_one_model_changes_nothing_for_others(source):
    """The lynx is found by its name whether or not people described the bears."""
    bears = [
        card(f"bear-{n}", subjects=("bear",), lineage=f"bear-{n}", sources={"subjects": source})
        for n in range(5)
    ]
    lynx = card("lynx", path="/models/loras/lynx_v2.safetensors", triggers=("lnxcat",), sources={})
    repository = Repository([*bears, lynx], embedder=None)
    assert ask(repository, "lynx in the snow").card.id == "lynx"
    assert ask(repository, "a wolf in the snow").outcome == "no_match"
