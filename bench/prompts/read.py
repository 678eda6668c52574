"""Read the prompt sets."""

from __future__ import annotations

import csv
import re
from pathlib import Path

_FOLDER = Path(__file__).parent
_LIVING = {"cat", "dog", "bear", "horse", "bird", "person", "man", "woman", "boy", "girl"}
"""Class words that take DreamBooth's prompts for live subjects."""


def prompts(name: str, trigger: str = "", noun: str = "") -> list[str]:
    """Return the prompts of a set, in their order.

    "dreambooth" is about `trigger` and the class word `noun`. Raises ValueError for an unknown set,
    and for "dreambooth" without a noun.
    """
    if name not in SETS:
        raise ValueError(f"there is no prompt set {name!r}; there are {', '.join(SETS)}")
    return SETS[name](trigger, noun)


def _parti(trigger: str, noun: str) -> list[str]:
    with (_FOLDER / "PartiPrompts.tsv").open(encoding="utf-8", newline="") as file:
        return [
            row["Prompt"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]


def _coco(trigger: str, noun: str) -> list[str]:
    return (_FOLDER / "coco_val2014_captions_1k.txt").read_text("utf-8").splitlines()


def _dreambooth(trigger: str, noun: str) -> list[str]:
    """Return the 25 prompts for objects, or for live subjects."""
    if not noun.strip():
        raise ValueError('DreamBooth\'s prompts need a class word, such as "dog"')
    text = (_FOLDER / "dreambooth_prompts_and_classes.txt").read_text("utf-8")
    objects, live = text.split("Object Prompts")[1].split("Live Subject Prompts")
    templates = re.findall(r"^'(.+)'\.format", live if noun in _LIVING else objects, re.MULTILINE)
    return [" ".join(template.format(trigger, noun).split()) for template in templates]


SETS = {"dreambooth": _dreambooth, "parti": _parti, "coco": _coco}
