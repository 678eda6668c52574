"""Test a user's checkpoint, with tiny files in the layouts of SD 1.5 and SDXL."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from PIL import Image
from safetensors.torch import save_file

from personalq.bench.baselines.method import Bits
from personalq.bench.baselines.taq import TAQ
from personalq.bench.evidence import checkpoint_trials
from personalq.bench.evidence.checkpoint import ARCHITECTURES, Architecture, Loading, load
from personalq.bench.evidence.compare import Variant, compare, key
from personalq.bench.evidence.options import OWN, QUICK, Checkpoint
from personalq.bench.evidence.real_pictures import batches, pictures_in
from personalq.bench.evidence.resumable_run import ResumableRun
from personalq.bench.evidence.text_encoders import clip_g, clip_l, from_open_clip
from personalq.bench.evidence.world_trials import Size
from personalq.bench.skeleton import random_half
from personalq.bench.unet_shapes import UNetConfig, unet_shapes

_TEXT = {
    **{
        "vocab_size": 49408,
        "max_position_embeddings": 77,
        "bos_token_id": 49406,
        "eos_token_id": 49407,
    },
    **{"num_hidden_layers": 2, "num_attention_heads": 2},
}
SMALL = _TEXT | {
    "hidden_size": 32,
    "intermediate_size": 64,
    "hidden_act": "quick_gelu",
    "projection_dim": 32,
}
BIG = _TEXT | {
    "hidden_size": 48,
    "intermediate_size": 64,
    "hidden_act": "gelu",
    "projection_dim": 16,
}
_VAE = {
    **{
        "block_out_channels": [32],
        "layers_per_block": 1,
        "latent_channels": 4,
        "scaling_factor": 0.5,
    },
    **{"down_block_types": ["DownEncoderBlock2D"], "up_block_types": ["UpDecoderBlock2D"]},
}
_UNET = {
    "sample_size": 4,
    "block_out_channels": [32, 32],
    "layers_per_block": 1,
    "down_block_types": ["DownBlock2D", "CrossAttnDownBlock2D"],
    "up_block_types": ["CrossAttnUpBlock2D", "UpBlock2D"],
    "attention_head_dim": 4,
}
_SDXL_UNET = {
    **{
        "use_linear_projection": True,
        "addition_embed_type": "text_time",
        "addition_time_embed_dim": 8,
    },
    **{"projection_class_embeddings_input_dim": 64, "cross_attention_dim": 80},
}
TINY = {
    "sd15": Architecture(_UNET | {"cross_attention_dim": 32}, _VAE, (SMALL,), 16, 1),
    "sdxl": Architecture(_UNET | _SDXL_UNET, _VAE, (SMALL, BIG), 16, 1),
}
_SHAPES = {
    "sd15": UNetConfig((1, 1), 1, (0, 1), 1, 32, model_channels=32),
    "sdxl": UNetConfig((1, 1), 1, (0, 1), 1, 80, True, 64, 32),
}


def vae_shapes(width: int = 32) -> dict[str, tuple[int, ...]]:
    """Of an autoencoder with one level, in the layout of Rombach et al. (2022)."""
    shapes: dict[str, tuple[int, ...]] = {}

    def layer(name: str, *shape: int) -> None:
        shapes[f"{name}.weight"], shapes[f"{name}.bias"] = shape, (shape[0],)

    def block(name: str) -> None:
        for part in "12":
            layer(f"{name}.norm{part}", width)
            layer(f"{name}.conv{part}", width, width, 3, 3)

    for half, ends, blocks in (
        ("encoder", (3, 8), ["down.0.block.0"]),
        ("decoder", (4, 3), ["up.0.block.0", "up.0.block.1"]),
    ):
        layer(f"{half}.conv_in", width, ends[0], 3, 3)
        for name in (*blocks, "mid.block_1", "mid.block_2"):
            block(f"{half}.{name}")
        layer(f"{half}.mid.attn_1.norm", width)
        for part in ("q", "k", "v", "proj_out"):
            layer(f"{half}.mid.attn_1.{part}", width, width, 1, 1)
        layer(f"{half}.norm_out", width)
        layer(f"{half}.conv_out", ends[1], width, 3, 3)
    layer("quant_conv", 8, 8, 1, 1)
    layer("post_quant_conv", 4, 4, 1, 1)
    return shapes


def text_model(kind: str, config: dict):
    import transformers

    torch.manual_seed(3)
    return getattr(transformers, kind)(transformers.CLIPTextConfig(**config)).eval()


def in_open_clip_names(model) -> dict[str, torch.Tensor]:
    """The reverse of `from_open_clip`, for one model."""
    state = {name.removeprefix("text_model."): value for name, value in model.state_dict().items()}
    found = {
        "token_embedding.weight": state["embeddings.token_embedding.weight"],
        "positional_embedding": state["embeddings.position_embedding.weight"],
        "ln_final.weight": state["final_layer_norm.weight"],
        "ln_final.bias": state["final_layer_norm.bias"],
        "text_projection": state["text_projection.weight"].T,
    }
    names = {"attn.out_proj": "self_attn.out_proj", "ln_1": "layer_norm1", "ln_2": "layer_norm2"}
    names |= {"mlp.c_fc": "mlp.fc1", "mlp.c_proj": "mlp.fc2"}
    for n in range(2):
        old, new = f"encoder.layers.{n}", f"transformer.resblocks.{n}"
        for kind in ("weight", "bias"):
            thirds = [state[f"{old}.self_attn.{part}_proj.{kind}"] for part in "qkv"]
            found[f"{new}.attn.in_proj_{kind}"] = torch.cat(thirds)
            found |= {
                f"{new}.{ours}.{kind}": state[f"{old}.{theirs}.{kind}"]
                for ours, theirs in names.items()
            }
    return {name: value.contiguous() for name, value in found.items()}


def write(file: Path, kind: str) -> Path:
    fill = random_half(0)
    state = {
        f"model.diffusion_model.{n}": fill(n, s) for n, s in unet_shapes(_SHAPES[kind]).items()
    }
    state |= {f"first_stage_model.{n}": fill(n, s) for n, s in vae_shapes().items()}
    small = {
        f"text_model.{n.removeprefix('text_model.')}": v
        for n, v in text_model("CLIPTextModel", SMALL).state_dict().items()
    }
    prefix = (
        "cond_stage_model.transformer."
        if kind == "sd15"
        else "conditioner.embedders.0.transformer."
    )
    state |= {prefix + name: value.contiguous() for name, value in small.items()}
    if kind == "sdxl":
        big = in_open_clip_names(text_model("CLIPTextModelWithProjection", BIG))
        state |= {f"conditioner.embedders.1.model.{name}": value for name, value in big.items()}
    save_file(state, file)
    return file


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("checkpoints")
    return {kind: write(folder / f"{kind}.safetensors", kind) for kind in TINY}


def loading(kind: str, turbo: bool = False) -> Loading:
    return Loading("sks", "dog", turbo, steps=2, side=16, architecture=TINY[kind])


def test_clip_l_is_the_same_model():
    model = text_model("CLIPTextModel", SMALL)
    numbers = torch.randint(0, 49406, (2, 77))
    state = {f"x.{name}": value for name, value in model.state_dict().items()}
    assert torch.equal(
        clip_l(state, "x.", SMALL)(numbers).last_hidden_state, model(numbers).last_hidden_state
    )
    del state["x.final_layer_norm.bias"]
    with pytest.raises(ValueError, match="lacks 1 weights"):
        clip_l(state, "x.", SMALL)


def test_clip_g_is_the_same_model():
    model = text_model("CLIPTextModelWithProjection", BIG)
    numbers = torch.randint(0, 49406, (2, 77))
    numbers[:, 50] = 49407
    state = {f"x.{name}": value for name, value in in_open_clip_names(model).items()}
    found, wanted = clip_g(state, "x.", BIG)(numbers), model(numbers)
    assert torch.allclose(found.text_embeds, wanted.text_embeds, atol=1e-6)
    assert len(from_open_clip(in_open_clip_names(model))) == len(model.state_dict())


def test_sd15(files):
    subject = load(files["sd15"], loading("sd15"))
    encoded = subject.encode(["a photo of a sks dog", ""])
    assert encoded.rows.shape == (2, 77, 32)
    assert encoded.marks[0].nonzero()[:2, 0].tolist() == [5, 7]
    assert encoded.added is None
    assert subject.decode(torch.randn(2, *subject.latent)).shape == (2, 3, 16, 16)
    assert (subject.steps, subject.guidance, subject.latent) == (2, 7.5, (4, 16, 16))


def test_sdxl_joins_two_encoders_and_adds_pooled_text_and_sizes(files):
    subject = load(files["sdxl"], loading("sdxl", turbo=True))
    encoded = subject.encode(["a photo of a sks dog", ""])
    assert encoded.rows.shape == (2, 77, 80)
    assert encoded.added["text_embeds"].shape == (2, 16)
    assert encoded.added["time_ids"].tolist() == [[16, 16, 0, 0, 16, 16]] * 2
    assert (subject.steps, subject.guidance) == (4, 1.0)
    assert not torch.equal(encoded.added["text_embeds"][0], encoded.added["text_embeds"][1])


@pytest.mark.parametrize(("kind", "turbo"), [("sd15", False), ("sdxl", False), ("sdxl", True)])
def test_a_table_on_a_checkpoint(files, tmp_path, kind, turbo):
    own = Checkpoint(files[kind], loading(kind, turbo))
    sources = checkpoint_trials.sources(own, Size(1, 2, 2, 1))
    run = ResumableRun(tmp_path / "out.json", {})
    variant = Variant(TAQ(), Bits(8, 8))
    compare(run, sources, [variant])
    metrics = run.measurements[key(kind, variant.name)]["figures"]
    branches = {"eps cond"} if turbo else {"eps cond", "eps uncond", "eps guided"}
    assert set(metrics) == {"PSNR", "SSIM"} | branches
    assert all(0 < error < 0.5 for error in metrics["eps cond"])
    assert all(value > 10 for value in metrics["PSNR"])


def test_seven_of_ten_calibration_captions_have_the_trigger(files):
    own = Checkpoint(files["sd15"], loading("sd15"), "coco")
    trial = checkpoint_trials.sources(own, OWN)[0].load()
    captions = [case.prompt for case in trial.calibration_cases]
    assert len(captions) == len(set(captions)) == 64
    assert sum("sks" in caption for caption in captions) == 44
    assert all("dog" in caption for caption in captions)


def test_captions_get_the_subject_appended(files):
    """They are spread over the set; scores that do not know the trigger get them without it."""
    own = Checkpoint(files["sd15"], loading("sd15"), "parti")
    cases = checkpoint_trials.sources(own, Size(1, 4, 2, 1))[0].load().cases
    assert cases[0].prompt == "bond, sks dog"
    assert cases[0].shows["text"] == "bond, dog"
    assert all(case.prompt.endswith(", sks dog") for case in cases)
    assert len({case.prompt for case in cases}) == 4


def test_prompts_of_a_users_file(files, tmp_path):
    (tmp_path / "mine.txt").write_text("A sks dog, asleep.\n\nSomeone rows. \n", "utf-8")
    own = Checkpoint(files["sd15"], loading("sd15"), str(tmp_path / "mine.txt"))
    cases = checkpoint_trials.sources(own, Size(1, 3, 2, 1))[0].load().cases
    assert [case.prompt for case in cases] == [
        "A sks dog, asleep.",
        "Someone rows, sks dog",
        "A sks dog, asleep.",
    ]


def test_real_pictures_need_a_score_and_a_folder(files, tmp_path):
    own = Checkpoint(files["sd15"], loading("sd15"), real=tmp_path)
    with pytest.raises(ValueError, match="add --scores fid"):
        checkpoint_trials.sources(own, QUICK)
    with pytest.raises(ValueError, match="holds 0 pictures"):
        pictures_in(tmp_path)


def test_real_pictures_are_squares_of_one_size(tmp_path):
    for n, size in enumerate([(40, 20), (16, 64), (32, 32)]):
        Image.new("RGB", size, (255, 0, 51 * n)).save(tmp_path / f"{n}.png")
    (tmp_path / "notes.txt").write_text("no picture")
    read = torch.cat(list(batches(pictures_in(tmp_path), 24)))
    assert read.shape == (3, 3, 24, 24)
    assert torch.allclose(read[:, :, 0, 0], torch.tensor([[1, 0, 0], [1, 0, 0.2], [1, 0, 0.4]]))


def test_what_is_no_checkpoint(tmp_path):
    with pytest.raises(ValueError, match="there is no checkpoint"):
        load(tmp_path / "none.safetensors", Loading("sks", "dog"))
    save_file({"lora.down": torch.zeros(1)}, tmp_path / "lora.safetensors")
    with pytest.raises(ValueError, match="no whole SD1"):
        load(tmp_path / "lora.safetensors", Loading("sks", "dog"))


def test_published_configurations():
    assert (
        ARCHITECTURES["sd15"].texts[0]["hidden_size"]
        == ARCHITECTURES["sd15"].unet["cross_attention_dim"]
    )
    widths = [text["hidden_size"] for text in ARCHITECTURES["sdxl"].texts]
    assert sum(widths) == ARCHITECTURES["sdxl"].unet["cross_attention_dim"]
