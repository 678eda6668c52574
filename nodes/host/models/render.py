"""Draws pictures to describe a model, with fixed prompts and seeds, and saves them in ComfyUI's
user folder.
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
from ....checkin.language.trigger_prompt import escaped
from ..text.encode import encode
from .load import file_identity, load

SCENES = ("{}", "a close view of {}", "{} in daylight, seen from afar", "{} indoors")
"""Prompts, with a place for the model's trigger; each gives one picture, its number is the seed."""
STEPS = 20
CFG = 7.0


def rendered(card: Card) -> list[Path]:
    """The saved pictures of a model that were drawn from the file as it is now."""
    if card.path is None or not os.path.isfile(card.path):
        return []
    pictures = (_place(card, number) for number in range(len(SCENES)))
    return [picture for picture in pictures if picture.is_file()]


def picture_of(card: Card) -> str | None:
    """Path of a picture of a model: its preview, or else one drawn when it was described."""
    if card.previews:
        return card.previews[0]
    drawn = rendered(card)
    return str(drawn[0]) if drawn else None


def render(card: Card, base: Card | None, count: int, side: int) -> list[Path]:
    """Draw `count` pictures of a model, `side` pixels wide and high, unless they are saved already.

    Raises what `load` raises for a model that cannot be loaded.
    """
    places = [_place(card, number) for number in range(count)]
    missing = [number for number, place in enumerate(places) if not place.is_file()]
    if missing:
        loaded = load(card, base)
        for number in missing:
            comfy.model_management.throw_exception_if_processing_interrupted()
            _save(_sample(loaded, card, number, side), places[number])
    return places


def _sample(loaded, card: Card, number: int, side: int) -> torch.Tensor:
    """One picture as float [height, width, 3] from 0 to 1."""
    name = card.trigger or (card.subjects[0] if card.subjects else "a picture")
    positive, _ = encode(loaded.clip, SCENES[number].format(escaped(name)), card.trigger)
    negative, _ = encode(loaded.clip, "", None)
    latent = comfy.sample.fix_empty_latent_channels(
        loaded.model, torch.zeros(1, 4, side // 8, side // 8), downscale_ratio_spacial=8
    )
    noise = comfy.sample.prepare_noise(latent, number)
    samples = comfy.sample.sample(
        loaded.model,
        noise,
        STEPS,
        CFG,
        "euler",
        "normal",
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


def _place(card: Card, number: int) -> Path:
    digest = hashlib.sha256(repr(file_identity(card)).encode()).hexdigest()[:16]
    return (
        Path(folder_paths.get_system_user_directory("personalq"))
        / "previews"
        / f"{digest}-{number}.png"
    )
