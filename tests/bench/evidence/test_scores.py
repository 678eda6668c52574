"""Test the published scores with small networks in place of the pretrained ones."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from personalq.bench.evidence.frechet import frechet_distance
from personalq.bench.evidence.subject import Case
from personalq.bench.evidence.torchmetrics_scores import Scores, missing, scores


def pictures(seed: int, n: int = 6):
    return torch.rand(n, 3, 32, 32, generator=torch.Generator().manual_seed(seed))


class Features(torch.nn.Module):
    """uint8 pictures -> 12 features."""

    num_features = 12

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.body = torch.nn.Conv2d(3, 12, 8, 8)

    def forward(self, x):
        return self.body(x.float() / 255).mean((2, 3))


def test_frechet_distance_is_torchmetrics_fid():
    package = pytest.importorskip(
        "torchmetrics.image.fid", reason="torchmetrics is not installed: pip install -e .[scores]"
    )
    fid = package.FrechetInceptionDistance(feature=Features())
    judge = Scores(fid=fid.inception)
    a, b = pictures(0, 40), pictures(1, 40) * 0.9
    for real, part in ((True, a), (False, b)):
        fid.update((part * 255).round().byte(), real=real)
    found = frechet_distance(*(judge.features(part).double().numpy() for part in (a, b)))
    assert found == pytest.approx(fid.compute().item(), rel=1e-3)


def test_dino_compares_class_tokens():
    transformers = pytest.importorskip(
        "transformers",
        reason="transformers is not installed: python quickstart.py test installs it",
    )
    torch.manual_seed(0)
    config = transformers.ViTConfig(
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        image_size=32,
        patch_size=8,
    )
    judge = Scores(dino=transformers.ViTModel(config, add_pooling_layer=False).eval(), dino_side=32)
    cases = [Case("a dog", n) for n in range(6)]
    same = judge.metrics(pictures(0), pictures(0), cases)["DINO"]
    other = judge.metrics(pictures(1), pictures(0), cases)["DINO"]
    assert same == pytest.approx([1] * 6, abs=1e-5)
    assert all(value < 0.9999 for value in other)


def test_lpips_is_of_each_picture_and_its_own_reference():
    distance = torch.nn.L1Loss()
    a, b = pictures(0), pictures(1)
    found = Scores(lpips=distance).metrics(a, b, [Case("a dog", n) for n in range(6)])["LPIPS"]
    assert found == pytest.approx((a - b).abs().mean((1, 2, 3)).tolist(), rel=1e-5)


def test_clip_score_takes_the_prompt_without_the_trigger():
    """100 x the cosine of the two embeddings, and never less than 0."""
    asked = []

    def processor(text, images, **_):
        asked.append((text, images[0].dtype, len(images)))
        return {"count": len(text)}

    def model(count):
        turned = torch.tensor([[1.0, 0.0], [-1.0, 0.0]])
        return SimpleNamespace(
            image_embeds=torch.tensor([[3.0, 4.0]]).expand(count, 2), text_embeds=turned
        )

    cases = [Case("a sks dog", n, {"text": "a dog"}) for n in range(2)]
    found = Scores(clip=(model, processor)).metrics(pictures(0, 2), pictures(1, 2), cases)
    assert found == {"CLIPScore": [pytest.approx(60), 0]}
    assert asked == [(["a dog", "a dog"], torch.uint8, 2)]


def test_without_networks_nothing_is_scored():
    judge = scores(())
    assert judge.metrics(pictures(0), pictures(0), []) == {}
    assert judge.features(pictures(0)) is None


def test_why_a_score_cannot_run():
    with pytest.raises(ValueError, match="there is no score 'is'"):
        missing("is")
    for name in ("fid", "clip", "lpips", "dino"):
        for reason in missing(name):
            assert reason.startswith("the package ")
    if missing("fid"):
        with pytest.raises(ValueError, match="install it, or leave the score out"):
            scores(("fid",))
