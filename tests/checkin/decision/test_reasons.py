"""Test what is said of a model that was taken, of choices, and of models that may be meant."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import numpy as np
import pytest

from personalq.checkin import Repository, check_in
from personalq.checkin.catalog.selection import CardSelection
from personalq.checkin.catalog.vocabulary import vocabulary_of
from personalq.checkin.decision.candidates.grounded import Grounded
from personalq.checkin.decision.declined import declined
from personalq.checkin.decision.evidence.grounder import grounder_of
from personalq.checkin.language.parse import parse
from personalq.tests.checkin.own_loras import downloaded, own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    own(folder, "nan_xl", 10, "nnivy")
    own(folder, "nans_kitchen_xl", 20, "nnkitch")
    own(folder, "ink_v3", 30, "inkst style")
    own(folder, "ink_v4", 60, "inkst style")
    own(folder, "rufus_v1", 40, "rfsdog dog", base="sd15")
    own(folder, "rufus_v2", 400, "rfsdog dog", base="sd15")
    own(folder, "rufus_xl_v3", 430, "rfsdog dog")
    own(folder, "rufus_xl_v4-000008", 440, "rfsdog dog")
    own(folder, "rufus_xl_v4", 441, "rfsdog dog")
    own(folder, "draak_dirk_xl", 50, "drkpop")
    own(folder, "kerstboom_xl", 51, "krstbm")
    own(folder, "vuurtoren_xl", 52, "vrtrn")
    own(folder, "possum_captain_xl", 55, "cptpssm")
    own(folder, "fox_v1", 150, "foxq fox")
    own(folder, "fox_v2-000004", 155, "foxq fox")
    own(folder, "fox_v2-000008", 160, "foxq fox")
    own(folder, "woodcut_look_sd15", 170, "wdct style", base="sd15")
    own(folder, "pip_hat_xl", 200, "pipq")
    own(folder, "pip_coat_v1", 210, "pipq", base="sd15")
    own(folder, "heron_v1", 180, "hrnq bird", "lighthouse", base="sd15")
    own(folder, "heron_xl_v2", 190, "hrnq bird", "lighthouse")
    downloaded(folder, "LogoRedmondV2-Logo-LogoRedmAF", "LogoRedmond - Logo Lora", [], "LogoRedAF")
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "which"),
    [
        ("my newest model, on a hill", "the newest of yours"),
        ("my owl on a wall", "the only one of yours"),
        ("the newest model, on a hill", "the newest"),
        ("my rufus_v1 on a wall", "the one of 2 builds that fits"),
        ("my dog on a wall", "the newest of 2 builds"),  # no downloaded one is of a dog
    ],
)
def test_it_is_said_where_my_leaves_out_downloaded_ones(
    tmp_path_factory, request_text, which
) -> None:
    folder = tmp_path_factory.mktemp("owls")
    own(folder, "olwen_v1", 30, "olwn owl")
    own(folder, "rufus_v1", 40, "rfsdog dog")
    own(folder, "rufus_v2", 50, "rfsdog dog")
    downloaded(folder, "BarnOwl_XL", "Barn Owl", ["owl"], "brnwl owl")
    why = check_in(request_text, Repository.open(folder, embedder=None), now=NOW).why
    assert f": {which}, from " in why


@pytest.mark.parametrize(
    ("request_text", "why"),
    [
        (
            "nan in her kitchen",  # each word counts for the model that has it most
            "nan_xl: 'nan' in its name, from 25 June 2025. "
            "nans_kitchen_xl: 'kitchen' in its name, from 5 July 2025.",
        ),
        (
            "a crow in my ink style, v3",
            "ink_v3: 'ink' in its name: 'v3', as asked, from 15 July 2025.",
        ),
        (
            "rufus in the snow",
            "rufus_xl_v4: 'rufus' in its name: the newest of 5 builds, from 30 August 2026.",
        ),
        (
            "rufus from 2025",
            "rufus_v1: 'rufus' in its name: '2025', as asked, from 25 July 2025.",
        ),
        (
            "the dragon in the snow",
            "draak_dirk_xl: 'dragon' (draak) in its name: the only one, from 4 August 2025.",
        ),
        (
            "rufus on a hill, not nan and not bruno",
            "rufus_xl_v4: 'rufus' in its name: 'not nan' and 'not bruno', as asked, from 30 August "
            "2026.",
        ),
        (
            "rufus_v1 v9",  # which it is not
            "rufus_v1: 'rufus_v1' in its name: the one of 5 builds that fits, from 25 July 2025.",
        ),
        (
            "fox in the snow",
            "fox_v1: 'fox' in its name: the newest finished one of 3 builds, from 12 November "
            "2025.",
        ),
        (
            "an early save of fox",
            "fox_v2-000004: 'fox' in its name: one of 3 builds, from 17 November 2025.",
        ),
        (
            "heron in my woodcut look",
            "heron_v1: 'heron' in its name: the newest for SD 1.5, from 12 December 2025. "
            "woodcut_look_sd15: 'woodcut' in its name: the only one, from 2 December 2025.",
        ),
        ("nnivy on a bench", "nan_xl: 'nnivy' in its trigger: the only one, from 25 June 2025."),
    ],
)
def test_why_a_model_was_taken(repository: Repository, request_text: str, why: str) -> None:
    assert check_in(request_text, repository, now=NOW).why == why


def test_a_question_says_what_differs(repository: Repository) -> None:
    question = check_in("pip in the snow", repository, now=NOW).question
    assert question is not None
    assert {choice.shown: choice.detail for choice in question.choices} == {
        "hat": "SDXL, from 1 January 2026",
        "coat": "SD 1.5, from 11 January 2026",
    }


def test_a_long_request_of_one_word_is_decided_at_once(repository: Repository) -> None:
    text = "cow " * 20 + "and the very old zebra in " + "cow " * 300
    started = time.perf_counter()
    check_in(text, repository, now=NOW)
    assert time.perf_counter() - started < 10  # a tenth of a second; hours where it backtracks


@pytest.mark.parametrize(
    ("request_text", "why", "near", "lacks", "met"),
    [
        (
            "the possum pirate steering a shopping cart",
            "Is this the 'possum pirate' that you mean?",
            "possum_captain_xl",
            "pirate",
            "'possum' in its name",
        ),
        (
            "logo for a doom band",
            "Is this the 'logo' that you mean?",
            "LogoRedmondV2-Logo-LogoRedmAF",
            "",
            "'logo' in its name",
        ),
    ],
)
def test_models_that_may_be_meant(
    repository: Repository, request_text: str, why: str, near: str, lacks: str, met: str
) -> None:
    """As is said where none of them is likely enough."""
    whole = repository.catalogue()
    vocabulary = vocabulary_of(repository.version, repository.catalogue)
    grounder = grounder_of(repository.version, whole.columns)
    library = CardSelection(whole, np.arange(len(whole.ids)))
    intent = parse(request_text, vocabulary, NOW)
    verdict = declined(Grounded.of(intent, library, grounder), NOW)
    assert verdict.why == why
    nearest = verdict.near[0]
    assert (nearest.card.name, nearest.dropped, nearest.met) == (near, lacks, met)
