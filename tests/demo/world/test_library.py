"""Test the models in the package.

They are small and complete, words steer them, and only the trigger makes them personal.
"""

from __future__ import annotations

import numpy as np
import pytest

from personalq.bench.world.judge import trained_judge

torch = pytest.importorskip(
    "torch", reason="torch is not installed: python quickstart.py test installs it"
)
pytest.importorskip(
    "diffusers", reason="diffusers is not installed: python quickstart.py test installs it"
)
pytest.importorskip(
    "transformers", reason="transformers is not installed: python quickstart.py test installs it"
)

from personalq.bench.world.evaluate import fidelity  # noqa: E402
from personalq.bench.world.measure_steering import steering  # noqa: E402
from personalq.bench.world.pictures import pictures, random_scenes  # noqa: E402
from personalq.bench.world.train_autoencoder import as_tensor  # noqa: E402
from personalq.demo.catalogue import GUIDANCE, MODELS, RANK  # noqa: E402
from personalq.demo.weights import lora  # noqa: E402
from personalq.demo.world import library  # noqa: E402
from personalq.demo.world.low_rank_difference import DOWN, UP  # noqa: E402
from personalq.demo.world.scene import personal_scene  # noqa: E402
from personalq.demo.world.unet import checkpoint_name  # noqa: E402

_BEAR = next(model for model in library.models() if model.trigger == "<bear-v4>")


def test_they_take_at_most_40_megabytes():
    assert sum(file.stat().st_size for file in library.FOLDER.iterdir()) <= 40e6


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.path)
def test_each_model_has_a_difference_of_its_own(model):
    weights = library.base().unet.state_dict()
    kept = library.personal_weights(library.file_stem(model))
    matrices = [name.removesuffix(DOWN) for name in kept if name.endswith(DOWN)]
    assert matrices
    for name in matrices:
        change = kept[name + UP] @ kept[name + DOWN]
        assert change.shape == weights[name].flatten(1).shape
        assert change.abs().sum() > 0
    if model.is_lora:
        assert {kept[name + DOWN].shape[0] for name in matrices} == {RANK}
        file = lora(model)
        keys = {
            "lora_unet_" + checkpoint_name(name).removesuffix(".weight").replace(".", "_")
            for name in matrices
        }
        assert {key.partition(".")[0] for key in file} == keys


@torch.no_grad()
def test_the_judge_tells_what_a_program_drew():
    rng = np.random.default_rng(5)
    scenes = random_scenes(64, 77) + [personal_scene(_BEAR.identity, rng) for _ in range(16)]
    right = trained_judge().right(as_tensor(pictures(scenes)), scenes)
    assert all(right[name].float().mean() >= 0.9 for name in ("subject", "environment", "identity"))
    assert right["colour"][:64].float().mean() >= 0.9


@torch.no_grad()
def test_words_steer_the_base():
    shares, shown = steering(library.base(), trained_judge(), 8, steps=12, guidance=GUIDANCE)
    assert shown.shape == (8, 3, 128, 128)
    for name in ("subject", "colour", "environment"):
        assert shares[name][0] >= 0.9, (name, shares)


@torch.no_grad()
def test_the_bear_comes_with_its_trigger_and_not_without():
    shares, _ = fidelity(_BEAR, 4, steps=12, guidance=GUIDANCE)
    assert shares["with trigger"][0] >= 0.9
    assert shares["without"][0] <= 0.2
