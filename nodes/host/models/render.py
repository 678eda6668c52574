"""Draws pictures to describe a model, with fixed prompts and seeds and the settings that suit it,
and saves them in ComfyUI's user folder.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import comfy.model_management
import comfy.sample
import folder_paths
import torch
from PIL import Image

from ....atomic_write import written_whole
from ....checkin import Card
from ....checkin.decision.serving.sampling import Sampling, sampling
from ....checkin.language.trigger_prompt import escaped
from ..text.encode import encode
from .load import file_identity, load

SCENES = ("{}", "a close view of {}", "{} in daylight, seen from afar", "{} indoors")
"""Prompts, with a place for the model's trigger; each gives one picture, its number is the seed."""


def rendered(card: Card) -> list[Path]:
    """The pictures with which a model was described last, drawn from the file as it is now."""
    if card.path is None or not os.path.isfile(card.path):
        return []
    found = _folder(card).glob("*/*.png")
    latest = max(found, key=lambda picture: picture.stat().st_mtime_ns, default=None)
    return sorted(latest.parent.glob("*.png")) if latest else []


def picture_of(card: Card) -> str | None:
    """Path of a picture of a model: its preview, or else one drawn when it was described."""
    if card.previews:
        return card.previews[0]
    drawn = rendered(card)
    return str(drawn[0]) if drawn else None


def render(card: Card, base: Card | None, count: int, side: int) -> list[Path]:
    """Draw `count` pictures of a model, `side` pixels wide and high, unless they are saved already.

    Those of another side, prompt, strength or base, or of other settings of the sampler, are
    others. Raises what `load` raises for a model that cannot be loaded.
    """
    settings = sampling(card, base, "final")
    folder = _folder(card) / _drawing(card, base, side, settings)
    places = [folder / f"{number}.png" for number in range(count)]
    missing = [number for number, place in enumerate(places) if not place.is_file()]
    if missing:
        loaded = load(card, base)
        for number in missing:
            comfy.model_management.throw_exception_if_processing_interrupted()
            _save(_sample(loaded, card, number, side, settings), places[number])
    for place in places:
        place.touch()  # so that these are the latest ones
    return places


def _sample(loaded, card: Card, number: int, side: int, settings: Sampling) -> torch.Tensor:
    """One picture as float [height, width, 3] from 0 to 1."""
    positive, _ = encode(loaded.clip, _prompts(card)[number], card.trigger)
    negative, _ = encode(loaded.clip, "", None)
    latent = comfy.sample.fix_empty_latent_channels(
        loaded.model, torch.zeros(1, 4, side // 8, side // 8), downscale_ratio_spacial=8
    )
    noise = comfy.sample.prepare_noise(latent, number)
    samples = comfy.sample.sample(
        loaded.model,
        noise,
        settings.steps,
        settings.cfg,
        settings.sampler,
        settings.scheduler,
        positive,
        negative,
        latent,
        disable_pbar=True,
        seed=number,
    )
    pictures = loaded.vae.decode(samples)
    return pictures.reshape(-1, *pictures.shape[-3:])[0]  # of a video, the first


def _save(picture: torch.Tensor, place: Path) -> None:
    with written_whole(place) as part:
        Image.fromarray((picture.clamp(0, 1) * 255).round().byte().cpu().numpy()).save(part, "PNG")


def _prompts(card: Card) -> list[str]:
    """The prompts that a model is drawn with, one for each picture."""
    name = card.trigger or (card.subjects[0] if card.subjects else "a picture")
    return [scene.format(escaped(name)) for scene in SCENES]


def _folder(card: Card) -> Path:
    """Where the pictures of a model's file are, those of each drawing in a folder of their own."""
    previews = Path(folder_paths.get_system_user_directory("personalq"), "previews")
    return previews / _digest(file_identity(card))


def _drawing(card: Card, base: Card | None, side: int, settings: Sampling) -> str:
    """A name for all that decides how pictures of a model's file look."""
    sampler = (settings.steps, settings.cfg, settings.sampler, settings.scheduler)
    return _digest(_prompts(card), side, card.strength, base and file_identity(base), sampler)


def _digest(*values: object) -> str:
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]
