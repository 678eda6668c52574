"""Test names of files that are shortened from words of the user's language."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from personalq.checkin import Repository, check_in
from personalq.checkin.decision.evidence.shortened import Shortened
from personalq.tests.checkin.own_loras import own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)
NAMES = {
    "lun_verd_flx": "lunverd",
    "vol_det_flx": "voldet",
    "bdc_nigra_flx": "bdcn",
    "trj_bod": "trjb",
    "mcarmen_cl_xl": "mcrm woman",
    "pat_merced_z": "pmrc",
    "jaguar_alb_flux": "jgralb",
    "alebrije_gral_v2": "alebrije",
    "biene_v2": "jbiene bee",
    "bienenschwarm_apfelbaum": "bsapf",
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    for day, (name, trigger) in enumerate(NAMES.items(), 1):
        own(folder, name, day, trigger)
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "name"),
    [
        ("lunares verdes en un callejón", "lun_verd_flx"),
        ("volantes en detalle", "vol_det_flx"),
        ("la bata de cola en la playa", "bdc_nigra_flx"),
        ("el traje de la boda en la playa", "trj_bod"),
        ("mari carmen con pendientes grandes", "mcarmen_cl_xl"),
        ("el patio de la merced de noche", "pat_merced_z"),
        ("jaguar alebrije en la milpa", "jaguar_alb_flux"),
        ("der Bienenschwarm im Garten", "bienenschwarm_apfelbaum"),
    ],
)
def test_a_name_that_is_shortened_is_found(repository, request_text, name) -> None:
    decision = check_in(request_text, repository, now=NOW)
    assert [card.name for card in decision.cards] == [name], decision.why


def test_words_are_found_in_what_the_user_wrote_of_a_model(tmp_path) -> None:
    own(tmp_path, "charo_z", 2, "char0 woman")
    own(tmp_path, "maca_z", 1, "maca4 woman")
    (tmp_path / "charo_z.txt").write_text("Rosario = Charo, mi vecina. trigger char0", "utf-8")
    repository = Repository.open(tmp_path, embedder=None)
    decision = check_in("mi vecina rosario en la playa", repository, now=NOW)
    assert [card.name for card in decision.cards] == ["charo_z"], decision.why


@pytest.mark.parametrize("request_text", ["un tigre en la montaña", "dos ojos grandes"])
def test_words_that_no_name_is_short_for_find_none(repository, request_text) -> None:
    assert not check_in(request_text, repository, now=NOW).cards


def _found(repository: Repository, *phrases: tuple[str, ...]) -> list[set[str]]:
    columns = repository.catalogue().columns
    nobody = [np.zeros(len(columns.created_us), bool) for _ in phrases]
    return [pieces for _, pieces in Shortened(columns).of(phrases, nobody)]


def test_words_are_shortened_to_a_letter_only_within_a_phrase(repository) -> None:
    assert _found(repository, ("bata", "de", "cola")) == [{"bdc"}]
    assert _found(repository, ("bata",), ("de",), ("cola",)) == [set(), set(), set()]


def test_pieces_of_one_name_say_more_together_than_alone(repository) -> None:
    columns = repository.catalogue().columns
    nobody = [np.zeros(len(columns.created_us), bool)] * 2
    alone = Shortened(columns).of([("trajes",)], nobody[:1])[0][0]
    beside = Shortened(columns).of([("trajes",), ("bodas",)], nobody)[0][0]
    assert 0 < alone.max() < beside.max()


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("la bata de cola negra en la playa", {"bdc_nigra"}),
        ("la bata de cola roja en la playa", {"bdc_roja"}),
        ("la bata de cola en la playa", {"bdc_nigra", "bdc_roja"}),
    ],
)
def test_of_one_thing_in_several_colours_that_of_the_request_is_meant(
    tmp_path, request_text, names
) -> None:
    own(tmp_path, "bdc_nigra", 1, "bdcnigra", "black dress")
    own(tmp_path, "bdc_roja", 2, "bdcroja", "red dress")
    decision = check_in(request_text, Repository.open(tmp_path, embedder=None), now=NOW)
    choices = decision.question.choices if decision.question else ()
    offered = {one for choice in choices for one in choice.card_ids}
    assert {card.name for card in decision.cards} | offered == names, decision.why


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("el patio con jazmines", {"pat_abuela", "pat_merced"}),
        ("un patio y una merced", {"pat_merced"}),
        ("my cat in a ponytail", set()),
    ],
)
def test_what_a_piece_is_short_for_a_model_may_tell(tmp_path, request_text, names) -> None:
    own(tmp_path, "pat_abuela", 1, "patab", "patio")
    own(tmp_path, "pat_merced", 2, "patme")
    own(tmp_path, "pony_bella", 3, "bella pony", "ponytail")
    decision = check_in(request_text, Repository.open(tmp_path, embedder=None), now=NOW)
    choices = decision.question.choices if decision.question else ()
    offered = {one for choice in choices for one in choice.card_ids}
    assert {card.name for card in decision.cards} | offered == names, decision.why


def test_files_of_one_bearer_may_be_called_in_two_ways(tmp_path) -> None:
    own(tmp_path, "canela", 1, "canela dog")
    own(tmp_path, "canela_dog", 2, "cnl dog")
    own(tmp_path, "canela_kitchen", 3, "cnlk room")
    repository = Repository.open(tmp_path, embedder=None)
    question = check_in("canela, asleep", repository, now=NOW).question
    assert question
    assert {one for choice in question.choices for one in choice.card_ids} == {
        "canela",
        "canela_dog",
    }


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("watercolor look, a girl with sunflowers", {"wtrcolr_e12"}),
        ("a brown bear", set()),
        ("a waiter in a cafe", set()),
    ],
)
def test_a_shortened_word_may_keep_some_vowels(tmp_path, request_text, names) -> None:
    own(tmp_path, "wtrcolr_e12", 1, "wtrclr style")
    own(tmp_path, "brwnie_v1", 2, "brwnie cat")
    decision = check_in(request_text, Repository.open(tmp_path, embedder=None), now=NOW)
    assert {card.name for card in decision.cards} == names, decision.why
