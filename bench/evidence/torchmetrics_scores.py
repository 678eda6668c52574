"""Published scores with pretrained networks, from torchmetrics and transformers.

Both are optional.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from ..taq.contender import missing as missing_package
from .judge import Metrics
from .subject import Case

NEEDS = {
    "fid": ("torchmetrics", "torch_fidelity"),
    "clip": ("transformers",),
    "lpips": ("torchmetrics", "torchvision"),
    "dino": ("transformers",),
}
"""Score -> the packages that it needs."""
_CLIP, _CLIP_ROWS = "openai/clip-vit-large-patch14", 77
_DINO = "facebook/dino-vits16"
_DINO_SIDE, _MEAN, _DEVIATION = 224, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def missing(score: str) -> list[str]:
    """Return why a score cannot run here; empty if its packages are installed.

    Raises ValueError for an unknown score.
    """
    if score not in NEEDS:
        raise ValueError(f"there is no score {score!r}; there are {', '.join(NEEDS)}")
    return [reason for package in NEEDS[score] for reason in missing_package(package)]


@dataclass(frozen=True)
class Scores:
    """A judge that uses pretrained networks; None leaves a score out."""

    fid: nn.Module | None = None
    """uint8 [n, 3, H, W] -> Inception's features [n, d], for the Fréchet distance."""
    clip: tuple[nn.Module, Any] | None = None
    """A CLIPModel and its processor, for CLIPScore (Hessel et al. 2021).

    CLIPScore is 100 cosine(picture, text), at least 0. torchmetrics' own score fails with
    transformers 5, whose features are no longer tensors.
    """
    lpips: Any = None
    """A metric of two pictures in 0 to 1; the second is that of full precision."""
    dino: nn.Module | None = None
    """A ViTModel; scores the cosine of its class tokens for the picture and full precision's."""
    dino_side: int = _DINO_SIDE

    @torch.no_grad()
    def metrics(self, pictures: Tensor, exact: Tensor, cases: Sequence[Case]) -> Metrics:
        """As `Judge.metrics`."""
        found: Metrics = {}
        if self.clip is not None:
            found["CLIPScore"] = _clip_score(
                *self.clip, pictures, [case.shows["text"] for case in cases]
            )
        if self.lpips is not None:
            found["LPIPS"] = [
                self.lpips(p[None], e[None]).item() for p, e in zip(pictures, exact, strict=True)
            ]
        if self.dino is not None:
            found["DINO"] = functional.cosine_similarity(
                self._dino(pictures), self._dino(exact)
            ).tolist()
        return found

    @torch.no_grad()
    def features(self, pictures: Tensor) -> Tensor | None:
        """As `Judge.features`."""
        return (
            None
            if self.fid is None
            else torch.cat([self.fid(_bytes(part)) for part in pictures.split(8)])
        )

    def _dino(self, pictures: Tensor) -> Tensor:
        assert self.dino is not None
        mean, deviation = (torch.tensor(values)[:, None, None] for values in (_MEAN, _DEVIATION))
        size = (self.dino_side, self.dino_side)
        resized = functional.interpolate(pictures, size, mode="bicubic", antialias=True).clamp(0, 1)
        return torch.cat(
            [
                self.dino((part - mean) / deviation).last_hidden_state[:, 0]
                for part in resized.split(8)
            ]
        )


def scores(names: Sequence[str]) -> Scores:
    """Return the published networks of the named scores.

    Their packages download them where they are missing. Raises ValueError for a score that cannot
    run here, with the reason.
    """
    reasons = [reason for name in names for reason in missing(name)]
    if reasons:
        raise ValueError(f"{'; '.join(dict.fromkeys(reasons))}: install it, or leave the score out")
    chosen: dict[str, Any] = {}
    if "fid" in names:
        from torchmetrics.image.fid import FrechetInceptionDistance

        chosen["fid"] = FrechetInceptionDistance(feature=2048).inception
    if "clip" in names:
        from transformers import CLIPModel, CLIPProcessor

        chosen["clip"] = (
            CLIPModel.from_pretrained(_CLIP).eval(),
            CLIPProcessor.from_pretrained(_CLIP),
        )
    if "lpips" in names:
        from torchmetrics.image.lpip import LearnedPerceptualImagePatchSimilarity

        chosen["lpips"] = LearnedPerceptualImagePatchSimilarity("alex", normalize=True)
    if "dino" in names:
        from transformers import ViTModel

        chosen["dino"] = ViTModel.from_pretrained(_DINO, add_pooling_layer=False).eval()
    return Scores(**chosen)


def _clip_score(
    model: nn.Module, processor: Any, pictures: Tensor, texts: Sequence[str]
) -> list[float]:
    """Return the score of each picture and its text, a few at a time."""
    found: list[float] = []
    for start in range(0, len(texts), 8):
        inputs = processor(
            text=list(texts[start : start + 8]),
            images=list(_bytes(pictures[start : start + 8])),
            return_tensors="pt",
            padding=True,
            truncation=True,
            max_length=_CLIP_ROWS,
        )
        seen = model(**inputs)
        found += (
            (100 * functional.cosine_similarity(seen.image_embeds, seen.text_embeds))
            .clamp(min=0)
            .tolist()
        )
    return found


def _bytes(pictures: Tensor) -> Tensor:
    return (pictures * 255).round().byte()
