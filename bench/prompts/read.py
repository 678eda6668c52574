"""Read the prompt sets."""

from __future__ import annotations

import csv
import json
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


def from_file(file: Path) -> list[str]:
    """Return the prompts of a file that a user has.

    It is MS-COCO's captions (.json), a table with a column Prompt as of PartiPrompts (.tsv), or has
    a prompt in each line. Raises ValueError for a file without prompts.
    """
    text = file.read_text("utf-8")
    if file.suffix == ".json":
        read = json.loads(text)
        listed = read["annotations"] if isinstance(read, dict) else read
        found = [one["caption"] if isinstance(one, dict) else one for one in listed]
    elif file.suffix == ".tsv":
        rows = csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
        found = [row.get("Prompt") or "" for row in rows]
    else:
        found = text.splitlines()
    prompts = [" ".join(one.split()) for one in found if one.strip()]
    if not prompts:
        raise ValueError(
            f"{file} has no prompts; give one in each line, a .tsv with a column Prompt, or "
            "MS-COCO's captions as .json"
        )
    return prompts


def with_subject(prompt: str, trigger: str, noun: str) -> str:
    """Return a prompt with the trigger and its class word appended, such as "..., sks dog"."""
    subject = " ".join(f"{trigger} {noun}".split())
    return f"{prompt.rstrip(' .,')}, {subject}" if subject else prompt


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


DREAMBOOTH = "dreambooth"
SETS = {DREAMBOOTH: _dreambooth, "parti": _parti, "coco": _coco}
