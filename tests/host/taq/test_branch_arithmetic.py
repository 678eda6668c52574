"""Test what the branches of a layer add: what the host would add to its weight, whatever the
format.
"""

from __future__ import annotations

import gc
import weakref

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import comfy.lora
import comfy.ops
from comfy.weight_adapter import LoHaAdapter, LoKrAdapter, LoRAAdapter

from personalq.nodes.host.taq.bypass_branches import Branch
from personalq.nodes.host.taq.device_copies import DeviceCopies
from personalq.nodes.host.taq.low_rank_branch import LowRankBranch
from personalq.nodes.host.taq.patches import can_bypass
from personalq.taq_kernels import quantized_ops

LINEAR = comfy.ops.disable_weight_init.Linear(12, 10, bias=False)
CONV = comfy.ops.disable_weight_init.Conv2d(8, 6, 3, stride=2, padding=1, bias=False)
POINTS = comfy.ops.disable_weight_init.Conv2d(8, 6, 1, bias=False)


def rand(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


def plain(adapter) -> tuple:
    return 0.7, adapter, 1.0, None, None


@pytest.mark.parametrize(
    ("layer", "adapter"),
    [
        (LINEAR, LoRAAdapter(set(), (rand(10, 4), rand(4, 12), 2.0, None, None, None))),
        (LINEAR, LoRAAdapter(set(), (rand(10, 4), rand(4, 12), None, None, None, None))),
        (CONV, LoRAAdapter(set(), (rand(6, 4, 1, 1), rand(4, 8, 3, 3), 4.0, None, None, None))),
        (POINTS, LoRAAdapter(set(), (rand(6, 4), rand(4, 8), 4.0, None, None, None))),
        (
            LINEAR,
            LoHaAdapter(
                set(), (rand(10, 3), rand(3, 12), 2.0, rand(10, 3), rand(3, 12), None, None, None)
            ),
        ),
        (
            LINEAR,
            LoKrAdapter(set(), (rand(2, 3), rand(5, 4), 2.0, None, None, None, None, None, None)),
        ),
    ],
    ids=[
        "lora",
        "lora without alpha",
        "lora on a convolution",
        "lora on a 1x1 convolution",
        "loha",
        "lokr",
    ],
)
def test_a_branch_is_what_the_host_adds_to_the_weight(layer, adapter):
    patch = plain(adapter)
    assert can_bypass([patch])
    merged = comfy.lora.calculate_weight([patch], torch.zeros(layer.weight.shape), "key")
    x = rand(2, 5, 12) if layer is LINEAR else rand(2, 8, 6, 6)
    if layer is LINEAR:
        wanted = torch.nn.functional.linear(x, merged)
    else:
        wanted = torch.nn.functional.conv2d(x, merged, None, layer.stride, layer.padding)
    zero = torch.zeros_like(wanted)
    torch.testing.assert_close(
        Branch(layer, adapter, 0.7, DeviceCopies())(x, zero), wanted, rtol=1e-4, atol=1e-4
    )
    if LowRankBranch.takes(layer, adapter):
        made = LowRankBranch(layer, [patch], DeviceCopies())(x, zero)
        torch.testing.assert_close(made, wanted, rtol=1e-4, atol=1e-4)


def lokr(first, second, alpha, *factors) -> LoKrAdapter:
    """A LoKr of whole matrices, or of `factors` (a1, b1, a2, b2, t2)."""
    return LoKrAdapter(set(), (first, second, alpha, *(factors or [None] * 5), None))


ROUND = comfy.ops.disable_weight_init.Conv2d(
    8, 6, 3, stride=2, padding=1, padding_mode="circular", bias=False
)


@pytest.mark.parametrize("layer", [CONV, ROUND], ids=["zeros", "circular"])
@pytest.mark.parametrize(
    "adapter",
    [
        lokr(rand(2, 4), None, 2.0, None, None, rand(3, 4), rand(4, 2 * 9), None),
        lokr(None, None, 2.0, rand(2, 5), rand(5, 4), rand(3, 4), rand(4, 2 * 9), None),
        lokr(rand(2, 4), rand(3, 2, 3, 3), 0.0),
        LoHaAdapter(
            set(), (rand(6, 3), rand(3, 72), 2.0, rand(6, 3), rand(3, 72), None, None, None)
        ),
    ],
    ids=["lokr", "lokr of two ranks", "lokr with alpha 0", "loha"],
)
def test_lycoris_on_a_convolution_is_what_the_host_adds_to_the_weight(layer, adapter):
    """In the shapes that LyCORIS writes."""
    difference = comfy.lora.calculate_weight([plain(adapter)], torch.zeros(6, 8, 3, 3), "key")
    x = rand(2, 8, 7, 7)
    x_padded, padding = quantized_ops.padded(layer, x)
    wanted = torch.nn.functional.conv2d(x_padded, difference, None, layer.stride, padding)
    assert wanted.any()
    made = Branch(layer, adapter, 0.7, DeviceCopies())(x, torch.zeros_like(wanted))
    torch.testing.assert_close(made, wanted, rtol=1e-4, atol=1e-4)


def test_a_lokr_of_tucker_factors_is_their_product():
    """The host itself adds none: the kernel of its product lies elsewhere."""
    first, a, b, core = rand(2, 4), rand(4, 3), rand(4, 2), rand(4, 4, 3, 3)
    second = torch.einsum("ijkl,jr,ip->prkl", core, b, a) * (2.0 / 4)
    x = rand(2, 8, 7, 7)
    wanted = torch.nn.functional.conv2d(
        x, torch.kron(first[:, :, None, None], second.contiguous()) * 0.7, None, 2, 1
    )
    made = Branch(CONV, lokr(first, None, 2.0, None, None, a, b, core), 0.7, DeviceCopies())(
        x, torch.zeros_like(wanted)
    )
    torch.testing.assert_close(made, wanted, rtol=1e-4, atol=1e-4)


def test_a_factored_lokr_on_linear_has_the_hosts_scale():
    adapter = lokr(None, None, 2.0, rand(2, 5), rand(5, 3), rand(5, 4), rand(4, 4), None)
    difference = comfy.lora.calculate_weight([plain(adapter)], torch.zeros(10, 12), "key")
    x = rand(2, 5, 12)
    made = Branch(LINEAR, adapter, 0.7, DeviceCopies())(x, torch.zeros(2, 5, 10))
    torch.testing.assert_close(
        made, torch.nn.functional.linear(x, difference), rtol=1e-4, atol=1e-4
    )


def lora_of(layer, rank: int, alpha: float | None, seed: int, dtype=torch.float32):
    """A plain LoRA of `layer`."""
    outputs, inputs, *kernel = layer.weight.shape
    generator = torch.Generator().manual_seed(seed)
    up = torch.randn(outputs, rank, *[1] * len(kernel), generator=generator).to(dtype)
    down = torch.randn(rank, inputs, *kernel, generator=generator).to(dtype)
    return LoRAAdapter(set(), (up, down, alpha, None, None, None))


@pytest.mark.parametrize("order", [torch.contiguous_format, torch.channels_last])
@pytest.mark.parametrize("strengths", [(0.5, 0.5), (0.5, -1.25)])
@pytest.mark.parametrize("layer", [LINEAR, CONV, POINTS], ids=["linear", "3x3", "1x1"])
def test_loras_of_a_layer_run_as_one_branch_in_place(layer, strengths, order):
    """Their sum is that of a branch for each, in the host's own arithmetic."""
    loras = [lora_of(layer, 4, 4.0, 1), lora_of(layer, 3, 3.0, 2)]
    patches = [(s, lora, 1.0, None, None) for s, lora in zip(strengths, loras, strict=True)]
    x = rand(2, 5, 12) if layer is LINEAR else rand(2, 8, 6, 6).to(memory_format=order)
    out = torch.empty_like(layer(x)).normal_(generator=torch.Generator().manual_seed(3))
    wanted = out.clone()
    for strength, lora in zip(strengths, loras, strict=True):
        wanted = Branch(layer, lora, strength, DeviceCopies())(x, wanted)
    place = out.data_ptr()
    made = LowRankBranch(layer, patches, DeviceCopies())(x, out)
    assert made.data_ptr() == place
    torch.testing.assert_close(made, wanted, rtol=1e-4, atol=1e-4)


def test_a_convolution_that_pads_in_circles_pads_so_in_its_branch():
    """As textures without seams need it; the host's own branch pads with zeros."""
    layer = comfy.ops.disable_weight_init.Conv2d(
        8, 6, 3, padding=1, padding_mode="circular", bias=False
    )
    lora, x = lora_of(layer, 4, None, 1), rand(2, 8, 6, 6)
    layer.weight.data = comfy.lora.calculate_weight([plain(lora)], torch.zeros(6, 8, 3, 3), "key")
    branch, wanted = LowRankBranch(layer, [plain(lora)], DeviceCopies()), layer(x)
    made = branch(x, torch.zeros(2, 6, 6, 6))
    torch.testing.assert_close(made, wanted, rtol=1e-4, atol=1e-4)
    layer.padding_mode = "zeros"
    layer._conv_forward = lambda x, weight, bias: torch.nn.functional.conv2d(
        torch.nn.functional.pad(x, (1, 1, 1, 1), mode="circular"), weight, bias
    )  # as another pack does it
    made = branch(x, torch.zeros(2, 6, 6, 6))
    torch.testing.assert_close(made, wanted, rtol=1e-4, atol=1e-4)


def test_what_was_not_copied_is_not_held():
    """Else every LoRA of a day stayed in memory where nothing has to be copied, as on a CPU."""
    copies = DeviceCopies()
    same, other = lora_of(LINEAR, 4, 4.0, 1), lora_of(LINEAR, 4, 4.0, 2, torch.float16)
    for lora in (same, other):
        LowRankBranch(LINEAR, [plain(lora)], copies)(rand(2, 12), rand(2, 10))
    assert copies.nbytes == 4 * (10 * 4 + 4 * 12)
    held = weakref.ref(same)
    del same, lora
    gc.collect()
    assert held() is None


def test_what_does_more_than_add_does_not_run_beside():
    up, down = rand(10, 4), rand(4, 12)
    dora = LoRAAdapter(set(), (up, down, 2.0, None, torch.ones(10, 1), None))
    lora = LoRAAdapter(set(), (up, down, 2.0, None, None, None))
    assert not can_bypass([plain(dora)])
    assert not can_bypass([plain(("diff", (rand(10, 12),)))])
    assert not can_bypass([plain(lora), (0.5, lora, 0.5, None, None)])  # the model's own strength
    assert not can_bypass([(0.5, lora, 1.0, (0, 0, 5), None)])  # a part of the weight


def test_a_branch_made_for_a_convolution_fits_the_same_layer_as_linear():
    adapter = LoRAAdapter(set(), (rand(10, 4, 1, 1), rand(4, 12, 1, 1), 2.0, None, None, None))
    x = rand(2, 5, 12)
    merged = comfy.lora.calculate_weight([plain(adapter)], torch.zeros(10, 12), "key")
    wanted = torch.nn.functional.linear(x, merged)
    torch.testing.assert_close(
        Branch(LINEAR, adapter, 0.7, DeviceCopies())(x, torch.zeros_like(wanted)),
        wanted,
        rtol=1e-4,
        atol=1e-4,
    )
