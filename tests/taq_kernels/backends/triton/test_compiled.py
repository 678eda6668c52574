"""Test that no Triton kernel spills registers, in any configuration, on five generations of GPUs.

They are compiled ahead of time, without a GPU: Triton brings the compiler. A spilled register is
memory traffic inside the innermost loop.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
import torch

pytest.importorskip("triton", reason="Triton is not installed")

import triton
from triton.backends.compiler import GPUTarget

from personalq.taq_kernels.backends.triton import attention as triton_attention
from personalq.taq_kernels.backends.triton import conv as triton_conv
from personalq.taq_kernels.backends.triton import pixels as triton_pixels

if "nvidia" not in triton.backends.backends:
    pytest.skip("this Triton has no NVIDIA compiler", allow_module_level=True)
if os.environ.get("TRITON_INTERPRET") == "1":
    pytest.skip("kernels are interpreted in this process", allow_module_level=True)

KIB = 1024
SHARED_MEMORY = {80: 163 * KIB, 86: 99 * KIB, 89: 99 * KIB, 90: 227 * KIB, 120: 99 * KIB}
"""Compute capability (A100, RTX 30, RTX 40, H100, RTX 50) -> bytes that a program can have."""


def compiled(kernel, capability: int, options: dict, pointers: dict[str, str], constants: dict):
    """`kernel` for GPUs of `capability`; arguments that are not named are int32, multiples of 16 as
    in every UNet.
    """
    names = kernel.arg_names
    signature = {
        name: "constexpr" if name in constants else pointers.get(name, "i32") for name in names
    }
    aligned = [
        name for name in names if signature[name].startswith("*") or signature[name] == "i32"
    ]
    source = triton.compiler.ASTSource(
        fn=kernel,
        signature=signature,
        constexprs={(names.index(name),): value for name, value in constants.items()},
        attrs={(names.index(name),): [["tt.divisibility", 16]] for name in aligned},
    )
    return triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options)


def spilled(code, capability: int, folder: Path) -> int:
    """Bytes of registers that the assembler writes to memory."""
    ptx = folder / "kernel.ptx"
    ptx.write_text(code.asm["ptx"])
    tools = Path(triton.__file__).parent / "backends/nvidia/bin"
    ptxas = tools / ("ptxas" if capability < 100 else "ptxas-blackwell")
    arch = f"sm_{capability}" + ("a" if capability >= 90 else "")
    run = subprocess.run(
        [ptxas, "-v", f"--gpu-name={arch}", ptx, "-o", folder / "kernel.cubin"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    found = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", run.stderr + run.stdout)
    assert found, run.stderr
    return int(found[1]) + int(found[2])


@pytest.mark.parametrize("capability", SHARED_MEMORY)
@pytest.mark.parametrize(
    ("bits", "tile"), [(bits, tile) for bits, tiles in triton_conv.TILES.items() for tile in tiles]
)
def test_the_convolution(tmp_path, bits, tile, capability):
    """3x3 with stride 1, which nearly all of a UNet's convolutions are."""
    pointers = {"x": "*i8", "taps": "*i8" if bits == 8 else "*u8", "group_scale": "*i8"}
    pointers |= {"x_scale": "*fp32", "scale": "*fp32", "bias": "*fp16", "out": "*fp16"}
    ones = ("stride_y", "stride_x", "pad_y", "pad_x", "dilation_y", "dilation_x")
    constants = {
        "KERNEL_Y": 3,
        "KERNEL_X": 3,
        "HAS_BIAS": True,
        "GROUP": 0 if bits == 8 else 32,
        **dict.fromkeys(ones, 1),
    }
    constants |= {"BLOCK_M": tile.m, "BLOCK_N": tile.n, "BLOCK_K": tile.k, "BAND": triton_conv.BAND}
    options = {"num_warps": tile.warps, "num_stages": tile.stages}
    code = compiled(triton_conv.conv_kernel, capability, options, pointers, constants)
    assert spilled(code, capability, tmp_path) == 0
    assert code.metadata.shared <= SHARED_MEMORY[capability]
    assert ".s8.s8" in code.asm["ptx"], "no int8 tensor cores"
    assert "cp.async" in code.asm["ptx"], "loads do not run ahead"


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
    assert spilled(code, capability, tmp_path) == 0
    assert code.metadata.shared <= SHARED_MEMORY[capability]
    assert "mma" in code.asm["ptx"], "no tensor cores"


@pytest.mark.parametrize(("dtype", "width"), [("bf16", 160), ("fp32", 160)])
def test_attention_in_other_precisions_fits(dtype, width):
    blocks = triton_attention._blocks(
        72, 5, width, {"bf16": torch.bfloat16, "fp32": torch.float32}[dtype]
    )
    code = compiled(*_attention(dtype, width, blocks, 89))
    assert code.metadata.shared <= SHARED_MEMORY[89]


def _attention(dtype: str, width: int, blocks: dict, capability: int, bias: bool = False) -> tuple:
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
    block_c = triton.next_power_of_2(2560)
    constants = {
        "TINY": torch.finfo(torch.float32).tiny,
        "BLOCK_M": max(1, 4096 // block_c),
        "BLOCK_C": block_c,
    }
    pointers = {"x": "*fp16", "codes": "*i8", "scales": "*fp32"}
    code = compiled(triton_pixels._quantize_kernel, capability, {}, pointers, constants)
    assert spilled(code, capability, tmp_path) == 0
