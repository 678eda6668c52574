"""Test each source alone: the fields from a model file and from one file beside it."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from personalq.checkin.catalog.cards import Card
from personalq.checkin.index.repository import Repository
from personalq.tests.checkin import make_files as make

AWARE = datetime.fromisoformat


def only_card(folder: Path) -> Card:
    repository = Repository.open(folder, embedder=None)
    assert repository.notices == ()
    (card,) = repository.cards
    return card


def notices_of(folder: Path) -> tuple[str, ...]:
    return Repository.open(folder, embedder=None).notices


def test_kohya(tmp_path: Path) -> None:
    make.make_lora(tmp_path / "plushbear.safetensors", metadata=make.KOHYA)
    card = only_card(tmp_path)
    assert (card.kind, card.base_model, card.base) == (
        "lora",
        "sd15",
        "v1-5-pruned-emaonly.safetensors",
    )
    assert card.triggers == ("sks teddy bear",)
    assert card.subjects == ("teddy bear",)
    assert card.created_at == AWARE("2025-04-11T09:00:00.25+00:00")
    assert card.description == "A small plush teddy bear, tan with a cream snout"
    assert card.sha256 is None, "sshs_model_hash is a hash of the tensors, not of the file"
    assert card.sources["created_at"] == card.sources["triggers"] == "safetensors"


def test_modelspec(tmp_path: Path) -> None:
    make.make_lora(tmp_path / "wtr.safetensors", "sdxl", make.MODELSPEC)
    card = only_card(tmp_path)
    assert (card.kind, card.base_model, card.triggers) == ("lora", "sdxl", ("wtrclr bear",))
    assert card.subjects == ("teddy bear",)
    assert card.styles == ("watercolor",)
    assert card.created_at == datetime(2025, 4, 11, 9, 30).astimezone(), "no zone means local time"


def test_kohya_and_modelspec_in_one_header(tmp_path: Path) -> None:
    make.make_lora(tmp_path / "both.safetensors", "sdxl", make.KOHYA | make.MODELSPEC)
    card = only_card(tmp_path)
    assert card.triggers == ("wtrclr bear",)
    assert card.subjects == ("teddy bear",)
    assert card.base_model == "sdxl"
    assert card.base == "v1-5-pruned-emaonly.safetensors"
    assert card.created_at == AWARE("2025-04-11T09:00:00.25+00:00"), (
        "the time with a zone goes before the one without"
    )


@pytest.mark.parametrize("base_model", ["sd15", "sd2", "sdxl"])
def test_silent_headers_are_known_by_their_tensors(tmp_path: Path, base_model: str) -> None:
    make.make_checkpoint(tmp_path / "a.safetensors", base_model)
    make.make_lora(tmp_path / "b.safetensors", base_model)
    cards = Repository.open(tmp_path, embedder=None).cards
    assert [(card.kind, card.base_model) for card in cards] == [
        ("checkpoint", base_model),
        ("lora", base_model),
    ]


@pytest.mark.parametrize(
    ("names", "width", "expected"),
    [
        (["lora_unet_double_blocks_0_img_attn_qkv", "lora_unet_single_blocks_37_linear1"], 3072,
         "flux1"),
        (["lora_unet_double_blocks_4_img_attn_qkv", "lora_unet_single_blocks_19_linear1"], 3072,
         "flux2-klein-4b"),
        (["diffusion_model.double_blocks.7.img_attn.qkv"], 4096, "flux2-klein-9b"),
        (["lora_unet_double_blocks_7_img_attn_qkv"], 6144, "flux2"),
        (["lora_unet_double_blocks_19_img_attn_qkv"], 3072, "hunyuan-video"),
        (["transformer.single_transformer_blocks.0.attn.to_q"], 3072, "flux1"),
        (["lora_unet_transformer_blocks_0_img_mlp_net_2",
         "lora_unet_transformer_blocks_0_txt_mlp_net_2"], 3072,
         "qwen-image"),
        (["lora_unet_blocks_0_cross_attn_q"], 1536, "wan21-1.3b"),
        (["diffusion_model.blocks.0.self_attn.q"], 5120, "wan"),
        (["transformer.blocks.0.attn1.to_q"], 5120, "wan"),
        (["transformer.transformer_blocks.0.attn1.to_q"], 3072, None),
        (["transformer.joint_transformer_blocks.0.attn.to_q",
          "transformer.single_transformer_blocks.0.attn.to_q"], 3072, "auraflow"),
        (["diffusion_model.layers.0.attention.qkv"], 3840, "z-image"),
        (["diffusion_model.layers.0.attention.to_q"], 2304, "lumina"),
        (["transformer.transformer_blocks.0.attn2.to_k"], 2048, None),
    ],
)  # fmt: skip
def test_transformers_are_known_by_width_and_depth(
    tmp_path: Path, names: list[str], width: int, expected: str | None
) -> None:
    make.make_transformer_lora(tmp_path / "bear.safetensors", names, width)
    card = only_card(tmp_path)
    assert (card.kind, card.base_model) == ("lora", expected)


def test_civitai_info(tmp_path: Path) -> None:
    make.beside(make.make_lora(tmp_path / "bear.safetensors"), ".civitai.info", make.CIVITAI)
    card = only_card(tmp_path)
    assert card.triggers == ("<bear-v2>", "plush", "tan fur")
    assert (card.version, card.base_model, card.sha256) == ("2.1", "sd15", "ab" * 32)
    assert card.description == "Now with softer fur & eyes. 600 steps", (
        "text without tags and scripts"
    )
    assert card.created_at == AWARE("2025-03-02T10:11:12.345+00:00")
    assert (card.subjects, card.styles) == (("teddy bear",), ("anime",)), "'cute' is neither"
    assert card.sources["description"] == "civitai.info"


def test_lora_manager(tmp_path: Path) -> None:
    make.beside(make.make_lora(tmp_path / "bear.safetensors"), ".metadata.json", make.LORA_MANAGER)
    card = only_card(tmp_path)
    assert (card.strength, card.sha256, card.description) == (0.8, "ab" * 32, "A bear you can hug.")
    assert card.triggers[0] == "<bear-v2>"
    assert card.styles == ("watercolor",)
    assert card.created_at == AWARE("2025-03-02T10:11:12.345+00:00")
    assert card.sources["strength"] == "metadata.json"


def test_import_time_is_no_creation_time(tmp_path: Path) -> None:
    own = {key: value for key, value in make.LORA_MANAGER.items() if key != "civitai"}
    make.beside(
        make.make_lora(tmp_path / "bear.safetensors"),
        ".metadata.json",
        own | {"ImportedAt": "2020-01-01"},
    )
    assert only_card(tmp_path).sources["created_at"] == "file time"


def test_a1111(tmp_path: Path) -> None:
    make.beside(make.make_lora(tmp_path / "bear.safetensors"), ".json", make.A1111)
    card = only_card(tmp_path)
    assert card.triggers == ("sks bear", "plush")
    assert card.strength == 0.7
    assert card.description == "my bear works best at night"
    assert card.base_model == "sd15", "the tensors know better than the notes"


def test_a1111_weight_zero_is_none(tmp_path: Path) -> None:
    make.beside(
        make.make_lora(tmp_path / "bear.safetensors"), ".json", make.A1111 | {"preferred weight": 0}
    )
    assert only_card(tmp_path).strength == 1.0


def test_own_sidecar_goes_first_and_stays_text(tmp_path: Path) -> None:
    model = make.make_lora(tmp_path / "bear_v2.safetensors", metadata=make.KOHYA)
    make.beside(model, ".civitai.info", make.CIVITAI)
    make.beside(model, ".metadata.json", make.LORA_MANAGER)
    make.beside(model, ".json", make.A1111)
    make.beside(
        model,
        ".PersonalQ.yaml",
        "id: whatever\ntriggers: <bear-v4>\nsubjects: [bear, teddy bear]\nstyles:\n  - no\n  - 3D "
        "render\ndescription: >\n  A plush\n  <bear-v4>\nversion: 1.10\ncreated_at: "
        "2025-04-11\nstrength: 0.5\nbase: toybase\n",
    )
    card = only_card(tmp_path)
    assert card.id == "bear_v2"
    assert card.triggers == ("<bear-v4>",)
    assert card.subjects == ("bear", "teddy bear")
    assert card.styles == ("no", "3D render")
    assert card.version == "1.10"
    assert card.strength == 0.5
    assert card.description == "A plush <bear-v4>"
    assert card.base == "toybase"
    assert card.created_at == datetime(2025, 4, 11).astimezone(), (
        "a day alone is its midnight, local time"
    )
    assert {
        card.sources[name] for name in ("triggers", "styles", "version", "created_at", "base")
    } == {"sidecar"}
    assert card.sources["sha256"] == "metadata.json", (
        "what the sidecar leaves open comes from the next source"
    )


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("2025-04-11T09:30:00+02:00", AWARE("2025-04-11T09:30:00+02:00")),
        ("2025-04-11T07:30:00Z", AWARE("2025-04-11T07:30:00+00:00")),
        ("2025-04-11 09:30", datetime(2025, 4, 11, 9, 30).astimezone()),
        ("2025/4/1", datetime(2025, 4, 1).astimezone()),
        ("1744362000250", AWARE("2025-04-11T09:00:00.250+00:00")),
    ],
)
def test_dates(tmp_path: Path, said: str, meant: datetime) -> None:
    make.beside(
        make.make_lora(tmp_path / "bear.safetensors"), ".personalq.yaml", f"created_at: {said}"
    )
    card = only_card(tmp_path)
    assert card.created_at == meant
    assert card.created_at.utcoffset() is not None


def test_without_any_source_the_file_itself_speaks(tmp_path: Path) -> None:
    model = make.make_lora(tmp_path / "bear_v3.safetensors")
    card = only_card(tmp_path)
    assert card.version == "3"
    assert card.sources["version"] == "file name"
    assert card.sources["created_at"] == "file time"
    assert card.created_at.timestamp() == pytest.approx(model.stat().st_mtime, abs=1e-3)


@pytest.mark.parametrize(
    ("ending", "content", "notice"),
    [
        (".personalq.yaml", "triggers: [a\nversion: 2", "broken YAML in line 2"),
        (".personalq.yaml", "version: 1\nstyles: *x", "broken YAML in line 2: aliases"),
        (".personalq.yaml", "version: 1\nversion: 2", "a key is there twice"),
        (".personalq.yaml", "styles: " + "[" * 30 + "]" * 30, "nested too deep"),
        (".personalq.yaml", "just words", "expected lines of `key: value`"),
        (".personalq.yaml", "version: \x01", "broken YAML: special characters"),
        (".personalq.yaml", b"version: \xff", "not UTF-8 text"),
        (".personalq.yaml", "description: " + "x" * 70_000, "larger than 65,536 bytes"),
        (
            ".personalq.yaml",
            "trigers: <bear>",
            "unknown key 'trigers'; the keys are triggers, subjects",
        ),
        (
            ".personalq.yaml",
            "created_at: April",
            "created_at: 'April' is no date: expected a date like 2025-04-11",
        ),
        (".personalq.yaml", "strength: strong", "strength: 'strong' is no number from -10 to 10"),
        (".personalq.yaml", "kind: vae", "kind: 'vae' is neither checkpoint nor lora"),
        (".personalq.yaml", "sha256: abc", "sha256: expected the 64 hexadecimal digits"),
        (".personalq.yaml", "styles: {a: b}", "styles: expected a text or a list of texts"),
        (".personalq.yaml", "triggers: <lora:evil:1>", "trigger '<lora:evil:1>' dropped"),
        (".personalq.yaml", "triggers: embedding:evil", "trigger 'embedding:evil' dropped"),
        (".personalq.yaml", "triggers: " + "x" * 121, "dropped: it has more than 120 characters"),
        (
            ".personalq.yaml",
            "previews: ../../etc/secret.png",
            "preview '../../etc/secret.png' not used",
        ),
        (".personalq.yaml", "previews: /etc/secret.png", "preview '/etc/secret.png' not used"),
        (".personalq.yaml", "previews: gone.png", "preview 'gone.png' is not there"),
        (".civitai.info", "{\n'a'", "broken JSON in line 2"),
        (".civitai.info", "[" * 200_000, "nested too deep"),
        (".civitai.info", " \n", "it is empty; not read"),
        (".metadata.json", "[1]", "expected a JSON object"),
        (".metadata.json", {"tags": 5}, "expected a text or a list of texts"),
        (".json", b"\xff{}", "not UTF-8 text"),
        (".json", {"activation text": 5}, "triggers: expected a text or a list of texts"),
        (".json", "x" * (4 * 1024 * 1024 + 1), "larger than 4,194,304 bytes"),
    ],
)
def test_bad_sidecar_costs_only_itself(
    tmp_path: Path, ending: str, content: Any, notice: str
) -> None:
    model = make.make_lora(tmp_path / "sub" / "bear.safetensors", metadata=make.KOHYA)
    sidecar = make.beside(model, ending, content)
    repository = Repository.open(tmp_path, embedder=None)
    (said,) = repository.notices
    assert said.startswith(f"sub/{sidecar.name}: ")
    assert notice in said
    assert repository.cards[0].triggers == ("sks teddy bear",), (
        "the model and its other sources are still there"
    )


def test_yaml_alias_bomb_is_refused_at_once(tmp_path: Path) -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{new}: &{new} [*{old}, *{old}]\n" for old, new in pairwise("abcdefghi")
    )
    make.beside(make.make_lora(tmp_path / "bear.safetensors"), ".personalq.yaml", bomb)
    (said,) = notices_of(tmp_path)
    assert "broken YAML in line 2: aliases" in said


def test_yaml_tags_run_nothing(tmp_path: Path) -> None:
    evil = "description: !!python/object/apply:os.system ['touch evil']"
    make.beside(make.make_lora(tmp_path / "bear.safetensors"), ".personalq.yaml", evil)
    (said,) = notices_of(tmp_path)
    assert "description: expected a text" in said
    assert not (tmp_path / "evil").exists()


def test_one_bad_trigger_does_not_cost_the_good_ones(tmp_path: Path) -> None:
    make.beside(
        make.make_lora(tmp_path / "b.safetensors"),
        ".personalq.yaml",
        "triggers: ['{a|b}', <bear>, élan]",
    )
    repository = Repository.open(tmp_path, embedder=None)
    assert repository.cards[0].triggers == ("<bear>", "élan")
    assert len(repository.notices) == 1


def test_hidden_characters_are_removed_and_length_is_capped(tmp_path: Path) -> None:
    text = "be\u202ear\u2069 \u200bwith\x07 a\n\n hat " + "é" * 3000
    make.beside(make.make_lora(tmp_path / "bear.safetensors"), ".json", {"description": text})
    description = only_card(tmp_path).description
    assert description.startswith("bear with a hat é")
    assert len(description.encode()) <= 2048


def test_own_previews_below_the_folder(tmp_path: Path) -> None:
    model = make.make_lora(tmp_path / "bear.safetensors")
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a, b.png").write_bytes(b"")
    make.beside(model, ".png")
    make.beside(model, ".personalq.yaml", "previews: 'pictures/a, b.png'")
    assert only_card(tmp_path).previews == (str(tmp_path / "pictures" / "a, b.png"),)


def test_previews_are_found_in_any_case_best_first(tmp_path: Path) -> None:
    model = make.make_lora(tmp_path / "Bear [v2].safetensors")
    for ending in (".thumb.jpg", ".JPEG", ".Preview.PNG"):
        make.beside(model, ending)
    assert [Path(found).name for found in only_card(tmp_path).previews] == [
        "Bear [v2].Preview.PNG",
        "Bear [v2].JPEG",
        "Bear [v2].thumb.jpg",
    ]


@pytest.mark.parametrize(
    ("ending", "said", "expected"),
    [
        (".metadata.json", {"usage_tips": '{"strength": 0.8, "strength_min": 0.2}'}, 0.8),
        (".metadata.json", {"usage_tips": '{"strength_min": 0.6, "strength_max": "1"}'}, 0.8),
        (".metadata.json", {"usage_tips": '{"strength_range": "0.6-0.9"}'}, 0.75),
        (".metadata.json", {"usage_tips": '{"strength": 0, "clip_strength": 0.5}'}, 1.0),
        (".metadata.json", {"civitai": {"settings": {"strength": 0.7}}}, 0.7),
        (".civitai.info", {"settings": {"minStrength": 0.4, "maxStrength": 0.8}}, 0.6),
        (".civitai.info", {"settings": {"minStrength": "low"}}, 1.0),
        (".safetensors.rgthree-info.json", {"strengthMin": 0.5, "strengthMax": 1.0}, 0.75),
        (".safetensors.rgthree-info.json", {"strengthMin": 0.5, "strengthMax": None}, 1.0),
    ],
)
def test_a_recommended_strength(tmp_path: Path, ending: str, said: dict, expected: float) -> None:
    make.beside(make.make_lora(tmp_path / "bear.safetensors"), ending, said)
    assert only_card(tmp_path).strength == expected
