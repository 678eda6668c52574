"""Markdown with YAML front matter: `<model>.md`, and the `README.md` of a folder with one model.

ComfyUI-Model-Manager writes the former; the latter has the form of Hugging Face.
"""

from __future__ import annotations

import re
from typing import Any

from ..lexicon.base_models import known_family
from ..lexicon.sentences import say
from ..lexicon.text import MAX_TEXT_CHARS
from .fields import YAML_NOTHING
from .header import UnreadableFile
from .instance_phrase import subject_of, trigger_of
from .json_file import member, objects
from .markup import text_of
from .model_file import Fields, ModelFile, Report
from .previews import named_previews
from .reader import Reader
from .tags import sort_tags
from .text_file import read_text

ENDING = ".md"
README = "readme.md"
"""In lower case."""
_FRONT = re.compile(r"---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|$)", re.S | re.M)
_HEADING = re.compile(r"^# +(.*)$", re.M)
_NOTHING = re.compile(r"no description about this (?:version|model)|none", re.I)


def read(model: ModelFile, report: Report) -> Fields:
    """The card fields in `<model>.md`."""
    front, body = _parts(read_text(model.sidecars[ENDING]))
    sections = _sections(body)
    triggers = sections.pop("trigger words", None)
    about = [
        text for section in sections.values() if not _NOTHING.fullmatch(text := text_of(section))
    ]
    return {
        "triggers": triggers,
        "description": " ".join(about),
        "base_model": front.get("baseModel"),
        "sha256": member(front, "hashes", "SHA256"),
    }


def read_readme(model: ModelFile, report: Report) -> Fields:
    """The card fields in the front matter of the folder's README."""
    path = model.sidecars[README]
    front, _ = _parts(read_text(path))
    base = front.get("base_model")
    base = base[0] if isinstance(base, list) and base else base
    trigger = trigger_of(front.get("instance_prompt"))
    subjects, styles = sort_tags(front.get("tags"), path.parent.name)
    shown = [member(item, "output", "url") for item in objects(front.get("widget"))]
    # Missing pictures are not reported: most exist only on the site.
    local = [name for name in shown if isinstance(name, str) and "://" not in name]
    return {
        "triggers": trigger,
        "subjects": subjects or [subject for subject in [subject_of(trigger or "")] if subject],
        "styles": styles,
        "base_model": known_family(base) if isinstance(base, str) else None,
        "base": base,
        "previews": named_previews(path.parent, local, lambda said: None),
    }


def _parts(text: str) -> tuple[dict[str, Any], str]:
    """(front matter, body)."""
    found = _FRONT.match(text)
    if not found:
        return {}, text
    if len(found[1]) > MAX_TEXT_CHARS:
        raise UnreadableFile(
            say(
                "its front matter is longer than {characters:,} characters; not read",
                characters=MAX_TEXT_CHARS,
            )
        )
    # Imported here, because loading PyYAML takes as long as all other readers together.
    from .plain_yaml import load_plain

    front = load_plain(found[1].encode())
    said = front.items() if isinstance(front, dict) else ()
    return {
        key: value
        for key, value in said
        if isinstance(value, (list, dict)) or value not in YAML_NOTHING
    }, text[found.end() :]


def _sections(body: str) -> dict[str, str]:
    """The text below each first-level heading, by the heading in lower case.

    The text before the first heading is under "".
    """
    parts = _HEADING.split(body[:MAX_TEXT_CHARS])
    pairs = zip(["", *parts[1::2]], parts[0::2], strict=True)
    return {heading.strip().casefold(): part for heading, part in pairs if part.strip()}


READERS = (
    Reader(
        "markdown",
        "markdown",
        read,
        {"triggers": 100, "description": 90, "base_model": 110, "sha256": 50},
        (ENDING,),
    ),
    Reader(
        "readme",
        "readme",
        read_readme,
        {
            "triggers": 90,
            "subjects": 90,
            "styles": 80,
            "base_model": 100,
            "base": 40,
            "previews": 20,
        },
        (README,),
    ),
)
