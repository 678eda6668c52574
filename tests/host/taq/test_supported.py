"""Test that the facts of each model family agree with ComfyUI's."""

from __future__ import annotations

import comfy.supported_models
import pytest

from personalq.taq_kernels.families import FAMILIES, family_of_host


def config(name: str):
    """The host's configuration of that name, as it looks before a model is made of it."""
    return object.__new__(getattr(comfy.supported_models, name))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.host_config)
def test_width_and_tokenizers(family):
    host = config(family.host_config)
    assert host.unet_config["context_dim"] == family.context_width
    tokenizer = host.clip_target({}).tokenizer()
    tokens = tokenizer.tokenize_with_weights("a bear")
    assert set(tokens) == set(family.tokenizers)
    assert all(hasattr(tokenizer, name) for name in family.tokenizers.values())
    assert {len(chunk) for chunks in tokens.values() for chunk in chunks} == {family.context_length}


@pytest.mark.parametrize(
    ("name", "family"),
    [("SD15_instructpix2pix", "SD15"), ("SSD1B", "SDXL"), ("Segmind_Vega", "SDXL"), ("SD20", None)],
)
def test_derivatives_belong_to_their_family(name, family):
    found = family_of_host(config(name))
    assert (found and found.host_config) == family
