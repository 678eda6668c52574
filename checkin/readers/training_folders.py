"""The folders of pictures that a LoRA was trained on, as kohya's scripts write them down."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .json_file import member, objects, parse_object, parse_text
from .text import MAX_WORDS_BYTES


@dataclass(frozen=True)
class TrainingFolder:
    """One folder with pictures."""

    name: str
    words: str
    """What stands for the caption of a picture that has none; "" for nothing."""
    pictures: int
    """0 where it is not known."""
    regularises: bool
    """Whether its pictures show others of the class, such as any men beside "ohwx man"."""


def training_folders(metadata: Mapping[str, str]) -> Iterator[TrainingFolder]:
    """The folders in `ss_datasets`; older files have only their names: repeats, "_", words."""
    datasets = objects(parse_text(metadata.get("ss_datasets", "")))
    subsets = [subset for dataset in datasets for subset in objects(dataset.get("subsets"))]
    for subset in subsets:
        yield TrainingFolder(
            str(subset.get("image_dir")),
            _words(subset.get("class_tokens")),
            count(subset.get("img_count")),
            bool(subset.get("is_reg")),
        )
    if subsets:
        return
    for key, regularises in (("ss_dataset_dirs", False), ("ss_reg_dataset_dirs", True)):
        for name, counts in parse_object(metadata.get(key, "")).items():
            named = re.fullmatch(r"\d+_(.+)", name)
            pictures = count(member(counts, "img_count"))
            yield TrainingFolder(name, _words(named[1] if named else ""), pictures, regularises)


def count(value: object) -> int:
    """A number of pictures in metadata; 0 for a value that is not possible."""
    return value if isinstance(value, int) and 0 < value < 2**31 else 0


def _words(text: object) -> str:
    return " ".join(text[:MAX_WORDS_BYTES].split()) if isinstance(text, str) else ""
