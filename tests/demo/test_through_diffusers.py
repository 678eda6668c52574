"""Test the chosen file in diffusers.

Every weight of a checkpoint is loaded, and a LoRA changes exactly its own weights.
"""

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

from safetensors.torch import load_file  # noqa: E402

from personalq.checkin import Card, Repository  # noqa: E402
from personalq.demo.catalogue import BASE_PATH  # noqa: E402
from personalq.demo.through_diffusers import draw, load  # noqa: E402
from personalq.demo.world.unet import checkpoint_name  # noqa: E402
from personalq.taq_kernels.attention.diffusers_processor import (  # noqa: E402
    StoredTextAttention,
)


@pytest.fixture(scope="module")
def cards(demo_repository: Path) -> dict[str, Card]:
    repository = Repository.open(
        demo_repository / "checkpoints", demo_repository / "loras", cache=None, embedder=None
    )
    return {card.name: card for card in repository.cards}


def test_a_lora_changes_its_layers_by_its_factors(demo_repository: Path, cards):
    base = load_file(demo_repository / BASE_PATH)
    card = cards["bear_realistic_v4"]
    lora, changed = load_file(card.path), 0
    for name, weight in load(demo_repository, card).unet.state_dict().items():
        layer = checkpoint_name(name)
        before = base[f"model.diffusion_model.{layer}"].float()
        key = "lora_unet_" + layer.removesuffix(".weight").replace(".", "_")
        if f"{key}.lora_up.weight" in lora:
            up, down = (
                lora[f"{key}.lora_{part}.weight"].float().flatten(1) for part in ("up", "down")
            )
            before = before + (up @ down).reshape(before.shape)
            changed += 1
        assert torch.allclose(weight, before, atol=1e-6), name
    assert changed * 3 == len(lora)


def test_the_picture_comes_from_a_quantized_unet_and_its_seed(demo_repository: Path, cards):
    card = cards["dog_realistic"]
    drawn = [
        draw(load(demo_repository, card), "a photo of sks dog", seed, steps=2, trigger="sks dog")
        for seed in (1, 1, 2)
    ]
    (first, report), (again, _), (other, _) = drawn
    assert first.shape == (3, 128, 128)
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert report.bytes_after < 0.65 * report.bytes_before


def test_the_triggers_tokens_stay_in_full_precision(demo_repository: Path, cards):
    pipeline = load(demo_repository, cards["dog_realistic"])
    draw(pipeline, "a photo of sks dog", 1, steps=1, trigger="sks dog")
    [*processors] = pipeline.unet.attn_processors.values()
    stored = [one.protected for one in processors if isinstance(one, StoredTextAttention)]
    assert stored
    for protected in stored:
        assert [row.nonzero().flatten().tolist() for row in protected] == [[0, 4, 5], [0]]


def test_a_card_without_a_file_says_what_to_do(demo_repository: Path):
    with pytest.raises(ValueError, match="open the repository from its folders"):
        load(demo_repository, Card(id="somewhere"))
