"""Models for SD 1.5 and 2, of whom or of what there is a model for a base model of today."""

from __future__ import annotations

from collections.abc import Sequence

from ..evidence.grounder import GENERIC
from .builds import OLD_BASES
from .grounded import Grounded
from .relation import is_of_oneself


def of_today(case: Grounded, builds: Sequence[int]) -> Sequence[int]:
    """Some builds without the LoRAs that are no rivals of today's: pipkin_sd15 beside
    pipkin_wombat_xl, and of "me" a selfie LoRA of 2023.
    """
    newer = [one for one in builds if case.left.columns.base_model[one] not in OLD_BASES]
    return [
        one
        for one in builds
        if one in newer or not any(_is_of_the_same(case, one, other) for other in newer)
    ]


def _is_of_the_same(case: Grounded, old: int, new: int) -> bool:
    """Whether both are LoRAs of "me", or the newer has all of the older one's name and is a look
    where that is one.
    """
    columns = case.left.columns
    name, other = ({*columns.called[one]} - GENERIC for one in (old, new))
    alike = bool(columns.look[old]) == bool(columns.look[new])
    loras = all(columns.kind[one] == "lora" for one in (old, new))
    return loras and (is_of_oneself(case) or (alike and bool(name) and name <= other))
