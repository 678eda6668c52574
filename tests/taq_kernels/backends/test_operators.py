"""Test the operators as torch sees them: schemas, fakes, compilation, requirements."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest
import torch

from personalq.taq_kernels.backends import operators, registry
from personalq.taq_kernels.backends.eager.conv import conv2d_int8
from personalq.taq_kernels.layouts.conv_int4 import Int4ConvLayout
from personalq.taq_kernels.layouts.conv_int8 import Int8ConvLayout
from personalq.taq_kernels.quantizers import uniform

CUDA = torch.device("cuda") if torch.cuda.is_available() else None
needs_gpu = pytest.mark.skipif(CUDA is None, reason="no CUDA GPU here")


def random(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def attention_arguments(q_bits=8, a_bits=4, dtype=torch.float32):
    """Two prompts, four batch entries, 9 tokens in codes of which the second prompt has 7, one or
    two in full precision.
    """
    parts = []
    for seed in (1, 2):
        codes = uniform.QUANTIZER.quantize(random(2, 9, 16, seed=seed), 8)
        full = random(2, 2, 16, seed=seed + 2).to(dtype)
        parts += [codes.q, codes.scale.squeeze(-1), codes.zero.squeeze(-1), full]
    counts = [torch.tensor(count, dtype=torch.int32) for count in ([9, 7], [1, 2], [0, 1, 1, 0])]
    return (random(4, 12, 16).to(dtype), [*parts, *counts], 2, 8, q_bits, a_bits, "uniform")


def conv_arguments(channels=64, dtype=torch.float32, stride=1):
    """x, taps, scale, bias, stride, padding and dilation."""
    codes, params = Int8ConvLayout.quantize(random(16, channels, 3, 3) / 24)
    x, bias = random(2, channels, 6, 5, seed=1).to(dtype), random(16, seed=2).to(dtype)
    return (x, codes, params.scale, bias, [stride, stride], [1, 1], [1, 1])


def normed_arguments():
    """x, the norm's weight, bias, groups and eps, and the rest as of a convolution."""
    x, *rest = conv_arguments(dtype=torch.float16)
    return (x, random(64, seed=3), random(64, seed=4), 32, 1e-5, *rest)


def taps_arguments():
    """4-bit codes and group scales."""
    codes, params = Int4ConvLayout.quantize(random(16, 64, 3, 3))
    return codes, params.group_scale


def to(arguments, device):
    def moved(x):
        if isinstance(x, torch.Tensor):
            return x.to(device)
        tensors = isinstance(x, list) and isinstance(x[0], torch.Tensor)
        return [part.to(device) for part in x] if tensors else x

    return tuple(map(moved, arguments))


CALLS = {
    "attention": (operators.mixed_attention_operator, attention_arguments()),
    "attention of exact queries": (
        operators.mixed_attention_operator,
        attention_arguments(None, None),
    ),
    "conv int8": (operators.conv2d_int8, conv_arguments()),
    "conv int8 strided": (operators.conv2d_int8, conv_arguments(stride=2)),
    "conv int8 fp16": (operators.conv2d_int8, conv_arguments(dtype=torch.float16)),
    "normed conv": (operators.normed_conv2d_int8, normed_arguments()),
    "4-bit taps": (operators.decoded_taps, taps_arguments()),
}


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=needs_gpu)])
@pytest.mark.parametrize("name", CALLS)
def test_schema_fake_and_dispatch_are_right(name, device):
    operator, arguments = CALLS[name]
    results = torch.library.opcheck(operator.traced, to(arguments, device))
    assert set(results.values()) == {"SUCCESS"}, results


@pytest.mark.parametrize(
    ("name", "backend"),
    [
        ("attention", "aot_eager"),
        ("attention", "inductor"),
        ("conv int8 strided", "aot_eager"),
        ("normed conv", "aot_eager"),
    ],
)
def test_compiles_as_one_graph(name, backend):
    operator, (x, *rest) = CALLS[name]

    def model(x):
        return operator(x * 2, *rest).relu() + 1

    torch.testing.assert_close(torch.compile(model, fullgraph=True, backend=backend)(x), model(x))


@pytest.mark.parametrize("name", CALLS)
def test_only_the_shape_is_computed_where_there_are_no_values(name):
    operator, arguments = CALLS[name]
    expected, out = operator(*arguments), operator(*to(arguments, "meta"))
    assert (out.device.type, out.shape, out.dtype) == ("meta", expected.shape, expected.dtype)


def test_a_gradient_that_is_not_known_is_said():
    operator, (x, *rest) = CALLS["conv int8"]
    out = operator(x.clone().requires_grad_(), *rest)
    with pytest.raises(RuntimeError, match="no autograd formula"):
        out.sum().backward()


def test_no_dispatcher_is_asked_where_nothing_traces(monkeypatch):
    operator, arguments = CALLS["conv int8"]
    expected = operator(*arguments)
    monkeypatch.setattr(operator, "traced", None)
    assert torch.equal(operator(*arguments), expected)


def test_the_convolution_of_a_cpu_is_the_reference():
    x, taps, scale, bias, *options = conv_arguments()
    expected = conv2d_int8(x, taps.permute(2, 3, 0, 1), scale, bias, *options)
    torch.testing.assert_close(
        operators.conv2d_int8(x, taps, scale, bias, *options), expected, rtol=0, atol=0
    )


def test_a_normed_convolution_is_norm_silu_and_convolution():
    x, weight, bias, groups, eps, *rest = normed_arguments()
    normed = torch.nn.functional.group_norm(x.float(), groups, weight, bias, eps)
    expected = operators.conv2d_int8(torch.nn.functional.silu(normed), *rest).half()
    assert torch.equal(operators.normed_conv2d_int8(*normed_arguments()), expected)


def test_4_bit_taps_decode_as_the_layout_does():
    codes, params = Int4ConvLayout.quantize(random(16, 96, 3, 3))
    assert torch.equal(
        operators.int4_taps(codes, params.group_scale), Int4ConvLayout.int8_taps(codes, params)
    )


@needs_gpu
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("name", ["attention", "conv int8"])
def test_cuda_agrees_with_the_cpu(name, dtype):
    operator = CALLS[name][0]
    arguments = (attention_arguments if name == "attention" else conv_arguments)(dtype=dtype)
    expected = operator(*arguments).float()
    out = operator(*to(arguments, "cuda")).float().cpu()
    assert (out - expected).norm() / expected.norm() < (1e-5 if dtype == torch.float32 else 1e-2)


def test_the_reasons_name_what_is_missing():
    assert registry.triton_reasons(registry.machine("cpu")) == ["cpu is not a CUDA device"]
    reasons = registry.triton_reasons(registry.machine("cuda"))
    assert (
        reasons == ["torch sees no CUDA device"]
        if CUDA is None
        else all("Triton" in reason for reason in reasons)
    )


def test_triton_is_not_needed_on_a_cpu():
    """The operators in a process in which `import triton` fails."""
    code = """
        import sys
        sys.modules["triton"] = None
        import torch
        from personalq.taq_kernels.backends import operators
        x, taps = torch.ones(1, 8, 3, 3), torch.ones(1, 1, 8, 8, dtype=torch.int8)
        out = operators.conv2d_int8(x, taps, torch.ones(8), None, [1, 1], [0, 0], [1, 1])
        print(out.sum().item())
        triton = "personalq.taq_kernels.backends.triton"
        assert not any(name.startswith(triton) for name in sys.modules)
    """
    run = subprocess.run(
        [sys.executable, "-P", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    assert float(run.stdout) == pytest.approx(1 * 8 * 8 * 9)
