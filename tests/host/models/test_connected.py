"""Test LoRAs on a connected model: of any class, with patches or not, and where they do not fit."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import comfy.lora
import comfy.model_base
import comfy.sd
import comfy.supported_models as supported
import comfy.utils
from comfy.model_patcher import LowVramPatch, ModelPatcher
from safetensors.torch import load_file, save_file

from personalq.checkin import Card, Repository
from personalq.checkin.catalog.connected import ConnectedModel
from personalq.nodes.host.models.connected import Connected, apply, connected_model
from personalq.nodes.host.models.load import source_key
from personalq.nodes.host.models.lora_fit import is_of_text, layers_of
from personalq.nodes.host.models.pool import POOL
from personalq.tests.host.narrow_sdxl import narrow
from personalq.tests.host.sampling import quantized, relative_error, sample

NOTHING_HERE = Repository([Card("a", kind="lora", base_model="sd15")], embedder=None)
SD15 = ConnectedModel(Card("base"), "sd15")
SDXL = ConnectedModel(Card("wide"), "sdxl")
RANK = 4


class OnTheFly(ModelPatcher):
    """A patcher that never changes a weight: patches are added when a layer runs, as GGUF's is."""

    def patch_weight_to_device(self, key, *args, return_weight=False, **kwargs):
        if return_weight:
            return super().patch_weight_to_device(key, *args, return_weight=True, **kwargs)
        if key in self.patches:
            layer = comfy.utils.get_attr(self.model, key.removesuffix(".weight"))
            layer.weight_function = [LowVramPatch(key, self.patches)]
            layer.comfy_cast_weights = True
        return None


def lora_card(path: Path, **more) -> Card:
    return Card(path.stem, path=str(path), kind="lora", base_model="sd15", **more)


def lora_of(model: ModelPatcher, part: str) -> dict[str, torch.Tensor]:
    """A random LoRA of the Linear layers of a model whose name contains `part`."""
    tensors = {}
    generator = torch.Generator().manual_seed(0)
    for key, weight in model.model.state_dict().items():
        if part in key and key.endswith(".weight") and weight.ndim == 2:
            layer = key.removeprefix("diffusion_model.").removesuffix(".weight")
            name = "lora_unet_" + layer.replace(".", "_")
            outputs, inputs = weight.shape
            down = torch.randn(RANK, inputs, generator=generator) * inputs**-0.5
            tensors[f"{name}.lora_down.weight"] = down
            tensors[f"{name}.lora_up.weight"] = 0.1 * torch.randn(
                outputs, RANK, generator=generator
            )
    return tensors


@pytest.fixture(scope="module")
def wide() -> ModelPatcher:
    return narrow("SDXL")


@pytest.fixture(scope="module")
def wide_lora(wide, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("wide") / "wide.safetensors"
    save_file(lora_of(wide, "attn2.to_"), path)
    return path


def wide_text(seed: int) -> list:
    generator = torch.Generator().manual_seed(seed)
    pooled = {"pooled_output": torch.randn(1, 1280, generator=generator)}
    return [[torch.randn(1, 77, 2048, generator=generator), pooled]]


def test_the_lora_comes_on_top_of_the_patches_that_are_there(base, lora, tree, negative):
    model, clip, vae = base
    before = model.clone()
    key = next(key for key in before.model.state_dict() if "attn2.to_q.weight" in key)
    shape = before.model.state_dict()[key].shape
    before.add_patches({key: ("diff", (torch.full(shape, 0.01),))}, 1.0)
    made, notices = apply(Connected(before, clip, vae), SD15, [lora_card(lora)])
    assert notices == []
    assert [len(before.patches[key]), len(made.model.patches[key])] == [1, 2]
    assert made.vae is vae
    theirs, _ = comfy.sd.load_lora_for_models(
        before, clip, comfy.utils.load_torch_file(str(lora)), 1.0, 1.0
    )
    assert torch.equal(sample(made.model, tree, negative), sample(theirs, tree, negative))
    assert relative_error(sample(made.model, tree, negative), sample(model, tree, negative)) > 0.05


def test_strength_and_further_loras(base, lora):
    cards = [lora_card(lora, strength=0.5), lora_card(lora)]
    made, _ = apply(Connected(*base), SD15, cards)
    (patches, *_) = made.model.patches.values()
    assert [patch[0] for patch in patches] == [0.5, 1.0]


def test_a_patcher_of_another_loader_keeps_its_class_and_way_to_patch(
    base, lora, tree, negative, base_file
):
    """As of GGUF files: weights stay as they are, and patches are added when layers run."""
    model, _, _ = comfy.sd.load_checkpoint_guess_config(str(base_file))[:3]
    theirs = model.clone()
    theirs.__class__ = OnTheFly
    before = {key: value.clone() for key, value in model.model.state_dict().items()}
    made, _ = apply(Connected(theirs, None, None), SD15, [lora_card(lora)])
    assert type(made.model) is OnTheFly
    expected, _ = apply(Connected(base[0], None, None), SD15, [lora_card(lora)])
    drawn = sample(made.model, tree, negative)
    assert all(torch.equal(model.model.state_dict()[key], one) for key, one in before.items())
    assert relative_error(drawn, sample(expected.model, tree, negative)) < 1e-4
    assert relative_error(drawn, sample(base[0], tree, negative)) > 0.05


def test_sdxl(wide, wide_lora):
    assert connected_model(wide, NOTHING_HERE).words == "for the connected SDXL model"
    made, notices = apply(Connected(wide, None, None), SDXL, [lora_card(wide_lora)])
    assert notices == []
    assert (made.clip, made.vae) == (None, None)
    positive, negative = wide_text(1), wide_text(2)
    drawn = sample(made.model, positive, negative, size=16)
    assert relative_error(drawn, sample(wide, positive, negative, size=16)) > 0.01


def test_taq_quantizes_what_comes_out(wide, wide_lora, base, lora, tree, negative):
    made, _ = apply(Connected(base[0], None, None), SD15, [lora_card(lora)])
    assert source_key(made.model) == source_key(base[0])
    error = relative_error(
        sample(quantized(made.model), tree, negative), sample(made.model, tree, negative)
    )
    assert 0 < error < 0.1
    made, _ = apply(Connected(wide, None, None), SDXL, [lora_card(wide_lora)])
    texts = wide_text(1), wide_text(2)
    exact = sample(made.model, *texts, size=16)
    assert 0 < relative_error(sample(quantized(made.model), *texts, size=16), exact) < 0.1


def test_a_lora_after_taq_runs_beside_the_quantized_weights(base, lora, tree, negative):
    made, notices = apply(Connected(quantized(base[0]), None, None), SD15, [lora_card(lora)])
    assert notices == []
    exact, _ = apply(Connected(base[0], None, None), SD15, [lora_card(lora)])
    drawn = sample(exact.model, tree, negative)
    assert relative_error(sample(made.model, tree, negative), drawn) < 0.1


@pytest.mark.parametrize("narrower", [False, True])
def test_a_lora_of_another_family_is_refused_with_the_next_step(wide, lora, tmp_path, narrower):
    if narrower:  # the names of layers agree, but not their sizes
        tensors = lora_of(wide, "attn2.to_")
        of = {name: one[:, 1:] if "lora_down" in name else one for name, one in tensors.items()}
        lora = tmp_path / "lora.safetensors"
        save_file({name: one.contiguous() for name, one in of.items()}, lora)
    message = (
        r"The LoRA 'lora' fits no layer of the connected SDXL model \(wide\): it was made for "
        r"SD 1.5. Disconnect `model` to load the LoRA on its own base checkpoint, or"
    )
    with pytest.raises(ValueError, match=message):
        apply(Connected(wide, None, None), SDXL, [lora_card(lora)])


def test_a_partial_fit_is_told_and_the_rest_is_left_out(base, lora, tmp_path, tree, negative):
    tensors = load_file(lora)
    first, second, *_ = (name for name in tensors if name.endswith("attn1_to_q.lora_down.weight"))
    tensors["lora_unet_elsewhere.lora_down.weight"] = torch.zeros(4, 4)
    tensors["lora_unet_elsewhere.lora_up.weight"] = torch.zeros(4, 4)
    tensors[first] = tensors[first][:, 1:].contiguous()
    path = tmp_path / "some.safetensors"
    save_file(tensors, path)
    of = len(layers_of(tensors))
    made, notices = apply(Connected(base[0], None, None), SD15, [lora_card(path)])
    assert notices == [
        f"The LoRA 'some' fits the connected SD 1.5 model (base) only in part: {of - 2} of its "
        f"{of} layers are applied."
    ]
    names = comfy.lora.model_lora_keys_unet(base[0].model, {})
    assert names[first.partition(".lora")[0]] not in made.model.patches
    assert names[second.partition(".lora")[0]] in made.model.patches
    assert sample(made.model, tree, negative).isfinite().all()


def test_a_lora_of_the_text_encoder_needs_clip(base, tmp_path):
    name = "lora_te_text_model_encoder_layers_0_self_attn_q_proj"
    tensors = {
        f"{name}.lora_down.weight": torch.randn(RANK, 768),
        f"{name}.lora_up.weight": torch.randn(768, RANK),
    }
    path = tmp_path / "words.safetensors"
    save_file(tensors, path)
    model, clip, vae = base
    with pytest.raises(ValueError, match="changes only the text encoder: connect `clip` too"):
        apply(Connected(model, None, vae), SD15, [lora_card(path)])
    made, notices = apply(Connected(model, clip, vae), SD15, [lora_card(path)])
    assert (len(made.clip.patcher.patches), notices) == (1, [])


def test_without_clip_only_the_models_layers_count(base, lora, tmp_path):
    name = "lora_te_text_model_encoder_layers_0_self_attn_q_proj"
    more = {
        f"{name}.lora_down.weight": torch.randn(RANK, 768).half(),
        f"{name}.lora_up.weight": torch.randn(768, RANK).half(),
    }
    path = tmp_path / "both.safetensors"
    save_file(load_file(lora) | more, path)
    made, notices = apply(Connected(base[0], None, None), SD15, [lora_card(path)])
    assert (bool(made.model.patches), notices) == (True, [])
    made, notices = apply(Connected(*base), SD15, [lora_card(path)])
    assert (len(made.clip.patcher.patches), notices) == (1, [])


@pytest.mark.parametrize(
    ("model", "clip", "vae", "named"),
    [(None, 1, None, "`clip`"), (None, None, 1, "`vae`"), (None, 1, 1, "`clip` and `vae`")],
)
def test_parts_without_a_model(model, clip, vae, named):
    with pytest.raises(ValueError, match=rf"^Connected: {named}, but no `model`\. Connect the"):
        Connected.of(model, clip, vae)
    assert Connected.of(None, None, None) is None


@pytest.mark.parametrize(
    ("kind", "base_model"),
    [
        ("SD15", "sd15"),
        ("SDXL", "sdxl"),
        ("SSD1B", "sdxl"),
        ("SDXLRefiner", None),
        ("FluxSchnell", "flux1-schnell"),
        ("Flux2", "flux2"),
        ("WAN21_I2V", "wan"),
        ("WAN22_T2V", "wan"),
        ("ZImage", "z-image"),
        ("QwenImage", "qwen-image"),
        ("Anima", "anima"),
        ("Stable_Zero123", None),
    ],
)
def test_the_hosts_class_tells_the_family(base, kind, base_model):
    """Of a model that no file is known of."""
    config = getattr(supported, kind).__new__(getattr(supported, kind))
    patcher = base[0].clone()
    patcher.cached_patcher_init = None
    patcher.model = torch.nn.Module()
    patcher.model.model_config = config
    config.unet_config = {}
    about = connected_model(patcher, NOTHING_HERE)
    assert about.base_model == base_model


def test_a_class_that_nobody_knows_takes_loras_whose_layers_it_has(lora, tmp_path):
    class Unheard(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.diffusion_model = torch.nn.ModuleDict({"mixer": torch.nn.Linear(8, 8)})
            self.model_config = type("Config", (), {"unet_config": {}})()

    patcher = ModelPatcher(Unheard(), torch.device("cpu"), torch.device("cpu"))
    own = tmp_path / "own.safetensors"
    save_file(lora_of(patcher, "mixer"), own)
    broken = tmp_path / "broken.safetensors"
    broken.write_bytes(b"no header")
    cards = [
        Card("1", path=str(own), kind="lora", base_model="unheard-2"),
        Card("2", path=str(lora), kind="lora", base_model="sd15"),
        Card("3", path=str(broken), kind="lora", base_model="sdxl"),
        Card("4", kind="lora", base_model="flux1"),
    ]
    about = connected_model(patcher, Repository(cards, embedder=None))
    assert (about.base_model, about.fitting) == (None, {"unheard-2"})
    assert about.takes(None)
    made, notices = apply(Connected(patcher, None, None), about, cards[:1])
    assert (len(made.model.patches), notices) == (1, [])


def test_the_pool_does_not_keep_the_connected_model(lora, base_file):
    model, clip, vae = comfy.sd.load_checkpoint_guess_config(str(base_file))[:3]
    made, _ = apply(Connected(model, clip, vae), SD15, [lora_card(lora)])
    gone = [weakref.ref(one) for one in (model.model, made.model, clip.patcher.model)]
    before = POOL.bytes
    del model, clip, vae, made
    gc.collect()
    assert [one() for one in gone] == [None] * 3
    assert POOL.bytes == before, "what the pool has of it are the LoRA's own tensors"


def test_a_file_that_is_gone(base, tmp_path):
    with pytest.raises(FileNotFoundError, match="The file of 'away' is gone"):
        apply(Connected(*base), SD15, [lora_card(tmp_path / "away.safetensors")])


@pytest.mark.parametrize(
    ("name", "layer"),
    [
        ("lora_unet_a_b.lora_up.weight", "lora_unet_a_b"),
        ("lora_unet_a_b.alpha", "lora_unet_a_b"),
        ("diffusion_model.a.b.lora_A.weight", "diffusion_model.a.b"),
        ("unet.a.processor.to_q_lora.up.weight", "unet.a.processor.to_q"),
        ("lycoris_a.lokr_w1", "lycoris_a"),
        ("diffusion_model.a.diff_b", "diffusion_model.a"),
    ],
)
def test_layers_as_trainers_name_them(name, layer):
    assert layers_of([name, "bundle_emb.x.string_to_param.*"]) == {layer}


@pytest.mark.parametrize("layer", ["lora_te_a", "lora_te2_a", "text_encoder.a", "lora_prior_te_a"])
def test_layers_of_text_encoders(layer):
    assert is_of_text(layer)
    assert not is_of_text("lora_unet_" + layer)
