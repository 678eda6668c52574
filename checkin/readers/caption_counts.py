"""`ss_tag_frequency`: how many pictures of a training have each caption or tag.

kohya's scripts, and others that follow them, write it into the safetensors header, as JSON.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ..lexicon.text import printable
from .json_file import MAX_VALUE_CHARS, parse_text
from .training_folders import count, training_folders

CaptionCounts = dict[str, dict[str, int]]
"""Training folder -> {caption or tag: number of pictures that have it}."""


def caption_counts(
    metadata: Mapping[str, str], max_chars: int = MAX_VALUE_CHARS
) -> CaptionCounts | None:
    """The caption statistics in a header; {} if there are none.

    None if they are broken or longer than `max_chars`. A number of pictures that is not possible
    counts as 0; a folder without statistics is left out.
    """
    text = metadata.get("ss_tag_frequency", "")
    folders = parse_text(text, max_chars) if text else {}
    if not isinstance(folders, dict):
        return None
    return {
        folder: {tag: count(number) for tag, number in tags.items()}
        for folder, tags in folders.items()
        if isinstance(tags, dict) and tags
    }


def caption_tags(metadata: Mapping[str, str]) -> set[str]:
    """All captions and tags of the training, in lower case."""
    folders = (caption_counts(metadata) or {}).values()
    return {printable(tag).casefold() for tags in folders for tag in tags}


def caption_shares(
    metadata: Mapping[str, str], max_chars: int = MAX_VALUE_CHARS
) -> dict[str, float]:
    """Caption or tag -> share of the pictures of the training that have it.

    Pictures that only regularise the training are left out.
    """
    folders = list(training_folders(metadata))
    trained = {one.name: one.pictures for one in folders if not one.regularises}
    left_out = {one.name for one in folders} - trained.keys()
    total: Counter[str] = Counter()
    pictures = 0
    for folder, counts in (caption_counts(metadata, max_chars) or {}).items():
        if folder not in left_out:
            total.update({tag: number for tag, number in counts.items() if number})
            pictures += max(trained.get(folder, 0), pictures_in(counts))
    return {tag: min(number / pictures, 1.0) for tag, number in total.items()}


def pictures_in(counts: Mapping[str, int]) -> int:
    """The number of pictures in one folder, as far as its captions tell.

    It is the number of pictures with the most frequent caption.
    """
    return max(counts.values(), default=0)
