"""Models for SD 1.5 and 2, of whom or of what there is a model for a base model of today."""

from __future__ import annotations

from collections.abc import Sequence

from ..evidence.grounder import GENERIC
from .builds import OLD_BASES
from .grounded import Grounded
from .relation import is_of_oneself


def of_today(case: Grounded, builds: Sequence[int]) -> Sequence[int]:
    """Some builds without those that are no rivals of today's: pipkin_sd15 beside pipkin_wombat_xl,
    and of "me" a selfie LoRA of 2023.
    """
    columns, all_of_me = case.left.columns, is_of_oneself(case)
    names = {one: {*columns.called[one]} - GENERIC for one in builds}
    newer = [one for one in builds if columns.base_model[one] not in OLD_BASES]
    return [
        one
        for one in builds
        if one in newer
        or not newer
        or not (all_of_me or any(names[one] and names[one] <= names[other] for other in newer))
    ]
