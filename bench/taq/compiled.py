"""Compile the Triton kernels ahead of time, which needs no GPU: Triton brings the compiler.

`python -P -m personalq.bench.taq.compiled` prints what they need on five generations of GPUs. It
says nothing about time.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import triton
from triton.backends.compiler import GPUTarget

from ...taq_kernels.backends.triton import conv, gated, norm, pixels, taps
from ..table import table

KIB = 1024
SHARED_MEMORY = {80: 163 * KIB, 86: 99 * KIB, 89: 99 * KIB, 90: 227 * KIB, 120: 99 * KIB}
"""Compute capability (A100, RTX 30, RTX 40, H100, RTX 50) -> bytes that a program can have."""
_TOOLS = Path(triton.__file__).parent / "backends/nvidia/bin"
_INSTRUCTION = re.compile(r"/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)(.*)")
_LABEL = re.compile(r"^(\.L_\w+):")


class Assembled(NamedTuple):
    """What the assembler made of a kernel."""

    registers: int
    spilled: int
    """Bytes of registers that it writes to memory and reads again."""
    shared: int
    """Bytes of shared memory."""
    for_each_mma: float | None
    """Other instructions for each of the tensor cores', in the loop that has most of these.

    None = there is none, or its size is not known from its name (`wgmma`).
    """


def compiled(
    kernel: Any,
    capability: int,
    options: dict,
    pointers: dict[str, str],
    constants: Mapping[str, Any],
) -> Any:
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


def convolution(tile: conv.Tile, capability: int, kernel: int = 3) -> Any:
    """The convolution kernel with stride 1; with `kernel` 1 it is that of a Linear."""
    pointers = {"x": "*i8", "taps": "*i8", "bias": "*fp16", "out": "*fp16"}
    pointers |= {"x_scale": "*fp32", "scale": "*fp32"}
    ones = ("stride_y", "stride_x", "dilation_y", "dilation_x")
    constants = {"KERNEL_Y": kernel, "KERNEL_X": kernel, "HAS_BIAS": True, **dict.fromkeys(ones, 1)}
    constants |= {"pad_y": kernel // 2, "pad_x": kernel // 2}
    constants |= {"BLOCK_M": tile.m, "BLOCK_N": tile.n, "BLOCK_K": tile.k, "BAND": conv.BAND}
    if kernel == 1:
        constants |= {"width": 1, "out_width": 1}
    options = {"num_warps": tile.warps, "num_stages": tile.stages}
    return compiled(conv.conv_kernel, capability, options, pointers, constants)


def decoding(capability: int) -> Any:
    """The kernel that decodes 4-bit taps."""
    pointers = {"codes": "*u8", "group_scale": "*i8", "taps": "*i8"}
    constants = {"GROUP": 32, "BLOCK_M": taps.BLOCK_M, "BLOCK_K": taps.BLOCK_K}
    return compiled(taps.decode_kernel, capability, {}, pointers, constants)


def quantizing(capability: int, channels: int = 2560) -> Any:
    """The kernel that quantizes pixels of `channels`."""
    pointers = {"x": "*fp16", "codes": "*i8", "scales": "*fp32"}
    constants = pixels.blocks(channels)
    return compiled(pixels.quantize_kernel, capability, {}, pointers, constants)


def gating(capability: int) -> Any:
    """The kernel of the gated GELU."""
    pointers = {"both": "*fp16", "out": "*fp16"}
    return compiled(gated.gated_kernel, capability, {}, pointers, {"BLOCK": gated.BLOCK})


def norming(capability: int, channels: int = 2560) -> dict[str, Any]:
    """The kernels of GroupNorm, SiLU and quantization of pixels of `channels`, by name."""
    half = dict.fromkeys(("x", "weight", "bias"), "*fp16")
    single = ("means", "deviations", "factors", "offsets", "scales")
    pointers = {**half, **dict.fromkeys(single, "*fp32"), "codes": "*i8", "eps": "fp32"}
    width = channels // 32
    block_w = triton.next_power_of_2(width)
    block = {"BLOCK_P": norm.BLOCK_P, "BLOCK_C": norm.BLOCK_C}
    of = {
        "moments": (norm.moments_kernel, block),
        "moments of 64 x 64 pixels": (norm.moments_kernel, {"steps": 1, **block}),
        "factors": (
            norm.factors_kernel,
            {"WIDTH": width, "BLOCK_W": block_w, "BLOCK_PARTS": norm.MAX_PARTS},
        ),
        "SiLU and pixels": (norm.normed_kernel, pixels.blocks(channels)),
    }
    return {
        name: compiled(kernel, capability, {}, pointers, constants)
        for name, (kernel, constants) in of.items()
    }


def assembled(code: Any, capability: int, folder: Path) -> Assembled:
    """Assemble a compiled kernel, with files in `folder`. Raises RuntimeError if that fails."""
    ptx, cubin = folder / "kernel.ptx", folder / "kernel.cubin"
    ptx.write_text(code.asm["ptx"])
    tool = _TOOLS / ("ptxas" if capability < 100 else "ptxas-blackwell")
    arch = f"sm_{capability}" + ("a" if capability >= 90 else "")
    said = _run(tool, "-v", f"--gpu-name={arch}", ptx, "-o", cubin)
    registers = re.search(r"Used (\d+) registers", said)
    spilled = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", said)
    if not registers or not spilled:
        raise RuntimeError(f"the assembler said something unknown: {said}")
    return Assembled(
        int(registers[1]),
        int(spilled[1]) + int(spilled[2]),
        code.metadata.shared,
        _for_each_mma(_run(_TOOLS / "nvdisasm", "-c", cubin)),
    )


def _run(*command: Any) -> str:
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if run.returncode:
        raise RuntimeError(run.stderr)
    return run.stdout + run.stderr


def _for_each_mma(listing: str) -> float | None:
    """See `Assembled`, from the assembler's listing of all instructions."""
    names: list[str] = []
    labels: dict[str, int] = {}
    loops: list[tuple[int, int]] = []
    for line in listing.splitlines():
        if label := _LABEL.match(line):
            labels[label[1]] = len(names)
        elif found := _INSTRUCTION.search(line):
            names.append(found[2])
            to = re.search(r"\.L_\w+", found[3])
            if found[2].startswith("BRA") and to and to[0] in labels:
                loops.append((labels[to[0]], len(names)))
    counts = [
        (sum(name.startswith(("IMMA", "HMMA")) for name in names[begin:end]), end - begin)
        for begin, end in loops
    ]
    mma, size = max(counts, key=lambda count: (count[0], -count[1]), default=(0, 0))
    return (size - mma) / mma if mma else None


def main() -> None:
    """Print what each kernel needs on each generation of GPUs."""
    rows: list[tuple[object, ...]] = [
        ("kernel", "GPU", "registers", "spilled", "shared KiB", "others an MMA")
    ]
    with tempfile.TemporaryDirectory() as name:
        for capability in SHARED_MEMORY:
            kernels = {
                f"convolution {size}x{size}, {tile.m} x {tile.n} x {tile.k}": convolution(
                    tile, capability, size
                )
                for size in (3, 1)
                for tile in conv.TILES
            }
            kernels |= {f"norm: {name}": code for name, code in norming(capability).items()}
            kernels |= {"4-bit taps": decoding(capability), "pixels": quantizing(capability)}
            kernels |= {"gated GELU": gating(capability)}
            for kernel, code in kernels.items():
                one = assembled(code, capability, Path(name))
                others = "" if one.for_each_mma is None else f"{one.for_each_mma:.1f}"
                shown = one.registers, one.spilled, f"{one.shared / KIB:.0f}", others
                rows.append((kernel, f"sm_{capability}", *shown))
    print(table(rows))


if __name__ == "__main__":
    main()
