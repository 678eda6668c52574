"""Files of tiny split models: the layout of real ones, and random weights."""

from __future__ import annotations

import base64
import io
import json
import re
from pathlib import Path

import sentencepiece
import torch
from safetensors.torch import save_file
from torch import Tensor

from personalq.checkin.index.sidecar_file import write_sidecar
from personalq.checkin.lexicon.split_models import PIXELS, Part, SplitModel, split_model
from personalq.tests.host.narrow_host import ENCODERS
from personalq.tests.host.split_encoders import VAES, encoder_weights
from personalq.tests.host.split_layouts import LAYOUTS, weights

_LAYOUT = dict.fromkeys(("pony", "illustrious", "noobai"), "sdxl")
"""Base model -> the one whose layout it has."""
FAMILIES = [*(name for name in LAYOUTS if name != "flux1-fill"), *_LAYOUT]
"""Those whose models draw from words alone."""
ANIMALS = dict(
    zip(
        FAMILIES,
        (
            "dog cat owl fox bear wolf otter crab swan frog goat hare lynx moth newt seal toad wasp"
            " raven squid walrus falcon"
        ).split(),
        strict=True,
    )
)
"""Base model -> what its LoRA draws."""
RANK = 4
_MOST_VALUES = 33_000_000
"""Larger tensors are left out, and are zero in the host: tables of tokens."""
_SEEN = re.compile(r"visual\.(?!deepstack_merger_list\.0\.norm|merger\.linear_fc2)")
"""Tensors for pictures, which are left out too."""
_OF_WAN22 = "decoder.upsamples.0.upsamples.0.residual.2."
"""What tells the VAE of Wan 2.2 from that of Wan 2.1."""
_MARKS = {
    "clip-g": {"text_model.encoder.layers.30.mlp.fc1.weight": (1, 1)},
    "t5-xxl": {"encoder.block.23.layer.1.DenseReluDense.wi_1.weight": (10240, 1)},
    "umt5-xxl": {"encoder.block.23.layer.1.DenseReluDense.wi_1.weight": (10240, 1)},
}
"""Tensors of layers that a narrow text encoder lacks, by which the host knows its kind."""


def row_of(base_model: str) -> SplitModel:
    """The row of our table."""
    row = split_model(base_model)
    assert row is not None
    return row


def write_split_model(models: Path, base_model: str) -> None:
    """A model of a family with its parts under their usual names, and a LoRA for it."""
    row = row_of(base_model)
    state = random_model(base_model)
    file = _save(models / "diffusion_models" / f"{row.models[0]}.safetensors", state)
    write_sidecar(file, {"base_model": base_model})
    write_lora(models, base_model, state)
    for part in (*row.text_encoders, row.vae):
        write_part(models, part)


def write_fine_tune(models: Path, base_model: str, animal: str) -> None:
    """A diffusion model of the user's own, which draws an animal."""
    file = _save(models / "diffusion_models" / f"{animal}.safetensors", random_model(base_model))
    said = {"subjects": [animal], "triggers": [f"<{animal}>"], "base_model": base_model}
    write_sidecar(file, said)


def random_model(base_model: str) -> dict[str, Tensor]:
    """The tensors of a tiny diffusion model."""
    return _random(weights(_LAYOUT.get(base_model, base_model), small=True))


def write_part(models: Path, part: Part) -> None:
    """A text encoder or a VAE, unless it is there."""
    file = models / part.folder / f"{part.names[0] if part.names else ''}.safetensors"
    if part.layout == PIXELS or file.exists():
        return
    if part.layout in VAES:
        with torch.device("meta"):
            state = VAES[part.layout]().state_dict()
        small = {
            name: one
            for name, one in state.items()
            if one.numel() < 1_000_000 or name.startswith(_OF_WAN22)
        }
        _save(file, _random(small))
        return
    state = encoder_weights(part.layout, **ENCODERS[part.layout])
    marks = {name: torch.empty(one, device="meta") for name, one in _marks(part.layout).items()}
    _save(file, _random({**state, **marks}) | tokenizer_of(part.layout))


def write_lora(
    models: Path, base_model: str, state: dict[str, Tensor], animal: str = "", **said: object
) -> Path:
    """A LoRA of rank 4 for the blocks of a diffusion model."""
    animal = animal or ANIMALS[base_model]
    tensors = {}
    for name, weight in state.items():
        layer = name.removesuffix(".weight")
        if (
            weight.ndim == 2
            and name.endswith(".weight")
            and any(part in name for part in ("blocks.0.", "layers.0."))
        ):
            outputs, inputs = weight.shape
            key = f"diffusion_model.{layer}"
            tensors[f"{key}.lora_A.weight"] = _normal((RANK, inputs), inputs**-0.5)
            tensors[f"{key}.lora_B.weight"] = _normal((outputs, RANK), 0.1)
    file = _save(models / "loras" / f"{animal}.safetensors", tensors)
    write_sidecar(
        file,
        {"subjects": [animal], "triggers": [f"<{animal}>"], "base_model": base_model, **said},
    )
    return file


def _marks(layout: str) -> dict[str, tuple[int, ...]]:
    return _MARKS.get(layout, {})


def _random(shapes: dict[str, Tensor]) -> dict[str, Tensor]:
    torch.manual_seed(0)
    found = {}
    for name, one in shapes.items():
        if one.numel() > _MOST_VALUES or _SEEN.search(name):
            continue
        if one.ndim > 1:
            size = 0.7 / max(1, one[0].numel()) ** 0.5
            found[name] = _normal(tuple(one.shape), size)
        else:
            found[name] = torch.full(one.shape, 0.0 if name.endswith("bias") else 1.0).half()
    return found


def _normal(shape: tuple[int, ...], size: float) -> Tensor:
    return (torch.randn(shape) * size).half()


def _save(path: Path, tensors: dict[str, Tensor]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file({name: one.contiguous() for name, one in tensors.items()}, path)
    return path


def tokenizer_of(layout: str) -> dict[str, Tensor]:
    """The tokenizer that such a file holds, of few tokens."""
    if layout in ("umt5-xxl", "gemma-2-2b"):
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter([" ".join(ANIMALS.values())] * 20),
            model_writer=model,
            vocab_size=300,
            byte_fallback=True,
            hard_vocab_limit=False,
            minloglevel=2,
        )
        return {"spiece_model": torch.frombuffer(bytearray(model.getvalue()), dtype=torch.uint8)}
    if layout == "mistral-3-24b":
        tokens = [
            {"rank": one, "token_bytes": base64.b64encode(bytes([one])).decode()}
            for one in range(256)
        ]
        special = [{"rank": 0, "token_str": "<unk>"}, {"rank": 1, "token_str": "<s>"}]
        config = {"default_num_special_tokens": 1000, "default_vocab_size": 131072, "pattern": "."}
        said = json.dumps({"config": config, "vocab": tokens, "special_tokens": special})
        return {"tekken_model": torch.frombuffer(bytearray(said.encode()), dtype=torch.uint8)}
    return {}
