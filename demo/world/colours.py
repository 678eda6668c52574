"""The world's colours by name, and the tones that a drawing makes of each."""

from __future__ import annotations

from dataclasses import dataclass

from .shapes import Colour, mix

COLOURS: dict[str, Colour] = {
    "red": (208, 40, 38),
    "yellow": (244, 208, 40),
    "green": (46, 160, 62),
    "blue": (44, 92, 214),
    "purple": (140, 56, 178),
    "brown": (132, 82, 42),
    "white": (244, 244, 242),
    "black": (42, 40, 46),
}
INK: Colour = (28, 24, 26)
SNOW: Colour = (250, 250, 252)
STEEL: Colour = (178, 184, 194)
GLASS: Colour = (172, 210, 232)
SKIN: Colour = (234, 190, 160)
LEAF: Colour = (66, 138, 58)
GOLD: Colour = (238, 192, 60)


@dataclass(frozen=True)
class Tones:
    """A colour as it is, in shade and in light."""

    main: Colour
    dark: Colour
    light: Colour


def tones(colour: Colour) -> Tones:
    """Return the colour, the same mixed with ink, and the same mixed with light."""
    return Tones(colour, mix(colour, INK, 0.35), mix(colour, (255, 246, 232), 0.5))
