"""The captions that a personalised model is calibrated on: its trigger in many scenes, lights,
styles and actions.
"""

from __future__ import annotations

import random
from itertools import product

SCENES = (
    "on a beach",
    "in a park",
    "in a living room",
    "on a snowy mountain at sunset",
    "in a wheat field",
    "under cherry trees",
    "in front of the Eiffel Tower",
    "in a skatepark",
    "by a forest lake",
    "in a pool",
    "on city streets",
    "on a Persian rug",
    "on a cliff by the sea",
    "by a campfire",
    "in a canoe",
    "on a blanket in snowfall",
)
TIMES = (
    "dawn",
    "golden hour",
    "blue hour",
    "overcast",
    "neon night",
    "high noon",
    "thunderstorm",
    "twilight",
)
STYLES = (
    "high-resolution photo",
    "analog film",
    "soft-focus portrait",
    "35 mm",
    "ultra-wide",
    "macro",
    "HDR",
    "Polaroid",
    "cinematic still",
    "studio light",
    "low-key",
    "minimalist",
    "aerial",
)
ACTIONS = (
    "wearing sunglasses",
    "jumping",
    "catching a frisbee",
    "tilting its head",
    "sleeping",
    "wagging its tail",
    "smiling",
    "tongue out",
    "howling",
    "sniffing a flower",
    "splashing",
    "wearing a scarf",
)


def calibration_prompts(trigger: str, noun: str, count: int = 64, seed: int = 0) -> list[str]:
    """`count` different captions of the model's subject.

    They are "a photo of a <trigger> <noun>, <scene>, <time>, <style>, <action>". Each value is
    drawn from its list; the action may be missing. The same arguments give the same captions.
    Raises ValueError for an empty `noun`, and for a `count` below 1 or above the number of
    combinations (21,632).
    """
    if not noun.strip():
        raise ValueError('the class noun is empty; give what the model draws, such as "dog"')
    drawn = tuple(product(SCENES, TIMES, STYLES, ("", *ACTIONS)))
    if not 0 < count <= len(drawn):
        raise ValueError(f"count must be from 1 to {len(drawn)}; got {count}")
    subject = " ".join(f"a photo of a {trigger} {noun}".split())
    return [
        ", ".join(filter(None, (subject, *values)))
        for values in random.Random(seed).sample(drawn, count)
    ]
