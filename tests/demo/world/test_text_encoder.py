"""Test that the text encoder follows from its seed.

Its low-rank difference can be merged without changing its output.
"""

from __future__ import annotations

import pytest

torch = pytest.importorskip(
    "torch", reason="torch is not installed: python quickstart.py test installs it"
)
pytest.importorskip(
    "transformers", reason="transformers is not installed: python quickstart.py test installs it"
)

from personalq.demo.world.low_rank import LowRank  # noqa: E402
from personalq.demo.world.text_encoder import (  # noqa: E402
    difference,
    merged_weights,
    seed_weight,
    text_encoder,
)


def test_seed_weights_depend_on_the_name_alone():
    name = "encoder.layers.3.mlp.fc1.weight"
    first = seed_weight(name, (3072, 768))
    assert torch.equal(first, seed_weight(name, (3072, 768)))
    assert not torch.equal(first, seed_weight(name.replace("3", "4", 1), (3072, 768)))
    assert torch.equal(first, first.half().float())
    assert seed_weight("final_layer_norm.weight", (768,)).eq(1).all()
    assert seed_weight("encoder.layers.3.mlp.fc1.bias", (3072,)).eq(0).all()


def test_a_merged_layer_says_the_same():
    layer = LowRank(torch.nn.Linear(12, 20), rank=4)
    torch.nn.init.normal_(layer.up.weight)
    x = torch.randn(5, 12)
    assert torch.allclose(
        layer(x), torch.nn.functional.linear(x, layer.merged(), layer.base.bias), atol=1e-5
    )


def test_only_the_difference_is_trained():
    encoder = text_encoder()
    trained = sum(value.numel() for value in difference(encoder).values())
    assert trained == 12 * 16 * (4 * (768 + 768) + 2 * (768 + 3072))
    plain = merged_weights(encoder)
    assert len(plain) == 2 + 12 * (6 * 2 + 4) + 2
    assert all(name.startswith("text_model.") for name in plain)
