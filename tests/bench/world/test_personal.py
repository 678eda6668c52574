"""Test personal subjects and styles.

They are drawn the same in every picture, captioned with their trigger, and stored as a low-rank
difference.
"""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip(
    "torch", reason="torch is not installed: python quickstart.py test installs it"
)
pytest.importorskip(
    "diffusers", reason="diffusers is not installed: python quickstart.py test installs it"
)
pytest.importorskip(
    "transformers", reason="transformers is not installed: python quickstart.py test installs it"
)

from personalq.bench.world.classifier import LABELS, UNKNOWN, targets  # noqa: E402
from personalq.bench.world.personalise import (  # noqa: E402
    PICTURES,
    PRIOR,
    STYLE_PICTURES,
    at_strength,
    prior_scenes,
    training_scenes,
    wordings,
)
from personalq.demo.catalogue import MODELS  # noqa: E402
from personalq.demo.world.identities import IDENTITIES  # noqa: E402
from personalq.demo.world.low_rank import wrap_  # noqa: E402
from personalq.demo.world.low_rank_difference import WHOLE_RANK, add_, factors  # noqa: E402
from personalq.demo.world.personal_caption import class_caption, personal_caption  # noqa: E402
from personalq.demo.world.render import render  # noqa: E402
from personalq.demo.world.scene import STYLES, personal_scene, random_scene  # noqa: E402


@pytest.mark.parametrize("identity", IDENTITIES)
def test_it_is_painted_in_its_style_and_always_the_same_from_a_seed(identity: str):
    rng = np.random.default_rng(1)
    scenes = [personal_scene(identity, rng) for _ in range(12)]
    assert all(scene.identity == identity for scene in scenes)
    assert {scene.style for scene in scenes} == {IDENTITIES[identity].style}
    pictures = [render(scene) for scene in scenes[:2]]
    assert pictures[0].shape == (128, 128, 3)
    assert not np.array_equal(*pictures)
    assert np.array_equal(render(scenes[0]), pictures[0])


def test_the_judge_is_asked_only_what_can_be_said():
    rng = np.random.default_rng(0)
    scenes = [
        personal_scene("plush bear", rng),
        personal_scene("blueprint", rng),
        random_scene(rng),
    ]
    wanted = targets(scenes)
    assert [LABELS["identity"][i] for i in wanted["identity"]] == [
        "plush bear",
        "blueprint",
        "none",
    ]
    assert wanted["colour"][:2].tolist() == [UNKNOWN, UNKNOWN]
    assert wanted["style"][1] == UNKNOWN
    assert UNKNOWN not in (wanted["subject"].tolist() + wanted["environment"].tolist())


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.path)
def test_training_pictures_are_few_and_the_prior_is_the_class(model):
    rng = np.random.default_rng(0)
    own, noun = training_scenes(model, rng), IDENTITIES[model.identity].noun
    assert len(own) == (PICTURES if noun else STYLE_PICTURES)
    assert 3 <= len(own) <= 5
    prior = prior_scenes(model, rng)
    assert len(prior) == PRIOR
    assert all(scene.identity is None and scene.style in STYLES for scene in prior)
    for scene in prior:
        render(scene)
    if noun:
        assert sum(scene.subject == noun for scene in prior) >= PRIOR * 2 // 3
        assert all(noun not in personal_caption(scene, "<it>", rng).split() for scene in own)
    assert len({scene.environment for scene in own}) == len(own)
    assert len({scene.subject for scene in own}) == (1 if noun else len(own))
    for scene in own:
        said = wordings(scene, model, rng)
        assert all(model.trigger in words for words in said)
        assert said[-1] == model.trigger != said[0]
    assert all(model.trigger not in class_caption(scene, rng) for scene in prior)


def test_a_scene_without_a_thing_of_ones_own_has_no_trigger():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="nothing personal"):
        personal_caption(random_scene(rng), "<it>", rng)


def test_a_lora_is_added_as_it_was_trained():
    from torch import nn

    def network() -> nn.Sequential:
        return nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2, padding=1),
            nn.Conv2d(8, 8, 1),
            nn.Flatten(),
            nn.Linear(32, 4),
        )

    torch.manual_seed(0)
    plain, tuned = network(), network()
    tuned.load_state_dict(plain.state_dict())
    wrapped = wrap_(tuned, 2).values()
    assert len(wrapped) == 3
    for layer in wrapped:
        nn.init.normal_(layer.up.weight)
    x = torch.randn(5, 3, 4, 4)
    trained = {
        name: value.detach() for name, value in tuned.named_parameters() if value.requires_grad
    }
    add_(plain, factors(trained))
    assert torch.allclose(plain(x), tuned(x), atol=1e-5)
    for layer in wrapped:
        change = layer.merged() - layer.base.weight
        assert change.shape == layer.base.weight.shape
        assert torch.linalg.matrix_rank(change.flatten(1)) == 2


def test_strength_multiplies_what_is_added():
    from torch import nn

    torch.manual_seed(0)
    factor = {"up.weight": torch.randn(4, 2), "down.weight": torch.randn(2, 3)}
    lora = {f"a.{name}": value for name, value in factor.items()}
    whole = {"a.weight": factor["up.weight"] @ factor["down.weight"], "a.bias": torch.randn(4)}
    for difference, changed in ((lora, {"a.weight"}), (whole, {"a.weight", "a.bias"})):
        once, stronger = (nn.ModuleDict({"a": nn.Linear(3, 4)}) for _ in range(2))
        before = {name: value.clone() for name, value in once.state_dict().items()}
        stronger.load_state_dict(before)
        add_(once, factors(difference))
        add_(stronger, factors(at_strength(difference, 1.5)))
        added = {name: once.state_dict()[name] - value for name, value in before.items()}
        assert {name for name, change in added.items() if change.any()} == changed
        for name, change in added.items():
            assert torch.allclose(
                stronger.state_dict()[name] - before[name], 1.5 * change, atol=1e-5
            )


def test_a_whole_trainings_difference_keeps_its_largest_directions():
    from torch import nn

    torch.manual_seed(0)
    layer = nn.Conv2d(8, 16, 3)
    before = layer.weight.detach().clone()
    exact = (torch.randn(16, WHOLE_RANK) @ torch.randn(WHOLE_RANK, 72)).reshape(16, 8, 3, 3)
    bias = torch.randn(16)
    kept = factors({"weight": exact, "bias": bias})
    add_(layer, kept)
    assert torch.allclose(layer.weight - before, exact, atol=1e-4)
    assert kept["weight.down"].shape == (WHOLE_RANK, 72)
