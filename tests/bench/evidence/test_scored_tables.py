"""Test the published scores in a table of a user's checkpoint.

Small networks replace the pretrained ones.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from PIL import Image

from personalq.bench.evidence import checkpoint_trials, command
from personalq.bench.evidence.checkpoint import Loading
from personalq.bench.evidence.options import QUICK, Checkpoint, Options
from personalq.bench.evidence.torchmetrics_scores import Scores
from personalq.demo.world.tokenizer import tokenizer

from .test_checkpoint import TINY, write
from .test_scores import Features

transformers = pytest.importorskip(
    "transformers", reason="transformers is not installed: python quickstart.py test installs it"
)
NAMES = ("fid", "clip", "lpips", "dino")


def small_clip():
    """A CLIPModel and its processor."""
    torch.manual_seed(0)
    words = tokenizer()
    text = {
        "vocab_size": len(words),
        "eos_token_id": words.eos_token_id,
        "max_position_embeddings": 77,
    }
    size = {
        "hidden_size": 16,
        "intermediate_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
    }
    config = transformers.CLIPConfig(
        text_config=text | size,
        vision_config={"image_size": 32, "patch_size": 8} | size,
        projection_dim=8,
    )
    pictures = transformers.CLIPImageProcessor(
        size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}, do_convert_rgb=False
    )
    return transformers.CLIPModel(config).eval(), transformers.CLIPProcessor(pictures, words)


class Distance(torch.nn.Module):
    """Pictures' distance in the features of a network, as LPIPS is."""

    def __init__(self) -> None:
        super().__init__()
        self.features = Features()

    def forward(self, one, other):
        return (self.features(one * 255) - self.features(other * 255)).square().mean()


def small_networks(names) -> Scores:
    assert tuple(names) == NAMES
    vit = transformers.ViTConfig(
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        image_size=32,
        patch_size=8,
    )
    dino = transformers.ViTModel(vit, add_pooling_layer=False).eval()
    return Scores(Features(), small_clip(), Distance(), dino, dino_side=32)


def test_each_score_is_a_column(tmp_path: Path, monkeypatch):
    """A folder of three real pictures, which are not as many as are drawn, has a distance too."""
    (tmp_path / "real").mkdir()
    for n in range(3):
        noise = torch.randint(256, (32, 40, 3), generator=torch.Generator().manual_seed(n))
        Image.fromarray(noise.byte().numpy()).save(tmp_path / f"real/{n}.png")
    monkeypatch.setattr(checkpoint_trials, "scores", small_networks)
    loading = Loading("sks", "dog", steps=1, side=32, architecture=TINY["sd15"])
    own = Checkpoint(
        write(tmp_path / "tiny.safetensors", "sd15"), loading, scores=NAMES, real=tmp_path / "real"
    )
    size = replace(QUICK, pictures=2, steps=1, calibration=1)
    options = Options(size, True, tmp_path / "out.json", checkpoint=own, bits=("W8A4",))
    table = command.keep(command.measure(["quantizers"], options), options, tmp_path)[0]
    heading = next(line for line in table.read_text("utf-8").splitlines() if line.startswith("|"))
    assert {"CLIPScore", "LPIPS", "DINO", "Fréchet", "Fréchet, real"} <= {
        cell.strip() for cell in heading.split("|")
    }
    rows = {
        row["name"]: row["figures"]
        for row in json.loads(table.with_suffix(".json").read_text("utf-8"))["rows"]
    }
    exact, log = rows["full precision"], rows["log, nothing kept, per tensor, W8A4"]
    assert exact["LPIPS"][0] == pytest.approx(0, abs=1e-9)
    assert exact["DINO"][0] == pytest.approx(1, abs=1e-5)
    assert log["LPIPS"][0] > 0
    assert log["DINO"][0] < 1
    assert 0 <= log["CLIPScore"][0] <= 100
    sensitive = command.measure(["sensitivity"], options)
    every = next(row for row in sensitive[0].rows if (row["group"], row["bits"]) == ("all rows", 4))
    assert every["drops"]["DINO"][0] > 0
    assert "CLIPScore" in every["drops"]
    assert exact["Fréchet, real"][0] > log["Fréchet"][0] > 0
