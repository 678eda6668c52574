"""Test which model a request gets, by Check-in and at random, and its prompt."""

from __future__ import annotations

import numpy as np

from personalq.bench.evidence import coupling, world_trials
from personalq.bench.evidence.world_trials import Size
from personalq.bench.world.classifier import LABELS
from personalq.demo.world import library
from personalq.demo.world.scene import personal_scene

SIZE = Size(models=4, pictures=42, steps=2)


def test_requests_name_each_model_equally_often_and_are_the_same_again():
    asked = coupling.requests(42, 0)
    counts = [sum(one.meant.name == model.name for one in asked) for model in library.models()]
    assert set(counts) <= {0, 2, 3}
    assert sum(counts) == 42
    assert asked == coupling.requests(42, 0)
    assert asked != coupling.requests(42, 1)


def test_checkin_finds_the_model_and_writes_its_trigger():
    asked = coupling.requests(21, 0)
    found = [coupling.by_checkin(one) for one in asked]
    assert sum(coupling.right_share(found)) >= 20
    for one in found:
        assert one.model is None or one.model.trigger in one.prompt


def test_a_random_model_is_hardly_ever_right():
    asked = coupling.requests(42, 0)
    found = coupling.at_random(asked, 0)
    assert sum(coupling.right_share(found)) < 10
    assert all(one.model.trigger in one.prompt for one in found)


def test_every_request_is_drawn_once_in_each_selection():
    for selection, selected in coupling.selections(SIZE).items():
        assert len(selected) == SIZE.pictures
        sources = coupling.sources(selection, selected, SIZE)
        assert all(source.name.startswith(f"{selection}: ") for source in sources)
        assert len({source.name for source in sources}) == len(sources)


def test_models_alternate_between_kinds_of_triggers_and_styles_come_last():
    models = library.models()
    kinds = [model.trigger.startswith("<") for model in world_trials.chosen(models, 4)]
    assert sorted(kinds) == [False, False, True, True]
    assert sorted(m.name for m in world_trials.chosen(models, 99)) == sorted(m.name for m in models)
    assert world_trials.chosen(models, 99)[-1].noun is None


def test_renders_are_of_what_the_cases_ask_for():
    model = library.models()[0]
    scene = personal_scene(model.identity, np.random.default_rng(5))
    case = world_trials.personal_case(model, 5)
    assert case.shows == {"subject": scene.subject, "environment": scene.environment}
    (batch,) = world_trials.rendered([scene, scene])
    assert batch.shape == (2, 3, 128, 128)


def test_cases_can_be_judged():
    model = library.models()[0]
    for case in (world_trials.personal_case(model, 5), world_trials.base_case(5)):
        assert all(value in LABELS[label] for label, value in case.shows.items())
    assert model.trigger in world_trials.personal_case(model, 5).prompt
    assert world_trials.personal_case(model, 5) == world_trials.personal_case(model, 5)
