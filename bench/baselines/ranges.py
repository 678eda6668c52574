"""Ranges from calibration, kept for other bits of activations."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from .points import Point, Quantizer


class Ranges:
    """What the points of simulated UNets have found in the calls of one calibration.

    While it runs, activations are in full precision. So what a point finds depends on the UNet, its
    rounded weights, and the kinds of the points, not on the bits of activations.
    """

    def __init__(self) -> None:
        self._known: dict[Hashable, tuple[tuple[Any, ...], dict[str, Quantizer]]] = {}

    def fill(self, owners: tuple[Any, ...], settings: Hashable, points: Sequence[Point]) -> bool:
        """Give `points` what others of the same names and kinds found; return whether it is known.

        `owners` are the objects that calibration ran with, compared by identity; `settings` is all
        else that it depends on.
        """
        _, known = self._known.get(_key(owners, settings, points), ((), {}))
        for point in points if known else ():
            point.seen = point.name in known
            if point.seen:
                point.quantizer = known[point.name].at(point.quantizer.bits)
        return bool(known)

    def keep(self, owners: tuple[Any, ...], settings: Hashable, points: Sequence[Point]) -> None:
        """Keep what calibrated `points` found; arguments as of `fill`."""
        # The owners are kept too: the identity of one that is gone may be given to another object.
        found = {point.name: point.quantizer for point in points if point.seen}
        self._known[_key(owners, settings, points)] = owners, found


def _key(owners: tuple[Any, ...], settings: Hashable, points: Sequence[Point]) -> Hashable:
    kinds = tuple((point.name, point.quantizer.kind) for point in points)
    return tuple(map(id, owners)), settings, kinds
