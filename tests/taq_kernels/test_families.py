"""Layer groups by name, in the LDM and the diffusers naming."""

from __future__ import annotations

import pytest

from personalq.bench.unet_shapes import SD15, SDXL, unet_shapes
from personalq.taq_kernels.families import (
    FAMILIES,
    GROUPS,
    OTHER_GROUP,
    family_of,
    full_precision_reason,
    layer_bits,
    layer_group,
    parse_layer_bits,
)

NAMES = {
    "in/out/time (kept)": [
        "input_blocks.0.0",
        "out.2",
        "conv_in",
        "conv_out",
        "time_embed.0",
        "time_embed.2",
        "label_emb.0.0",
        "time_embedding.linear_1",
        "add_embedding.linear_2",
        "diffusion_model.input_blocks.0.0",
        "x_embedder.proj.1",
        "t_embedder.1.linear_2",
        "final_layer.adaln_modulation.2",
        "patch_embedding",
        "time_projection.1",
        "head.head",
        "img_emb.proj.1",
    ],
    "text before cross-attention": [
        "llm_adapter.blocks.0.cross_attn.k_proj",
        "llm_adapter.embed",
        "text_embedding.2",
    ],
    "modulation by time": ["blocks.27.adaln_modulation_cross_attn.2"],
    "cross-attention k/v of a picture": ["blocks.0.cross_attn.v_img"],
    "resblock conv": [
        "input_blocks.1.0.in_layers.2",
        "middle_block.2.out_layers.3",
        "down_blocks.0.resnets.0.conv1",
        "mid_block.resnets.1.conv2",
    ],
    "shortcut 1x1": ["output_blocks.3.0.skip_connection", "up_blocks.0.resnets.0.conv_shortcut"],
    "up/down conv": [
        "input_blocks.3.0.op",
        "output_blocks.2.1.conv",
        "output_blocks.5.2.conv",
        "down_blocks.0.downsamplers.0.conv",
        "up_blocks.1.upsamplers.0.conv",
    ],
    "self-attention": [
        "middle_block.1.transformer_blocks.0.attn1.to_q",
        "mid_block.attentions.0.transformer_blocks.0.attn1.to_out.0",
        "blocks.0.self_attn.output_proj",
        "blocks.0.self_attn.k",
    ],
    "cross-attention q/out": [
        "input_blocks.1.1.transformer_blocks.0.attn2.to_q",
        "input_blocks.1.1.transformer_blocks.0.attn2.to_out.0",
        "blocks.0.cross_attn.q_proj",
        "blocks.0.cross_attn.o",
    ],
    "cross-attention k/v": [
        "input_blocks.1.1.transformer_blocks.0.attn2.to_k",
        "a.transformer_blocks.9.attn2.to_v",
        "blocks.0.cross_attn.k_proj",
        "blocks.39.cross_attn.v",
    ],
    "feed-forward": [
        "input_blocks.1.1.transformer_blocks.0.ff.net.0.proj",
        "a.transformer_blocks.0.ff.net.2",
        "blocks.0.mlp.layer2",
        "blocks.0.ffn.0",
    ],
    "transformer proj": ["input_blocks.1.1.proj_in", "down_blocks.0.attentions.1.proj_out"],
    "time embedding projection (emb_layers)": [
        "input_blocks.1.0.emb_layers.1",
        "up_blocks.0.resnets.0.time_emb_proj",
    ],
    "norms and biases": [
        "out.0",
        "conv_norm_out",
        "input_blocks.1.0.in_layers.0",
        "input_blocks.1.0.out_layers.0",
        "input_blocks.1.1.norm",
        "input_blocks.1.1.transformer_blocks.0.norm3",
        "down_blocks.0.resnets.0.norm1",
        "input_blocks.1.1.proj_in.bias",
        "blocks.0.self_attn.q_norm",
        "blocks.0.cross_attn.norm_k",
        "blocks.0.modulation",
        "head.modulation",
    ],
    OTHER_GROUP: ["something", "control.zero_convs.0"],
}


@pytest.mark.parametrize(
    ("group", "name"), [(group, name) for group, names in NAMES.items() for name in names]
)
def test_groups(group, name):
    assert layer_group(name) == group
    if not name.endswith(".bias"):
        assert layer_group(f"{name}.weight") == group


def test_every_group_is_named_once():
    assert set(GROUPS) == set(NAMES)
    assert len(GROUPS) == len(set(GROUPS))


@pytest.mark.parametrize("group", NAMES)
def test_what_is_kept_has_a_reason(group):
    is_kept = group in (
        "in/out/time (kept)",
        "text before cross-attention",
        "cross-attention k/v",
        "norms and biases",
    )
    assert {bool(full_precision_reason(name)) for name in NAMES[group]} == {is_kept}


@pytest.mark.parametrize("config", [SD15, SDXL])
def test_no_weight_of_a_real_unet_is_left_without_a_group(config):
    assert [name for name in unet_shapes(config) if layer_group(name) == OTHER_GROUP] == []


@pytest.mark.parametrize(("config", "host_config"), [(SD15, "SD15"), (SDXL, "SDXL")])
def test_a_family_is_told_by_the_width_of_its_text(config, host_config):
    assert family_of(unet_shapes(config)).host_config == host_config


def test_a_text_of_another_width_is_taken_for_the_first_of_its_architecture():
    assert family_of({"a.attn2.to_k": (64, 32)}) is FAMILIES[0]
    with pytest.raises(ValueError, match=r"no layer in \.\.\.attn2.*SDXL-Turbo"):
        family_of({"a.attn1.to_k": (64, 32)})


def test_overrides_are_read_from_text():
    text = "input_blocks.1.*: keep; *.ff.*: 8\n\n *.attn1.*:4 ;"
    assert parse_layer_bits(text) == {"input_blocks.1.*": None, "*.ff.*": 8, "*.attn1.*": 4}
    assert parse_layer_bits("") == {}


@pytest.mark.parametrize("text", ["*.ff.* 8", "*.ff.*: 6", ": 8", "a: 8; b"])
def test_an_override_that_cannot_be_read_is_named(text):
    with pytest.raises(ValueError, match=r"`pattern: 8`, `pattern: 4` or `pattern: keep`; got `"):
        parse_layer_bits(text)


def test_the_first_pattern_that_matches_counts():
    overrides = {"*.attn1.to_q": None, "*.attn1.*": 8}
    assert layer_bits("a.attn1.to_q", 4, overrides) is None
    assert layer_bits("a.attn1.to_v", 4, overrides) == 8
    assert layer_bits("a.ff.net.2", 4, overrides) == 4
    assert layer_bits("a.attn2.to_k", 4, {"*": 4}) is None
