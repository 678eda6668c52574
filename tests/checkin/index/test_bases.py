"""Test which checkpoint or diffusion model a LoRA is loaded on."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.checkin import Card, Repository
from personalq.checkin.index.bases import family_of
from personalq.tests.checkin import make_files as make

HERE = [
    Card("dev", "/m/diffusion_models/flux1-dev.safetensors", base_model="flux1"),
    Card("krea", "/m/diffusion_models/flux1-krea-dev.safetensors", base_model="flux1-krea"),
    Card("mix", "/m/checkpoints/my_mix.safetensors", base_model="flux1", triggers=("mix",)),
    Card("edit", "/m/qwen_image_edit_2509_fp8_e4m3fn.safetensors", base_model="qwen-image-edit"),
    Card("i2v", "/m/wan2.2_i2v_high_noise_14B_fp16.safetensors", base_model="wan22-14b"),
    Card("low", "/m/wan2.2_t2v_low_noise_14B_fp16.safetensors", base_model="wan22-14b"),
    Card("wan1", "/m/wan2.1_t2v_14B_fp16.safetensors", base_model="wan21-14b"),
    Card("5b", "/m/wan2.2_ti2v_5B_fp16.safetensors", base_model="wan22-5b"),
    Card("zib", "/m/z_image_bf16.safetensors", base_model="z-image"),
    Card("zit", "/m/z_image_turbo_bf16.safetensors", base_model="z-image-turbo"),
    Card("k4", "/m/flux-2-klein-4b.safetensors", base_model="flux2-klein-4b"),
    Card("k9", "/m/flux-2-klein-9b.safetensors", base_model="flux2-klein-9b"),
]
PERSON = {"base": "sidecar"}


def base_of(lora: Card, others: list[Card] | None = None, **wanted: str) -> str | None:
    repository = Repository([*HERE, *(others or []), lora], embedder=None)
    found = repository.base_for(lora, wanted)
    return found.id if found else None


def lora(base_model: str | None, **more) -> Card:
    return Card("bear", "/m/loras/bear.safetensors", "lora", base_model=base_model, **more)


@pytest.mark.parametrize(
    ("base_model", "expected"),
    [
        ("flux1", "dev"),
        ("flux1-krea", "krea"),
        ("flux1-schnell", "dev"),
        ("qwen-image", "edit"),
        ("wan22-14b", "low"),
        ("wan21-14b", "wan1"),
        ("wan", "low"),
        ("wan22-5b", "5b"),
        ("flux2-klein-9b", "k9"),
        ("z-image", "zit"),
        ("z-image-turbo", "zit"),
        ("chroma", None),
    ],
)
def test_the_likeliest_has_the_same_layers_and_a_usual_name(base_model, expected):
    assert base_of(lora(base_model)) == expected


@pytest.mark.parametrize(
    ("base_model", "here", "expected"),
    [
        ("pony", "sdxl illustrious pony", "pony"),
        ("pony", "illustrious sdxl", "sdxl"),
        ("noobai", "sdxl illustrious", "illustrious"),
        ("noobai", "pony sdxl illustrious noobai", "noobai"),
        ("sdxl", "pony sdxl", "sdxl"),
        ("illustrious", "pony", "pony"),
    ],
)
def test_of_sdxls_relatives_the_nearest_is_the_base(base_model, here, expected):
    others = [
        Card(one, f"/m/checkpoints/{one}.safetensors", base_model=one) for one in here.split()
    ]
    assert base_of(lora(base_model), others) == expected


@pytest.mark.parametrize(
    "words", ["score_9, score_8_up, source_anime", "high score, great score", "very aesthetic"]
)
def test_a_site_that_calls_praise_a_trigger_makes_no_checkpoint_personal(words: str) -> None:
    """Pony's page on Civitai names `score_9` as its trigger word."""
    pony = Card("pony", "/m/checkpoints/pony.safetensors", base_model="pony")
    praised = replace(pony, triggers=tuple(words.split(", ")))
    sdxl = Card("sdxl", "/m/checkpoints/sdxl.safetensors", base_model="sdxl")
    assert base_of(lora("pony"), [sdxl, praised]) == "pony"
    assert base_of(lora("pony"), [sdxl, replace(pony, triggers=("score_9", "anna"))]) == "sdxl"


@pytest.mark.parametrize("more", [{"triggers": ("analog style",)}, {"subjects": ("pony",)}])
def test_what_a_site_says_of_a_checkpoint_makes_it_the_last_choice_at_most(more: dict) -> None:
    """Realistic Vision's page names "analog style"; a checkpoint of the person's own draws it."""
    own = Card("a", "/m/checkpoints/a.safetensors", base_model="sd15", **more)
    downloaded = replace(own, origin="downloaded", sources={"origin": "civitai.info"})
    plain = Card("b", "/m/checkpoints/b.safetensors", base_model="sd15")
    assert base_of(lora("sd15"), [downloaded, plain]) == "b"
    assert base_of(lora("sd15"), [downloaded]) == "a", "better than nothing"
    assert base_of(lora("sd15"), [own]) is None


def test_a_checkpoint_for_few_steps_is_no_first_choice() -> None:
    """Their names begin with "dreamshaper" and "juggernaut"."""
    turbo, full = (
        Card(name, f"/m/checkpoints/{name}.safetensors", base_model="sdxl")
        for name in ("dreamshaperXL_v21TurboDPMSDE", "juggernautXL_ragnarokBy")
    )
    assert base_of(lora("sdxl"), [turbo, full]) == full.id
    assert base_of(lora("sdxl"), [turbo]) == turbo.id


def test_the_tensors_tell_the_size_that_a_site_leaves_out(tmp_path: Path) -> None:
    """Civitai calls both sizes "Flux.2 Klein"."""
    layer = "diffusion_model.double_blocks.7.img_attn.qkv"
    file = make.make_transformer_lora(tmp_path / "bear.safetensors", [layer], 4096)
    card = Card("bear", str(file), "lora", base_model="flux2-klein")
    assert (base_of(card), family_of(card)) == ("k9", "flux2-klein-9b")
    other = Card("bear", str(file), "lora", base_model="chroma")
    assert (base_of(other), family_of(other)) == (None, "chroma"), "its maker knows better"


def test_what_the_user_chose_for_the_family() -> None:
    assert base_of(lora("flux1"), flux1="my_mix") == "mix"
    assert base_of(lora("flux1-schnell"), flux1="diffusion_models/my_mix.safetensors") == "mix"
    assert base_of(lora("flux1", base="flux1-dev"), flux1="my_mix") == "mix", "of a trainer"
    assert base_of(lora("flux1", base="flux1-dev", sources=PERSON), flux1="my_mix") == "dev"
    assert base_of(lora("flux1"), flux1="gone") == "dev"
    assert base_of(lora("qwen-image"), flux1="my_mix") == "edit"


@pytest.mark.parametrize("family", ["illustrious", "pony", "noobai", "sdxl"])
def test_each_family_on_the_layers_of_sdxl_has_its_own_choice(tmp_path: Path, family: str) -> None:
    """The tensors of all of them say SDXL."""
    file = make.make_lora(tmp_path / "bear.safetensors", "sdxl")
    card = Card("bear", str(file), "lora", base_model=family)
    models = [
        Card(one, f"/m/checkpoints/{one}_mix.safetensors", base_model=one)
        for one in ("illustrious", "pony", "noobai", "sdxl")
    ]
    assert family_of(card) == family
    chosen = {one.base_model: one.name for one in models}
    assert base_of(card, models, **chosen) == family
    others = {one: name for one, name in chosen.items() if one != family}
    assert base_of(card, models, **others) == family


def test_a_base_that_is_a_lora_stands_for_that_ones_base() -> None:
    first = Card("first", "/m/loras/first.safetensors", "lora", base="my_mix", sources=PERSON)
    assert base_of(lora("flux1", base="first", sources=PERSON), [first]) == "mix"
    trained = Card("first", "/m/loras/first.safetensors", "lora", base="flux1-krea-dev")
    assert base_of(lora("flux1", base="first", sources=PERSON), [trained]) == "krea"


def test_a_circle_of_base_lines_is_said() -> None:
    other = Card("owl", "/m/loras/owl.safetensors", "lora", base="bear", sources=PERSON)
    with pytest.raises(ValueError, match=r"of bear → owl → bear go in a circle. Name a checkpoint"):
        base_of(lora("flux1", base="owl", sources=PERSON), [other])
    with pytest.raises(ValueError, match="of bear → bear go in a circle"):
        base_of(lora("flux1", base="bear", sources=PERSON))
    assert base_of(lora("flux1", base="bear")) == "dev", "trainers write what they like"


def test_a_pony_lora_of_an_sdxl_header_is_drawn_on_pony(tmp_path: Path) -> None:
    """No sidecar says it: the header of both says SDXL, and only their names Pony."""
    for name in ("juggernautXL_v9", "ponyDiffusionV6XL"):
        make.make_checkpoint(tmp_path / f"{name}.safetensors", "sdxl")
    make.make_lora(tmp_path / "marceline_ponyXL.safetensors", "sdxl", {})
    repository = Repository.open(tmp_path, embedder=None)
    (lora,) = (card for card in repository.cards if card.kind == "lora")
    base = repository.base_for(lora)
    assert base
    assert base.name == "ponyDiffusionV6XL"


@pytest.mark.parametrize(
    ("base_model", "anime", "expected"),
    [
        (None, None, "zit"),
        (None, False, "zit"),
        (None, True, "wai"),
        ("flux1", False, "dev"),
        ("wan22-5b", False, "5b"),
        ("sd15", False, None),
        ("sdxl", None, "jugger"),
        ("sdxl", True, "wai"),
    ],
)
def test_what_draws_alone_is_the_base_of_the_newest_lora(base_model, anime, expected) -> None:
    trained = [
        lora(base, created_at=datetime(2026, month, 1, tzinfo=UTC))
        for base, month in (("wan22-5b", 9), ("z-image", 8), ("flux1", 7), ("illustrious", 6))
    ]
    made_for_anime = Card("wai", "/m/checkpoints/wai.safetensors", base_model="illustrious")
    jugger = Card("jugger", "/m/checkpoints/jugger.safetensors", base_model="sdxl")
    named = [replace(one, id=f"{one.base_model}-bear") for one in trained]
    library = Repository([*HERE, made_for_anime, jugger, *named], embedder=None)
    found = library.bases.alone(base_model, anime)
    assert (found.id if found else None) == expected
