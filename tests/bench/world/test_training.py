"""Test the parts of training: resumable state, EMA, latent store, batches, intervals."""

from __future__ import annotations

from pathlib import Path

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

from personalq.bench.world.classifier import LABELS, Classifier, targets  # noqa: E402
from personalq.bench.world.ema import EMA  # noqa: E402
from personalq.bench.world.latents import LatentStore, encode  # noqa: E402
from personalq.bench.world.measure_steering import share_with_interval  # noqa: E402
from personalq.bench.world.pictures import random_scenes  # noqa: E402
from personalq.bench.world.resume import load_state, save_state  # noqa: E402
from personalq.bench.world.train_base import CAPTIONS, COARSE, FINE, _batches  # noqa: E402
from personalq.demo.world.autoencoder import Autoencoder  # noqa: E402
from personalq.demo.world.noise import ALPHAS_CUMPROD  # noqa: E402
from personalq.demo.world.sample import ddim  # noqa: E402


def test_state_comes_back_and_leaves_no_partial_file(tmp_path: Path):
    assert load_state(tmp_path / "run" / "a.pt") is None
    save_state(tmp_path / "run" / "a.pt", {"step": 3, "weights": torch.ones(2)})
    state = load_state(tmp_path / "run" / "a.pt")
    assert state["step"] == 3
    assert torch.equal(state["weights"], torch.ones(2))
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["a.pt"]


def test_ema_lags_behind():
    weight = torch.nn.Parameter(torch.zeros(1))
    ema = EMA({"weight": weight}, decay=0.9)
    with torch.no_grad():
        weight.fill_(1.0)
    ema.update(10_000)
    assert ema.values["weight"].item() == pytest.approx(0.1)


def test_store_keeps_what_it_made(tmp_path: Path):
    autoencoder = Autoencoder()
    store = LatentStore(tmp_path, autoencoder)
    store.grow(3)
    store.grow(2)
    again = LatentStore(tmp_path, autoencoder)
    assert again.scenes == store.scenes
    assert torch.equal(again.latents, store.latents)
    (tmp_path / "0.npy").unlink()
    assert torch.equal(LatentStore(tmp_path, autoencoder).latents, store.latents)
    assert torch.allclose(
        store.latents[3:].float(), encode(autoencoder, store.scenes[3:]), atol=1e-2
    )


@pytest.mark.parametrize("phase", [COARSE, FINE])
def test_a_cycle_uses_every_caption_equally_often(phase):
    batches = list(_batches(phase))
    assert len(batches) == phase.steps
    counts = torch.cat(batches).bincount(minlength=CAPTIONS)
    assert counts.eq(phase.steps * phase.batch // CAPTIONS).all()


def test_classifier_answers_every_label():
    scenes = random_scenes(3, 0)
    logits = Classifier().eval()(torch.rand(3, 3, 128, 128))
    assert {name: tuple(value.shape) for name, value in logits.items()} == {
        name: (3, len(values)) for name, values in LABELS.items()
    }
    assert LABELS["colour"][targets(scenes)["colour"][0]] == scenes[0].colour


def test_wilson_interval_by_hand():
    assert share_with_interval(90, 100) == [0.9, 0.826, 0.945]


def test_ddim_finds_the_picture_that_a_perfect_model_knows():
    clean = torch.randn(1, 4, 4, 4)

    class Perfect(torch.nn.Module):
        def forward(self, latents, step, text):
            noise = (latents - ALPHAS_CUMPROD[step].sqrt() * clean) / (
                1 - ALPHAS_CUMPROD[step]
            ).sqrt()
            return type("Output", (), {"sample": noise})

    text = torch.zeros(1, 77, 8)
    found = ddim(Perfect(), torch.randn(1, 4, 4, 4), text, text, steps=10, guidance=3.0)
    assert torch.allclose(found, clean, atol=1e-3)
