"""Test which backend computes what on which device.

The documentation's table agrees with the answers, and every answer runs.
"""

from __future__ import annotations

import functools
import sys
import time
from pathlib import Path

import pytest
import torch
import torchgen
import yaml
from comfy_kitchen.backends.eager import dequantize_int8_simple_dtype
from comfy_kitchen.registry import registry as kitchen
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode

from personalq.bench.unet_shapes import SD15, SDXL, unet_shapes
from personalq.taq_kernels import PRESETS, quantize_
from personalq.taq_kernels.backends import machine as machines
from personalq.taq_kernels.backends import registry
from personalq.taq_kernels.backends.registry import (
    FLOAT,
    TAPS,
    TORCH_ATTENTION,
    TRITON_ATTENTION,
    TRITON_CONV,
    Machine,
)
from personalq.taq_kernels.families import layer_bits
from personalq.taq_kernels.layouts.formats import choose_layout
from personalq.taq_kernels.report import Report
from personalq.tests.tiny_unet import tiny_unet

KITCHEN_CUDA = "comfy-kitchen cuda"
MATRIX = {
    "NVIDIA RTX 30 or newer": (
        Machine("cuda", (8, 6), (3, 6), "cuda"),
        (KITCHEN_CUDA, KITCHEN_CUDA, TRITON_CONV, TRITON_ATTENTION),
    ),
    "the same without Triton": (
        Machine("cuda", (8, 9), None, "cuda"),
        (KITCHEN_CUDA, KITCHEN_CUDA, FLOAT, TORCH_ATTENTION),
    ),
    "the same with PyTorch for CUDA 12": (
        Machine("cuda", (8, 9), (3, 6), "eager"),
        (TRITON_CONV, FLOAT, TRITON_CONV, TRITON_ATTENTION),
    ),
    "NVIDIA RTX 20": (
        Machine("cuda", (7, 5), (3, 6), "cuda"),
        (KITCHEN_CUDA, FLOAT, FLOAT, TORCH_ATTENTION),
    ),
    "older NVIDIA": (
        Machine("cuda", (6, 1), (3, 6), "cuda"),
        (FLOAT, FLOAT, FLOAT, TORCH_ATTENTION),
    ),
    "AMD": (Machine("hip"), (FLOAT, FLOAT, FLOAT, TORCH_ATTENTION)),
    "Apple": (Machine("mps"), (FLOAT, FLOAT, FLOAT, TORCH_ATTENTION)),
    "Intel GPU": (Machine("xpu"), (FLOAT, FLOAT, FLOAT, TORCH_ATTENTION)),
    "CPU": (Machine("cpu"), (registry.KITCHEN, registry.KITCHEN, TAPS, TORCH_ATTENTION)),
    "CPU without VNNI": (Machine("cpu", slow_int8=True), (FLOAT, FLOAT, FLOAT, TORCH_ATTENTION)),
}


def answers(at: Machine) -> tuple[str, ...]:
    """For Linear layers of 8 and 4 bits, a convolution, and attention over rows of 8 bits."""
    return (
        registry.linear(at, 8, 1280).name,
        registry.linear(at, 4, 1280, registry.ROTATION).name,
        registry.conv(at, (320, 320, 3, 3)).name,
        registry.attention(at, 8, False).name,
    )


@pytest.mark.parametrize("device", MATRIX)
def test_every_device_has_its_backends(device):
    at, expected = MATRIX[device]
    assert answers(at) == expected


def test_the_documentation_says_what_runs():
    page = (Path(registry.__file__).parents[2] / "docs" / "quantization.md").read_text(
        encoding="utf-8"
    )
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.splitlines()
        if line[:2] == "| "
    ]
    table = {row[0]: tuple(row[1:]) for row in rows if len(row) == 5}
    assert {device: table.get(device) for device in MATRIX} == {
        device: said for device, (_, said) in MATRIX.items()
    }


@pytest.mark.parametrize(
    ("cuda", "hip", "capability", "triton", "kitchen_off", "expected"),
    [
        ("13.0", None, (8, 9), True, (), MATRIX["NVIDIA RTX 30 or newer"]),
        ("13.0", None, (8, 9), False, (), MATRIX["the same without Triton"]),
        (
            "12.8",
            None,
            (8, 9),
            True,
            ("cuda", "triton"),
            MATRIX["the same with PyTorch for CUDA 12"],
        ),
        ("13.0", None, (7, 5), True, (), MATRIX["NVIDIA RTX 20"]),
        (None, "7.1", (11, 0), True, ("cuda", "triton"), MATRIX["AMD"]),
    ],
)
def test_a_machine_is_read_off_torch_triton_and_the_host(
    monkeypatch, cuda, hip, capability, triton, kitchen_off, expected
):
    """Emulated: what torch, Triton's absence and the host, which turns comfy-kitchen's backends
    off, would say.
    """
    for once in (machines._seen_cuda, machines._capability, machines._triton_version):
        monkeypatch.setattr(machines, once.__name__, once.__wrapped__)
    monkeypatch.setattr(machines, "_triton_error", lambda device: "")
    monkeypatch.setattr(torch.version, "cuda", cuda)
    monkeypatch.setattr(torch.version, "hip", hip)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device=None: capability)
    if not triton:
        monkeypatch.setitem(sys.modules, "triton", None)
    monkeypatch.setattr(kitchen, "_disabled", set(kitchen_off))
    monkeypatch.setattr(kitchen, "_capabilities", kitchen._capabilities | {"cuda": {"int8_linear"}})
    monkeypatch.setattr(kitchen, "_backends", kitchen._backends | {"cuda": object()})
    assert answers(registry.machine("cuda")) == expected[1]


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_asking_costs_next_to_nothing(device):
    """600 layers ask at each step of sampling, also where Triton is looked for in vain."""
    registry.machine(device)
    began = time.process_time()
    for _ in range(600):
        registry.machine(device)
    assert time.process_time() - began < 0.1


@pytest.mark.parametrize("config", [SD15, SDXL])
def test_every_4_bit_linear_weight_is_one_that_cuda_kernels_take(config):
    """comfy-kitchen's kernels rotate groups of 256 alone, and do not say so in their registry."""
    at = MATRIX["NVIDIA RTX 30 or newer"][0]
    widths = {
        shape[1]
        for name, shape in unet_shapes(config).items()
        if len(shape) == 2 and layer_bits(name.removesuffix(".weight"), 4, {})
    }
    assert widths >= {320, 640, 1280, 2560} or config is SDXL
    for width in widths:
        layout = choose_layout((640, width), 4)
        rotation = layout.options.get("convrot_groupsize")
        assert registry.linear(at, layout.bits, width, rotation).name == KITCHEN_CUDA
        assert (layout.bits == 4) == (width % 256 == 0)


def test_a_weight_in_other_groups_is_not_given_to_those_kernels():
    at = MATRIX["NVIDIA RTX 30 or newer"][0]
    found = registry.linear(at, 4, 320, 64)
    assert found.name == FLOAT
    assert "groups of 64" in found.why


@pytest.mark.parametrize("device", MATRIX)
def test_a_norm_runs_with_its_convolution_where_triton_does(device):
    at, (_, _, convolution, _) = MATRIX[device]
    found = registry.normed_conv(at, (320, 320, 3, 3))
    fused = convolution == TRITON_CONV
    assert found.name == (registry.TRITON_NORM if fused else registry.ONE_BY_ONE)
    assert found.why
    assert "at most" in registry.normed_conv(at, (320, 9000, 3, 3)).why or not fused


def test_linear_as_a_convolution_takes_no_rotation_and_only_so_many_inputs():
    at = MATRIX["the same with PyTorch for CUDA 12"][0]
    assert registry.linear(at, 8, 8192).name == TRITON_CONV
    assert registry.linear(at, 8, 8192, 256).why == registry.linear(at, 4, 1280, 256).why
    assert "PyTorch for CUDA 13" in registry.linear(at, 4, 1280, 256).why
    assert "at most 8192" in registry.linear(at, 8, 13824).why
    assert registry.linear(at, 8, 13824).name == FLOAT


class Recorded(TorchDispatchMode):
    """Every operator that runs."""

    def __init__(self):
        super().__init__()
        self.names: set[str] = set()

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        self.names.add(str(operator).removesuffix(".default"))
        return operator(*args, **(kwargs or {}))


ATTENTION = {
    "block_out_channels": (256,),
    "down_block_types": ("CrossAttnDownBlock2D",),
    "up_block_types": ("CrossAttnUpBlock2D",),
}
"""Of a tiny UNet whose layers have every format: 256 channels are a rotation's group."""
INPUTS = (
    torch.randn(2, 4, 8, 8, generator=torch.Generator().manual_seed(1)),
    torch.tensor([500, 500]),
    torch.randn(2, 7, 32, generator=torch.Generator().manual_seed(2)),
)
IN_FLOAT = ("older NVIDIA", "Apple")


@pytest.mark.parametrize("preset", ["W8A8", "W4A8", "W8A4", "W4"])
@pytest.mark.parametrize("device", IN_FLOAT)
def test_a_device_without_int8_products_runs_in_floating_point(monkeypatch, device, preset):
    """Emulated on the CPU: the registry answers for the device, and what it answered is what ran
    and is reported. The error is that of the CPU's products of integers.
    """
    unet = tiny_unet(**ATTENTION)
    exact = unet(*INPUTS).sample
    quantize_(unet, preset)
    on_cpu = unet(*INPUTS).sample
    monkeypatch.setattr(registry, "machine", lambda _: MATRIX[device][0])
    with Recorded() as recorded:
        out = unet(*INPUTS).sample
    error, error_on_cpu = ((x - exact).norm().item() / exact.norm().item() for x in (out, on_cpu))
    assert error < {"W8A4": 0.3}.get(preset, 0.2)
    assert error == pytest.approx(error_on_cpu, rel=0.1)
    products = {
        name
        for name in recorded.names
        if "_int_mm" in name or "int8_linear" in name or "personalq" in name
    }
    assert not products
    quantized = [p for p in Report.of(unet, preset).parameters if p.bits < 16]
    assert {p.backend for p in quantized} == {FLOAT}
    assert {p.computed for p in quantized} == {"weight-only" if preset == "W4" else "simulated"}


NATIVE = Path(torchgen.__file__).parent / "packaged/ATen/native/native_functions.yaml"


@functools.cache
def kernels() -> dict[str, set[str]]:
    """Aten operator -> the dispatch keys that torch has a kernel of it for, as torch's own list
    says.
    """
    listed = yaml.load(NATIVE.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    entries = {entry["func"].split("(")[0]: entry for entry in listed}
    found = {}
    for name, entry in entries.items():
        source = entries.get(entry.get("structured_delegate", ""), entry)
        keys = source.get("dispatch") or {"CompositeImplicitAutograd": ""}
        found[name] = {each.strip() for group in keys for each in group.split(",")}
    return found


def missing_on(key: str, names: set[str]) -> set[str]:
    """The aten operators of `names` that have no kernel for the dispatch key `key`; a composite has
    one for all.
    """
    found = {
        name: kernels().get(name.removeprefix("aten."))
        for name in names
        if name.startswith("aten.")
    }
    return {
        name
        for name, keys in found.items()
        if keys is not None
        and key not in keys
        and not any(each.startswith("Composite") for each in keys)
    }


def test_the_list_of_kernels_knows_what_a_mac_lacks():
    assert missing_on("MPS", {"aten._int_mm", "aten.addmm", "aten.mul.Tensor"}) == {"aten._int_mm"}
    assert not missing_on("CUDA", {"aten._int_mm", "aten.addmm"})


@pytest.mark.parametrize("preset", list(PRESETS))
def test_a_mac_has_every_operator_that_runs(monkeypatch, preset):
    monkeypatch.setattr(registry, "machine", lambda _: MATRIX["Apple"][0])
    unet = tiny_unet(**ATTENTION)
    quantize_(unet, preset)  # on the CPU, where the node quantizes for a Mac
    with (
        Recorded() as recorded,
        sdpa_kernel(SDPBackend.MATH),
    ):  # a Mac has a kernel of its own for this one
        unet(*INPUTS)
        dequantize_int8_simple_dtype(
            torch.ones(8, 8, dtype=torch.int8), torch.ones(8, 1), 1
        )  # inside their operator
    assert {"aten.convolution", "aten.addmm"} & recorded.names
    assert not missing_on("MPS", recorded.names)
