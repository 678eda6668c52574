"""Test the gated GELU of feed-forwards that runs as one, on an emulated GPU: the operator runs its
reference on the CPU.
"""

from __future__ import annotations

from unittest.mock import patch

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

from comfy.ldm.modules.attention import GEGLU

from personalq.nodes.host.taq.gated import Gated
from personalq.taq_kernels.backends import operators, registry
from personalq.tests.host.sampling import encode, quantized, sample

WITH_TRITON = registry.Machine("cuda", (8, 9), (3, 6), "eager")


@pytest.mark.parametrize("preset", ["W8A8", "W8"])
def test_each_feed_forward_runs_it_where_triton_runs(base, model, monkeypatch, preset):
    prompts = encode(base[1], "a <bear> on grass"), encode(base[1], "blurry")
    out = quantized(model, preset)
    layers = [one for one in out.model.diffusion_model.modules() if isinstance(one, GEGLU)]
    assert all(type(one) is Gated for one in layers)
    assert not any(isinstance(one, Gated) for one in model.model.diffusion_model.modules())
    apart = sample(out, *prompts, steps=1)
    with_triton = registry.gated_gelu(WITH_TRITON)
    assert with_triton.name == registry.TRITON_GELU
    monkeypatch.setattr(registry, "gated_gelu", lambda at: with_triton)
    with patch.object(operators, "gated_gelu", wraps=operators.gated_gelu) as counted:
        together = sample(out, *prompts, steps=1)
    assert counted.call_count == len(layers) > 3
    assert torch.equal(together, apart)
