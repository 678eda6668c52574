"""Test that the facts of each model family agree with ComfyUI's."""

from __future__ import annotations

from dataclasses import fields
from functools import cache

import comfy.supported_models
import pytest
import torch
from comfy.quant_ops import QuantizedTensor

from personalq.taq_kernels import PRESETS, Report, quantize_weight
from personalq.taq_kernels.families import (
    FAMILIES,
    aligned_tokenizers,
    family_of_host,
    layer_bits,
)
from personalq.taq_kernels.layouts.formats import layer_weights
from personalq.tests.host.split_files import tokenizer_of
from personalq.tests.host.split_layouts import LAYOUTS


def config(name: str):
    """The host's configuration of that name, as it looks before a model is made of it."""
    return object.__new__(getattr(comfy.supported_models, name))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.host_config)
def test_width_and_tokenizers(family):
    host = config(family.host_config)
    if family.host_config == "WAN21_T2V":
        tokenizer = host.clip_target({}).tokenizer(tokenizer_data=tokenizer_of("umt5-xxl"))
    else:
        tokenizer = host.clip_target({}).tokenizer()
    tokens = tokenizer.tokenize_with_weights("a bear")
    assert set(tokens) == set(family.tokenizers)
    assert set(family.aligned) <= set(tokens)
    assert all(hasattr(tokenizer, name) for name in family.tokenizers.values())
    aligned = aligned_tokenizers(tokens)
    starts = {getattr(tokenizer, name).start_token for name in aligned.values()}
    assert (starts == {None}) == family.padded
    if not family.padded:
        assert host.unet_config["context_dim"] == family.context_width
        lengths = {len(chunk) for chunks in tokens.values() for chunk in chunks}
        assert lengths == {family.context_length}


REAL = {"anima": "anima", "1.3B": "wan21-1.3b", "5B": "wan22-5b", "14B": "wan"}
"""Size -> its layout."""


@pytest.mark.filterwarnings("ignore:for .*meta parameter")
@pytest.mark.parametrize("size", list(REAL))
@pytest.mark.parametrize(("preset", "most"), [("W8A8", 0.52), ("W4A8", 0.29)])
def test_bytes_of_a_transformer_at_its_real_size(size, preset, most):
    """Counted on tensors without storage, by the report that the node gives."""
    layout = LAYOUTS[REAL[size]]
    host = getattr(comfy.supported_models, layout.kind)(layout.config)
    host.set_inference_dtype(torch.bfloat16, None)
    model = host.get_model({}, "", device="meta").diffusion_model
    for name, weight in layer_weights(model).items():
        bits = layer_bits(name, PRESETS[preset].weight_bits, {})
        if bits:
            layer = model.get_submodule(name)
            layer.weight = torch.nn.Parameter(_stored(weight, bits), requires_grad=False)
    report = Report.of(model, preset, "cpu", kv_offloaded=True)
    assert report.bytes_before == 2 * sum(weight.numel() for weight in model.parameters())
    assert 0.8 * most < report.ratio <= most
    assert {each.bits for each in report.parameters} == {PRESETS[preset].weight_bits, 16}


@cache
def _few_rows(width: int, bits: int) -> QuantizedTensor:
    return quantize_weight(torch.randn(16, width, generator=torch.Generator().manual_seed(0)), bits)


def _stored(weight: torch.Tensor, bits: int) -> QuantizedTensor:
    """What a few rows of the weight become, with as many rows as `weight` [O, I] and no storage."""
    rows, width = weight.shape
    few = _few_rows(width, bits)

    def all_rows(part):
        if not isinstance(part, torch.Tensor) or part.ndim == 0 or part.shape[0] != 16:
            return part
        return torch.empty(rows, *part.shape[1:], dtype=part.dtype, device="meta")

    params = {each.name: all_rows(getattr(few.params, each.name)) for each in fields(few.params)}
    codebook = getattr(few.params, "codebook", None)
    params |= {"orig_shape": (rows, width), "orig_dtype": weight.dtype}
    params |= {} if codebook is None else {"codebook": codebook}
    return QuantizedTensor(all_rows(few._qdata), few._layout_cls, type(few.params)(**params))


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("SD15_instructpix2pix", "SD15"),
        ("SSD1B", "SDXL"),
        ("Segmind_Vega", "SDXL"),
        ("SD20", None),
        ("WAN21_I2V", "WAN21_T2V"),
        ("WAN22_T2V", "WAN21_T2V"),
        ("Flux", None),
        ("CosmosT2IPredict2", None),
    ],
)
def test_derivatives_belong_to_their_family(name, family):
    found = family_of_host(config(name))
    assert (found and found.host_config) == family
