"""What trainers and programs write into the safetensors header."""

from __future__ import annotations

import base64
import io
import json
import time
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from safetensors.numpy import save_file

from personalq.checkin.catalog.cards import Card
from personalq.checkin.index.repository import Repository
from personalq.checkin.readers.modelspec import trigger_in
from personalq.checkin.readers.previews import picture_in_header
from personalq.tests.checkin import make_files as make


def card_of(
    folder: Path, metadata: dict[str, str], name: str = "bear", base_model: str = "sd15"
) -> Card:
    make.make_lora(folder / f"{name}.safetensors", base_model, metadata)
    repository = Repository.open(folder, embedder=None)
    assert repository.notices == ()
    (card,) = repository.cards
    return card


def kohya(folders: dict[str, int], tags: dict[str, dict[str, int]]) -> dict[str, str]:
    dirs = {folder: {"n_repeats": 10, "img_count": count} for folder, count in folders.items()}
    return {"ss_dataset_dirs": json.dumps(dirs), "ss_tag_frequency": json.dumps(tags)}


@pytest.mark.parametrize(
    ("metadata", "triggers", "subjects"),
    [
        (kohya({"10_sks dog": 20}, {}), ("sks dog",), ("dog",)),
        (kohya({"10_sks dog": 20}, {"10_sks dog": {"sks dog": 20}}), ("sks dog",), ("dog",)),
        (kohya({"1_sks dog": 9}, {"1_sks dog": {"photo of sks dog": 5, "sks dog out": 4}}),
         ("sks dog",), ("dog",)),
        (kohya({"10_sks dog": 20}, {"10_sks dog": {"sks": 19, "brown fur": 20}}), ("sks",), ("dog",
         )),
        (kohya({"10_img": 20}, {"10_img": {"brown fur": 20, "lying": 18}}), (), ()),
        (kohya({"10_sks dog": 20}, {"10_sks dog": {"sks": 18, "brown fur": 20}}), (), ()),
        (kohya({"pictures": 20}, {"pictures": {"ohwx": 20}}), (), ()),
        (kohya({"1_ohwx": 20}, {"1_ohwx": {"ohwx": 20, "house": 19, "watercolor": 20}}), ("ohwx",),
         ("house",)),
        (kohya({"9_hero_(fate)": 9}, {"9_hero_(fate)": {"hero_(fate)": 5, r"hero \(fate\)": 4}}),
         ("hero (fate)",), ()),
    ],
    ids=["no captions", "caption is the folder", "within captions", "first word",
    "folder says nothing", "too few",
         "a tag alone", "things in captions", "parentheses"],
)  # fmt: skip
def test_kohya_folders_and_captions(
    tmp_path: Path, metadata: dict[str, str], triggers: tuple[str, ...], subjects: tuple[str, ...]
) -> None:
    card = card_of(tmp_path, metadata)
    assert (card.triggers, card.subjects) == (triggers, subjects)


@pytest.mark.parametrize("frequency", ["{", "[]", '{"10_img": {"a": ' + "1" * 4_300_000 + "}}"])
def test_folder_is_not_believed_when_its_captions_cannot_be_read(
    tmp_path: Path, frequency: str
) -> None:
    assert (
        card_of(tmp_path, kohya({"10_img": 20}, {}) | {"ss_tag_frequency": frequency}).triggers
        == ()
    )


def test_thousands_of_folders_take_no_time(tmp_path: Path) -> None:
    folders = {f"1_sks{number} dog": 20 for number in range(5000)}
    metadata = kohya(folders, {folder: {f"tag {folder}": 20} for folder in folders})
    start = time.process_time()
    assert len(card_of(tmp_path, metadata).triggers) <= 200
    assert time.process_time() - start < 2


def test_guesses_from_captions_are_marked(tmp_path: Path) -> None:
    tags = {"ohwx": 20, "house": 19, "watercolor": 20, "tree": 18}
    card = card_of(tmp_path, kohya({"10_ohwx": 20}, {"10_ohwx": tags}))
    assert (card.subjects, card.styles) == (("house",), ("watercolor",)), "a tree is in 90 % only"
    assert card.sources["subjects"] == card.sources["styles"] == "captions"


def test_kohya_datasets_name_the_class_and_leave_regularisation_out(tmp_path: Path) -> None:
    subsets = [
        {
            "img_count": 12,
            "num_repeats": 1,
            "image_dir": "mine",
            "class_tokens": "sks_teddy bear",
            "is_reg": False,
        },
        {
            "img_count": 99,
            "num_repeats": 1,
            "image_dir": "others",
            "class_tokens": "bear",
            "is_reg": True,
        },
    ]
    metadata = {"ss_datasets": json.dumps([{"is_dreambooth": True, "subsets": subsets}])}
    card = card_of(tmp_path, metadata | kohya({"mine": 12}, {"mine": {"sks teddy bear": 12}}))
    assert (card.triggers, card.subjects) == (("sks teddy bear",), ("teddy bear",))


@pytest.mark.parametrize(
    ("version", "base", "expected"),
    [
        ("sdxl_base_v1-0", "ponyDiffusionV6XL.safetensors", "pony"),
        ("sdxl_base_v1-0", "NoobAI-XL-v1.1.safetensors", "noobai"),
        ("sdxl_base_v1-0", "autismmixSDXL_autismmixPony.safetensors", "pony"),
        ("sdxl_base_v1-0", "pdxl.safetensors", "pony"),
        ("sdxl_base_v1-0", "ILXL_v1.safetensors", "illustrious"),
        ("sdxl_base_v1-0", "my_base.safetensors", "sdxl"),
        ("sd_v1", "ponyDiffusionV6XL.safetensors", "sd15"),
        ("flux1", "FLUX.1-schnell", "flux1-schnell"),
        ("flux_kontext", "x.safetensors", "flux1-kontext"),
        ("lumina2", "x.safetensors", "lumina"),
        ("hunyuan-image-2.1", "x.safetensors", "hunyuan-image"),
    ],
)
def test_kohya_base_model(tmp_path: Path, version: str, base: str, expected: str) -> None:
    card = card_of(tmp_path, {"ss_base_model_version": version, "ss_sd_model_name": base})
    assert (card.base_model, card.base) == (expected, base)


def test_comment_of_a_tool_is_no_description(tmp_path: Path) -> None:
    comment = "dimension is resized from 128 to 32; My plush bear"
    assert card_of(tmp_path, {"ss_training_comment": comment}).description == "My plush bear"


def test_musubi(tmp_path: Path) -> None:
    card = card_of(tmp_path, make.MUSUBI)
    assert (card.base_model, card.kind, card.triggers, card.description) == (
        "flux2-klein-4b",
        "lora",
        (),
        "",
    )
    assert card.created_at == datetime.fromisoformat("2025-04-11T07:36:40+00:00")


def test_onetrainer(tmp_path: Path) -> None:
    card = card_of(tmp_path, make.ONETRAINER, base_model="sdxl")
    assert (card.kind, card.base_model, card.base) == ("lora", "sdxl", "ponyRealism.safetensors")
    assert card.created_at == datetime(2025, 4, 11).astimezone()
    assert card.sha256 is None, "modelspec.hash_sha256 is a hash of the tensors"


def test_ai_toolkit(tmp_path: Path) -> None:
    card = card_of(tmp_path, make.AI_TOOLKIT, "bear_000001250")
    assert (card.triggers, card.base_model, card.version) == (("p3rs0n bear",), "flux1", "1250")


def test_tags_that_look_like_ai_toolkits_but_are_not(tmp_path: Path) -> None:
    metadata = {key: value for key, value in make.AI_TOOLKIT.items() if key != "software"}
    assert card_of(tmp_path, metadata).triggers == ()


def test_swarm_header(tmp_path: Path) -> None:
    card = card_of(tmp_path, make.SWARM_HEADER)
    assert (card.triggers, card.strength, card.base_model) == (("swrm bear",), 0.75, "flux1")
    assert card.description == "A bear you can hug; say <bear>"
    assert card.sha256 is None


def test_swarm_trigger_made_of_all_caption_tags_is_none(tmp_path: Path) -> None:
    tags = {"ss_tag_frequency": json.dumps({"10_x": {"solo": 20, "Bear": 3, "outdoors": 2}})}
    phrase = {"modelspec.trigger_phrase": "solo, bear, outdoors"}
    assert card_of(tmp_path, tags | phrase).triggers == ()


def test_additional_networks(tmp_path: Path) -> None:
    card = card_of(tmp_path, make.ADDITIONAL_NETWORKS)
    assert (card.triggers, card.version, card.styles) == (
        ("kwd bear", "plush"),
        "3",
        ("watercolor",),
    )
    assert card.subjects == ("teddy bear",)
    assert card.description == "Trained on my own bear"


@pytest.mark.parametrize(
    ("hint", "trigger"),
    [
        ("Trigger word: sks dog", "sks dog"),
        ("trigger words: sks dog, plush. Weight 0.8", "sks dog, plush"),
        ("Use keyword 'example'", "example"),
        ("The activation token is “ohwx man”", "ohwx man"),
        ("Activation is best at 0.8", None),
        ("No trigger word: just use it", None),
        ("Keywords are optional", None),
        ("", None),
    ],
)
def test_usage_hint(tmp_path: Path, hint: str, trigger: str | None) -> None:
    assert trigger_in(hint) == trigger
    card = card_of(tmp_path, {"modelspec.usage_hint": hint})
    assert card.triggers == tuple((trigger or "").split(", ") if trigger else ())


def test_a_header_of_nones_says_nothing(tmp_path: Path) -> None:
    keys = ("title", "description", "tags", "trigger_phrase", "architecture")
    card = card_of(tmp_path, {f"modelspec.{key}": "None" for key in keys})
    assert (card.title, card.description, card.tags, card.subjects) == ("", "", (), ())


def png() -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(stream, "png")
    return stream.getvalue()


def test_pictures_in_the_header_are_used_when_none_lies_beside(tmp_path: Path) -> None:
    encoded = base64.b64encode(png()).decode()
    metadata = {
        "modelspec.thumbnail": f"data:image/png;base64,{encoded}",
        "ssmd_cover_images": json.dumps([encoded, encoded]),
    }
    card = card_of(tmp_path, metadata)
    assert [preview.rpartition("#")[2] for preview in card.previews] == [
        "modelspec.thumbnail",
        "ssmd_cover_images",
    ]
    assert [picture_in_header(preview) for preview in card.previews] == [png(), png()]

    make.beside(tmp_path / "bear.safetensors", ".webp")
    (card,) = Repository.open(tmp_path, embedder=None).cards
    assert [Path(preview).name for preview in card.previews] == ["bear.webp"]


@pytest.mark.parametrize(
    "metadata",
    [
        {"modelspec.thumbnail": "https://image.example/1.png"},
        {"modelspec.thumbnail": "data:text/html;base64,AAAA"},
        {"ssmd_cover_images": "[]"},
        {"ssmd_cover_images": "[5]"},
        {"ssmd_cover_images": "{"},
        {"ssmd_cover_images": "[" * 50_000},
    ],
)
def test_what_is_no_picture_in_the_header(tmp_path: Path, metadata: dict[str, str]) -> None:
    assert card_of(tmp_path, metadata).previews == ()


def test_references_to_pictures_that_are_gone(tmp_path: Path) -> None:
    make.make_lora(
        tmp_path / "bear.safetensors", metadata={"modelspec.thumbnail": "data:image/png;base64,x"}
    )
    for path in (
        "bear.safetensors#modelspec.thumbnail",
        "gone.safetensors#ssmd_cover_images",
        "bear.safetensors#x",
        "",
    ):
        assert picture_in_header(str(tmp_path / path)) is None


HOSTILE = (
    *(
        "",
        "None",
        "null",
        "5",
        '"x"',
        "[]",
        "[5]",
        '[{"subsets": 5}]',
        '[{"subsets": [5]}]',
        '{"a": 5}',
        '{"1_a b": 5}',
    ),
    *(
        '{"1_a b": {"a b": "x"}}',
        '{"1_a b": {"a b": -1}}',
        '{"1_a b": {}}',
        '{"1_a b": {"a b": 1e999}}',
        "NaN",
        "\0",
    ),
    *(
        "{" * 100_000,
        "[" * 100_000,
        "9" * 5000,
        "\udbff\u202e",
        "x" * 300_000,
        "(" * 3000 + "1_",
        "trigger: " * 1000,
    ),
    *(
        "<b" * 30_000,
        "![" * 30_000,
        "<lora:evil:1>",
        "0001-01-01",
        "data:image/png;base64," + "=" * 1000,
    ),
)
KEYS = sorted(
    {
        *make.KOHYA,
        *make.MODELSPEC,
        *make.MUSUBI,
        *make.ONETRAINER,
        *make.AI_TOOLKIT,
        *make.SWARM_HEADER,
    }
    | {*make.ADDITIONAL_NETWORKS, "modelspec.thumbnail", "modelspec.usage_hint", "ss_v2"}
)


def test_hostile_values_in_every_key_cost_only_themselves(tmp_path: Path) -> None:
    for number, value in enumerate(HOSTILE):
        make.make_raw_lora(tmp_path / f"bear{number}x.safetensors", dict.fromkeys(KEYS, value))
    cards = Repository.open(tmp_path, embedder=None).cards
    assert len(cards) == len(HOSTILE), "every model is still there"
    for card in cards:
        assert card.kind == "lora"
        assert card.sha256 is None
        assert card.strength in (1.0, 5.0)
        assert len(card.description.encode()) <= 2048
        assert all(len(trigger) <= 64 for trigger in card.triggers)
        assert card.sources["created_at"] == "file time"


@pytest.mark.parametrize("header", ["ONETRAINER", "AI_TOOLKIT"])
def test_a_header_of_a_trainer_says_that_the_model_was_trained(tmp_path: Path, header: str) -> None:
    assert card_of(tmp_path, getattr(make, header)).origin == "trained"


def test_a_merge_was_made_by_the_user(tmp_path: Path) -> None:
    spec = {"modelspec.architecture": "stable-diffusion-v1", "modelspec.merged_from": "a, b"}
    assert card_of(tmp_path, spec).origin == "trained"


def test_a_folder_in_the_path_of_the_base_does_not_name_it(tmp_path: Path) -> None:
    base = {"ss_sd_model_name": r"D:\pony stuff\sd_xl_base_1.0.safetensors"}
    metadata = base | {"ss_base_model_version": "sdxl_base_v1-0"}
    assert card_of(tmp_path, metadata, base_model="sdxl").base_model == "sdxl"


@pytest.mark.parametrize(
    "name",
    [
        "transformer_blocks.0.attn.to_q.lora_A.default.weight",
        "blocks.0.self_attn.q.lora_A.default.weight",
        "diffusion_model.blocks.0.attn.q.lora_A",
        "unet.down_blocks.0.attentions.0.to_q.lora_linear_layer.down.weight",
        "unet.down_blocks.0.attentions.0.processor.to_q_lora.down.weight",
        "double_blocks.0.processor.qkv_lora1.down.weight",
    ],
)
def test_a_lora_is_one_in_the_names_of_every_trainer(tmp_path: Path, name: str) -> None:
    save_file({name: np.zeros((4, 64), np.float16)}, tmp_path / "bear.safetensors")
    (card,) = Repository.open(tmp_path, embedder=None).cards
    assert card.kind == "lora"
