"""Test that no Triton kernel spills registers, in any configuration, on five generations of GPUs.

They are compiled ahead of time, without a GPU: Triton brings the compiler. A spilled register is
memory traffic inside the innermost loop.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

import pytest
import torch

pytest.importorskip("triton", reason="Triton is not installed")

import triton

if "nvidia" not in triton.backends.backends:
    pytest.skip("this Triton has no NVIDIA compiler", allow_module_level=True)
if os.environ.get("TRITON_INTERPRET") == "1":
    pytest.skip("kernels are interpreted in this process", allow_module_level=True)

from personalq.bench.taq.compiled import (
    SHARED_MEMORY,
    assembled,
    compiled,
    convolution,
    decoding,
    gating,
    norming,
    quantizing,
)
from personalq.taq_kernels.backends.triton import attention as triton_attention
from personalq.taq_kernels.backends.triton import conv as triton_conv

MOST_OTHERS = {128: 16, 64: 20, 32: 40}
"""Output pixels of a tile -> the most other instructions for each one of the tensor cores."""


@pytest.mark.parametrize("capability", SHARED_MEMORY)
@pytest.mark.parametrize("tile", triton_conv.TILES)
@pytest.mark.parametrize("kernel", [3, 1])
def test_the_convolution(tmp_path, kernel, tile, capability):
    """With stride 1: 3x3, which nearly all of a UNet's convolutions are, and 1x1."""
    code = convolution(tile, capability, kernel)
    needs = assembled(code, capability, tmp_path)
    assert needs.spilled == 0
    assert needs.shared <= SHARED_MEMORY[capability]
    assert ".s8.s8" in code.asm["ptx"], "no int8 tensor cores"
    assert "cp.async" in code.asm["ptx"], "loads do not run ahead"
    if "wgmma" not in code.asm["ptx"]:
        assert needs.for_each_mma < MOST_OTHERS[tile.m]


@pytest.mark.parametrize("capability", SHARED_MEMORY)
def test_the_gated_gelu(tmp_path, capability):
    code = gating(capability)
    assert assembled(code, capability, tmp_path).spilled == 0
    assert "v4.b32" in code.asm["ptx"], "16 bytes are not read at once"


@pytest.mark.parametrize("capability", SHARED_MEMORY)
def test_decoding_4_bit_taps(tmp_path, capability):
    code = decoding(capability)
    needs = assembled(code, capability, tmp_path)
    assert needs.spilled == 0
    assert needs.registers <= 128, "too few programs run at once to hide the time of loads"


@pytest.mark.parametrize("capability", SHARED_MEMORY)
@pytest.mark.parametrize(
    ("codes", "full", "width", "bias"),
    [(72, 5, 40, False), (72, 5, 160, False), (150, 10, 64, False), (123, 6, 128, True)],
)
def test_attention_in_half_precision(tmp_path, codes, full, width, bias, capability):
    """One prompt of SD 1.5's narrowest and widest heads, one of 154 tokens at SDXL, and one of Wan,
    whose padding is one token with a larger logit.
    """
    blocks = triton_attention._blocks(codes, full, width, torch.float16)
    code = compiled(*_attention("fp16", width, blocks, capability, bias))
    assert assembled(code, capability, tmp_path).spilled == 0
    assert code.metadata.shared <= SHARED_MEMORY[capability]
    assert "mma" in code.asm["ptx"], "no tensor cores"


@pytest.mark.parametrize(("dtype", "width"), [("bf16", 160), ("fp32", 160)])
def test_attention_in_other_precisions_fits(dtype, width):
    blocks = triton_attention._blocks(
        72, 5, width, {"bf16": torch.bfloat16, "fp32": torch.float32}[dtype]
    )
    code = compiled(*_attention(dtype, width, blocks, 89))
    assert code.metadata.shared <= SHARED_MEMORY[89]


def _attention(
    dtype: str, width: int, blocks: Mapping[str, int], capability: int, bias: bool = False
) -> tuple:
    blocks = dict(blocks)
    options = {name: blocks.pop(name) for name in ("num_warps", "num_stages")}
    pointers = dict.fromkeys(("q", "k_full", "v_full", "out"), f"*{dtype}")
    pointers |= dict.fromkeys(("k_codes", "v_codes", "k_zero", "v_zero"), "*u8")
    pointers |= {"k_scale": "*fp32", "v_scale": "*fp32", "logit_scale": "fp32"}
    pointers |= {"code_bias": "*fp32", "full_bias": "*fp32"}
    pointers |= {"code_count": "*i64", "full_count": "*i32", "prompt_index": "*i64"}
    constants = {
        "q_channel": 1,
        "HEADS": 8,
        "HEAD_DIM": width,
        "PACKED": False,
        "BIAS": bias,
        "LOG": False,
        "EPS": 0.1,
    }
    constants |= {"Q_LEVELS": 255, "A_LEVELS": 255, **blocks}
    return triton_attention.mixed_attention_kernel, capability, options, pointers, constants


@pytest.mark.parametrize("capability", SHARED_MEMORY)
def test_the_pixel_quantizer(tmp_path, capability):
    """The widest pixels of SD 1.5."""
    assert assembled(quantizing(capability), capability, tmp_path).spilled == 0


@pytest.mark.parametrize("capability", SHARED_MEMORY)
@pytest.mark.parametrize("channels", [320, 2560])
def test_the_norm_before_a_convolution(tmp_path, channels, capability):
    """The narrowest and the widest pixels of SD 1.5 and SDXL."""
    for name, code in norming(capability, channels).items():
        needs = assembled(code, capability, tmp_path)
        assert needs.spilled == 0, name
        assert needs.registers <= 128 or name == "factors", name
