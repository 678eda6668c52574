"""Test that the settings of a model are those of ComfyUI's own template for it."""

from __future__ import annotations

import pytest

from personalq.checkin import Card
from personalq.checkin.catalog.few_steps import few_steps
from personalq.checkin.decision.serving.sampling import sampling
from personalq.checkin.lexicon.base_models import covers
from personalq.checkin.lexicon.usual_settings import USUAL
from personalq.tests.checkin.shipped_templates import folder, settings

pytestmark = pytest.mark.skipif(folder() is None, reason="ComfyUI's templates are not installed")

SHOWN = [
    ("flux_dev_full_text_to_image", "flux1-dev", "flux1"),
    ("flux1_krea_dev", "flux1-krea-dev_fp8_scaled", "flux1-krea"),
    ("flux_kontext_dev_basic", "flux1-dev-kontext_fp8_scaled", "flux1-kontext"),
    ("flux_fill_inpaint_example", "flux1-fill-dev", "flux1-fill"),
    ("flux_schnell_full_text_to_image", "flux1-schnell", "flux1-schnell"),
    ("image_flux2_text_to_image", "flux2_dev_fp8mixed", "flux2"),
    ("image_flux2_klein_text_to_image", "flux-2-klein-4b", "flux2-klein-4b"),
    ("image_flux2_klein_text_to_image", "flux-2-klein-base-4b", "flux2-klein-4b"),
    ("image_flux2_text_to_image_9b", "flux-2-klein-base-9b-fp8", "flux2-klein-9b"),
    ("image_qwen_image", "qwen_image_fp8_e4m3fn", "qwen-image"),
    ("image_qwen_Image_2512", "qwen_image_2512_fp8_e4m3fn", "qwen-image"),
    ("image_qwen_image_edit", "qwen_image_edit_fp8_e4m3fn", "qwen-image-edit"),
    ("image_qwen_image_edit_2509", "qwen_image_edit_2509_fp8_e4m3fn", "qwen-image-edit"),
    ("image_qwen_image_edit_2511", "qwen_image_edit_2511_fp8mixed", "qwen-image-edit"),
    ("image_qwen_image_layered", "qwen_image_layered_bf16", "qwen-image-layered"),
    ("image_z_image", "z_image_bf16", "z-image"),
    ("image_z_image_turbo", "z_image_turbo_bf16", "z-image-turbo"),
    ("image_chroma_text_to_image", "Chroma1-HD-fp8mixed", "chroma"),
    ("image_chroma1_radiance_text_to_image", "chroma-radiance-x0", "chroma-radiance"),
    ("hidream_i1_full", "hidream_i1_full_fp8", "hidream"),
    ("hidream_i1_dev", "hidream_i1_dev_fp8", "hidream"),
    ("hidream_i1_fast", "hidream_i1_fast_fp8", "hidream"),
    ("image_hidream_o1", "hidream_o1_image_bf16", "hidream-o1"),
    ("image_hidream_o1_dev", "hidream_o1_image_dev_fp8_scaled", "hidream-o1"),
    ("image_netayume_lumina_t2i", "NetaYumev35_pretrained_all_in_one", "lumina"),
    ("image_anima_base_v1", "anima-base-v1.0", "anima"),
    ("image_anima_preview", "anima-preview3-base", "anima"),
    ("image_krea2_turbo_t2i", "krea2_turbo_fp8_scaled", "krea2"),
    ("image_ernie_image", "ernie-image", "ernie"),
    ("image_ernie_image_turbo", "ernie-image-turbo", "ernie"),
    ("image_kandinsky5_t2i", "kandinsky5lite_t2i", "kandinsky5"),
    ("image_omnigen2_t2i", "omnigen2_fp16", "omnigen2"),
    ("sd3.5_simple_example", "sd3.5_large_fp8_scaled", "sd35-large"),
    ("text_to_video_wan", "wan2.1_t2v_1.3B_fp16", "wan21-1.3b"),
    ("video_wan2.1_alpha_t2v_14B", "wan2.1_t2v_14B_fp8_scaled", "wan21-14b"),
    ("video_wan2_2_14B_t2v", "wan2.2_t2v_low_noise_14B_fp8_scaled", "wan22-14b"),
    ("video_wan2_2_14B_i2v", "wan2.2_i2v_high_noise_14B_fp8_scaled", "wan22-14b"),
    ("video_wan2_2_5B_ti2v", "wan2.2_ti2v_5B_fp16", "wan22-5b"),
    ("sdxlturbo_example", "sd_xl_turbo_1.0_fp16", "sdxl"),
]
"""Template, the model that it loads, the base model of that."""
FAST = [
    ("image_qwen_image", "Qwen-Image-Lightning-8steps-V1.0"),
    ("image_qwen_Image_2512", "Qwen-Image-2512-Lightning-4steps-V1.0-fp32"),
    ("image_qwen_image_edit", "Qwen-Image-Edit-Lightning-4steps-V1.0-bf16"),
    ("image_qwen_image_edit_2511", "Qwen-Image-Edit-2511-Lightning-4steps-V1.0-bf16"),
    ("image_flux2_text_to_image", "Flux_2-Turbo-LoRA_comfyui"),
    ("image_anima_base_v1", "anima-turbo-lora-v0.2"),
    ("video_wan2_2_14B_t2v", "wan2.2_t2v_lightx2v_4steps_lora_v1.1_low_noise"),
]
"""Template, the LoRA for few steps that its switch turns on."""
OF_OTHERS = ("sd15", "sd2", "sdxl", "sd3", "pony", "noobai", "illustrious")
"""Base models whose settings are not those of templates."""


def ours(model: str, base_model: str, *loras: str) -> dict:
    """As the templates say them."""
    base = Card(model, f"/m/{model}.safetensors", base_model=base_model)
    added = [Card(one, kind="lora", base_model=base_model) for one in loras]
    found = sampling(next(iter(added), base), base, "final", added[1:])
    values = {name: getattr(found, name) for name in ("steps", "cfg", "sampler", "scheduler")}
    return values | {"width": found.width, "height": found.height}


def agrees(template: dict, found: dict) -> None:
    """In all that the template says in numbers and in the host's names."""
    said = {name: value for name, value in template.items() if " " not in str(value)}
    assert len(said) >= 3
    assert {name: found[name] for name in said} == {
        name: value if isinstance(value, str) else pytest.approx(value, abs=0.05)
        for name, value in said.items()
    }


@pytest.mark.parametrize(("template", "model", "base_model"), SHOWN)
def test_a_model_is_sampled_as_its_template_does(template, model, base_model):
    agrees(settings(template, model), ours(model, base_model))


@pytest.mark.parametrize(("template", "lora"), FAST)
def test_a_lora_for_few_steps_is_used_as_its_template_does(template, lora):
    model, base_model = next(row[1:] for row in SHOWN if row[0] == template)
    assert few_steps(Card(lora, kind="lora", base_model=base_model))
    agrees(settings(template, model, fast=True), ours(model, base_model, lora))


def test_no_base_model_is_left_out():
    for one in USUAL:
        shown = any(covers(one.base_model, base_model) for _, _, base_model in SHOWN)
        assert shown or one.base_model in OF_OTHERS
