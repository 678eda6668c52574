"""How to run the chosen model: what the request says about haste. It never changes which model is chosen (rule 10)."""

from __future__ import annotations

import re

from .decision import ServingPlan

_HASTE = re.compile(
    r"\b(?:quick(?:ly)?|fast(?:er)?|rough|draft|preview|low[ -](?:memory|vram)|small(?:est)? memory)\b", re.IGNORECASE
)


def serving_plan(request: str) -> ServingPlan:
    """W4A8 where the request asks for speed, a draft or little memory; else W8A8."""
    if haste := _HASTE.search(request):
        return ServingPlan("W4A8", f"the request says '{haste.group().lower()}'")
    return ServingPlan("W8A8", "nothing in the request asks for haste")
