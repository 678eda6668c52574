"""Requests for a video mean models for a base model that makes videos, others mean none of them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from ...lexicon.base_models import VIDEO, covers
from ...lexicon.english import one_of
from ..candidates.grounded import Grounded

_VIDEO = one_of("models", "videos")
_ASKED = re.compile(
    rf"^\W*(?:\w+\s+){{0,4}}?{_VIDEO}\s+(?:of|with|where|in which)\b|"
    rf"^\W*(?:\w+\s+){{1,2}}{_VIDEO}\b(?!\s+{one_of('models', 'no videos')}\b)|"
    rf"\b(?:as|into|for)\s+(?:a\s+)?(?:\w+\s+)?{_VIDEO}\b|\w's?\s+{_VIDEO}\b|"
    rf"(?:^|[,;.])\s*(?:a\s+)?(?:\w+\s+)?{_VIDEO}\s*(?:$|[,;.])",
    re.IGNORECASE,
)
_SAID = re.compile(r"\bwan\b", re.IGNORECASE)


def moving_or_not(case: Grounded) -> Grounded | None:
    """The request with the models alone that make videos, if it asks for one; else without the
    builds that do where a thing has others. None where it says a base model, or nothing is left.
    """
    text, library = case.intent.english, case.library
    asked = _ASKED.search(text)
    if case.intent.base_model or case.intent.names or _SAID.search(text):
        return None
    columns = library.columns
    moving = columns.base_model.where(lambda base: any(covers(one, base) for one in VIDEO))
    if not moving.any():
        return None
    others = np.isin(columns.lineage, columns.lineage[~moving])
    left = library.where(moving if asked else ~(moving & others))
    return replace(case, library=left).read_as(case.intent) if left else None
