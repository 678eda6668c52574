"""Test the units of calibration: residual and transformer blocks in the order they run.

In the LDM and the diffusers naming.
"""

from __future__ import annotations

import pytest
import torch
from torch import nn

from personalq.bench.unet_shapes import SD15, SDXL, unet_shapes
from personalq.taq_kernels.calibration import find_blocks
from personalq.taq_kernels.families import block_name
from personalq.tests.taq_kernels.calibration.cases import small_calls, small_unet

NAMES = {
    "input_blocks.1.0.in_layers.2": "input_blocks.1.0",
    "middle_block.2.out_layers.3": "middle_block.2",
    "output_blocks.3.0.skip_connection": "output_blocks.3.0",
    "output_blocks.3.0.emb_layers.1": "output_blocks.3.0",
    "middle_block.1.transformer_blocks.0.attn1.to_out.0": "middle_block.1.transformer_blocks.0",
    "input_blocks.7.1.transformer_blocks.12.ff.net.0.proj": (
        "input_blocks.7.1.transformer_blocks.12"
    ),
    "input_blocks.1.1.proj_in": "input_blocks.1.1.proj_in",
    "input_blocks.3.0.op": "input_blocks.3.0.op",
    "output_blocks.2.1.conv": "output_blocks.2.1.conv",
    "down_blocks.0.resnets.1.conv1": "down_blocks.0.resnets.1",
    "up_blocks.2.resnets.10.time_emb_proj": "up_blocks.2.resnets.10",
    "mid_block.attentions.0.transformer_blocks.3.attn2.to_q": (
        "mid_block.attentions.0.transformer_blocks.3"
    ),
    "mid_block.attentions.0.proj_out": "mid_block.attentions.0.proj_out",
    "up_blocks.1.upsamplers.0.conv": "up_blocks.1.upsamplers.0.conv",
}


@pytest.mark.parametrize("layer", NAMES)
def test_block_of_a_layer(layer):
    assert block_name(layer) == NAMES[layer]
    assert block_name(f"diffusion_model.{layer}") == f"diffusion_model.{NAMES[layer]}"


@pytest.mark.parametrize(("config", "residual", "transformer"), [(SD15, 22, 16), (SDXL, 17, 70)])
def test_blocks_of_real_unets(config, residual, transformer):
    layers = {
        name.rpartition(".")[0]
        for name, shape in unet_shapes(config).items()
        if len(shape) in (2, 4)
    }
    blocks = {block for layer in layers if (block := block_name(layer)) != layer}
    of_transformers = {block for block in blocks if "transformer_blocks" in block}
    assert (len(blocks - of_transformers), len(of_transformers)) == (residual, transformer)


def test_a_block_that_is_not_called_is_taken_layer_by_layer():
    names = [block.name for block in find_blocks(small_unet(), small_calls(1, 0)[0], 4)]
    attention = "input_blocks.1.1.transformer_blocks.0"
    assert names == [
        "input_blocks.1.0",
        "input_blocks.1.1.proj_in",
        *(f"{attention}.attn1.{layer}" for layer in ("to_q", "to_k", "to_v", "to_out.0")),
        *(f"{attention}.attn2.{layer}" for layer in ("to_q", "to_out.0")),
        "input_blocks.1.1.proj_out",
        "input_blocks.2.0",
    ]


def test_layers_of_a_block_and_what_is_kept():
    block = find_blocks(
        small_unet(),
        small_calls(1, 0)[0],
        4,
        overrides={"*.out_layers.*": None, "*.emb_layers.*": 8},
    )[0]
    parts = ("in_layers.2", "emb_layers.1", "skip_connection")
    assert block.layers == {
        f"input_blocks.1.0.{part}": bits for part, bits in zip(parts, (4, 8, 4), strict=True)
    }


def test_adaround_takes_every_layer_by_itself():
    blocks = find_blocks(small_unet(), small_calls(1, 0)[0], 4, "adaround")
    assert all(block.layers == {block.name: 4} for block in blocks)
    assert [block.name for block in blocks][:2] == [
        "input_blocks.1.0.in_layers.2",
        "input_blocks.1.0.emb_layers.1",
    ]


def test_diffusers_blocks_run_down_mid_up(tiny_diffusers, diffusers_calls):
    names = [block.name for block in find_blocks(tiny_diffusers, diffusers_calls(1, 0)[0], 4)]
    assert names[:5] == [
        "down_blocks.0.resnets.0",
        "down_blocks.0.attentions.0.proj_in",
        "down_blocks.0.attentions.0.transformer_blocks.0",
        "down_blocks.0.attentions.0.proj_out",
        "down_blocks.0.downsamplers.0.conv",
    ]
    parts = [name.partition(".")[0] for name in names]
    assert list(dict.fromkeys(parts)) == ["down_blocks", "mid_block", "up_blocks"]
    assert sum("transformer_blocks" in name for name in names) == 4


def test_layers_that_do_not_run_are_named():
    unet = small_unet()
    unet.unused = nn.Linear(32, 32)
    with pytest.raises(ValueError, match=r"does not run unused;.*or keep these"):
        find_blocks(unet, small_calls(1, 0)[0], 4)
    assert len(find_blocks(unet, small_calls(1, 0)[0], 4, overrides={"unused": None})) == 10


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="unknown method 'gptq'; known are adaround, brecq"):
        find_blocks(small_unet(), small_calls(1, 0)[0], 4, "gptq")
    with pytest.raises(ValueError, match="no layer is called nowhere"):
        find_blocks(small_unet(), small_calls(1, 0)[0], 4, overrides={"nowhere": 8})
    with pytest.raises(ValueError, match="no text cross-attention"):
        find_blocks(nn.SiLU(), ((torch.zeros(1),), {}), 4)
