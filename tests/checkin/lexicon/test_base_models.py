"""Test the table of base models: the names that tools and people use, and what fits what."""

from __future__ import annotations

import pytest

from personalq.checkin.lexicon import base_models
from personalq.checkin.lexicon.base_models import (
    BASE_MODELS,
    SPOKEN_BASE_MODELS,
    covers,
    family,
    label_of,
    shares_layers,
)
from personalq.checkin.readers import architectures

FAMILIES = {
    "sd15": (
        "SD 1.4|SD 1.5|SD 1.5 Hyper|SD1|sd15|sd_v1|sd_1.5|stable-diffusion-v1|STABLE_DIFFUSION_15|"
        "runwayml/stable-diffusion-v1-5|stable-diffusion-v1-inpainting|StableDiffusion1.5"
    ),
    "sd2": "SD 2.1 768|SD2|sd_v2_v|sd_2.1|stable-diffusion-v2-768-v|STABLE_DIFFUSION_21_BASE",
    "sdxl": (
        "sdxl_base_v1-0|SDXL 1.0|SDXL "
        "Lightning|sdxl_|stable-diffusion-xl-v1-base|STABLE_DIFFUSION_XL_10_BASE|"
        "stabilityai/stable-diffusion-xl-base-1.0|sd_xl_base_1.0.safetensors"
    ),
    "pony": "Pony|PDXL|ponyDiffusionV6XL_v6StartWithThisOne",
    "pony-v7": "Pony V7",
    "illustrious": "Illustrious|IL|ILXL|illustriousXL_v01",
    "noobai": "NoobAI|Noob|noobaiXLNAIXL_vPred10Version",
    "sd3": "SD 3|sd3m|sd_3|stable-diffusion-v3-medium|stable-diffusion-3-m",
    "sd35": "SD 3.5|stable-diffusion-v3.5|STABLE_DIFFUSION_35",
    "sd35-large": "SD 3.5 Large|sd35l|SD 3.5 Large Turbo|stable-diffusion-3-5-large",
    "sd35-medium": "SD 3.5 Medium|stable-diffusion-v3.5-medium",
    "flux1": (
        "Flux.1 D|flux-1-dev|flux.1|flux1|Flux.1-dev|FLUX_DEV_1|black-forest-labs/FLUX.1-dev|Flux"
    ),
    "flux1-schnell": "Flux.1 S|flux-1-schnell|Flux.1-schnell",
    "flux1-kontext": "Flux.1 Kontext|flux_kontext|flux.1_kontext|Flux.1-dev kontext",
    "flux1-krea": "Flux.1 Krea",
    "flux1-fill": "Flux.1-fill-dev|FLUX_FILL_DEV_1",
    "flux2": "Flux.2 D|flux_2_dev|flux2|FLUX_2|flux.2-dev",
    "flux2-klein": "Flux.2 Klein",
    "flux2-klein-4b": "Flux.2 Klein 4B|Flux.2 Klein 4B-base|flux_2_klein_4b|flux2_klein_4b",
    "flux2-klein-9b": "Flux.2 Klein 9B|Flux.2-klein-9b",
    "chroma": "Chroma|chroma|Chroma1|CHROMA_1",
    "chroma-radiance": "chroma_radiance|chroma-radiance",
    "qwen-image": "Qwen|qwen_image|Qwen-Image|QWEN",
    "qwen-image-edit": "qwen_image_edit|Qwen-Image-Edit-Plus|qwen-image-edit-plus",
    "wan": "wan|Wan Video",
    "wan21": "wan2.1|wan_2.1",
    "wan21-14b": "Wan Video 14B t2v|wan-2_1-image2video-14b",
    "wan21-1.3b": "Wan Video 1.3B t2v|wan-2_1-text2video-1_3b",
    "wan22-5b": "Wan Video 2.2 TI2V-5B|wan_2.2_5b|wan-2_2-ti2v-5b",
    "wan22-14b": "Wan Video 2.2 I2V-A14B|wan_2.2_14b",
    "hunyuan-dit": "Hunyuan 1",
    "hunyuan-video": "Hunyuan Video|hunyuan_video|HUNYUAN_VIDEO|framepack",
    "hunyuan-video-1.5": "hunyuan_video_1_5|hunyuan-video-1.5|hunyuan-video-1_5",
    "hunyuan-image": "hunyuan-image-2.1|hunyuan-image-2_1",
    "lumina": "Lumina|lumina2|lumina-2",
    "z-image": "ZImageBase|zimage|z_image|Z-Image",
    "z-image-turbo": "ZImageTurbo",
    "hidream": "HiDream|hidream_i1|HI_DREAM_FULL",
    "hidream-o1": "HiDream-O1|hidream_o1_image",
    "kolors": "Kolors",
    "pixart-alpha": "PixArt a|PIXART_ALPHA|pixart-alpha",
    "pixart-sigma": "PixArt E|PixArt-alpha/PixArt-Sigma-XL-2-1024-MS|pixart-ms-sigma-xl-2",
    "auraflow": "AuraFlow|auraflow-v1",
    "cascade": "Stable Cascade|STABLE_CASCADE_1|stable-cascade-v1-stage-c",
    "ltx": "LTXV|lightricks-ltx-video|ltx-video-2b-v0.9.5|ltxv-2b-0.9.8",
    "ltx2": "LTXV2|LTXV 2.3|ltx2|ltx-2-19b-dev|lightricks-ltx-video-2",
    "krea2": "Krea 2|krea2|Krea-2",
    "mynet-3": "MyNet 3",
}
"""What tools really write, by our name."""


@pytest.mark.parametrize(
    ("name", "known"),
    [(name, known) for known, names in FAMILIES.items() for name in names.split("|")],
)
def test_family(name: str, known: str) -> None:
    assert family(name) == known
    assert family(known) == known, "our own names stay"


@pytest.mark.parametrize("name", ["", "Unknown", "other", "None", "null", "\u202e", "---"])
def test_names_that_say_nothing(name: str) -> None:
    assert family(name) is None


@pytest.mark.parametrize(
    ("wanted", "name", "covered"),
    [
        ("sdxl", "sdxl", True),
        ("sdxl", "noobai", True),
        ("illustrious", "noobai", True),
        ("pony", "sdxl", False),
        ("flux", "flux2-klein-4b", True),
        ("flux1", "flux1-kontext", True),
        ("flux1", "flux2", False),
        ("sd3", "sd35-large", True),
        ("sd3", "sd2", False),
        ("qwen", "qwen-image-edit", True),
        ("ltx", "ltx2", True),
        ("sd15", None, False),
    ],
)
def test_a_family_covers_its_kinds(wanted: str, name: str | None, covered: bool) -> None:
    assert covers(wanted, name) is covered


@pytest.mark.parametrize(
    ("lora", "checkpoint", "fits"),
    [
        ("pony", "sdxl", True),
        ("sdxl", "noobai", True),
        ("flux1", "flux1-schnell", True),
        ("flux1", "flux1-fill", False),
        ("flux2-klein-4b", "flux2-klein-9b", False),
        ("sd15", "sdxl", False),
        (None, None, False),
    ],
)
def test_which_loras_fit_the_layers(lora: str | None, checkpoint: str | None, fits: bool) -> None:
    assert shares_layers(lora, checkpoint) is fits


def test_the_table_names_each_base_model_once_and_only_known_ones() -> None:
    ids = [one.id for one in BASE_MODELS]
    assert len(ids) == len(set(ids))
    assert {one.parent for one in BASE_MODELS if one.parent} <= set(ids)
    assert set(base_models._IN_REQUESTS) == set(SPOKEN_BASE_MODELS)
    widths = (
        architectures.CONTEXT_WIDTHS,
        architectures.FLUX_WIDTHS,
        architectures.SD3_WIDTHS,
        architectures.QWEN_WIDTHS,
        architectures.COSMOS_WIDTHS,
        architectures.WAN_WIDTHS,
        architectures.LUMINA_WIDTHS,
    )
    assert {name for table in widths for name in table.values()} <= set(ids)


def test_labels_are_for_people() -> None:
    assert [label_of(one) for one in ("sd15", "flux1", "wan22-5b", "mynet-3")] == [
        "SD 1.5",
        "Flux.1",
        "Wan 2.2 5B",
        "mynet-3",
    ]
