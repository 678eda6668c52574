"""Our own sidecar, `<model file name without ending>.personalq.yaml`.

It holds what the user says about a model and, in a block of its own (`generated:`), what a program
said about it.
"""

from __future__ import annotations

from pathlib import Path

from ..lexicon.samplers import sampler_and_scheduler
from ..lexicon.sentences import say
from .encoding import decode
from .fields import FIELDS, YAML_NOTHING
from .header import UnreadableFile
from .model_file import Fields, ModelFile, Report
from .previews import named_previews
from .reader import Reader

ENDING = ".personalq.yaml"
MAX_SIDECAR_BYTES = 64 * 1024
"""Bytes."""
KEYS = FIELDS
GENERATED = "generated"
GENERATED_KEYS = ("description", "subjects", "styles")
"""The fields that a program may fill.

A trigger is a fact of the training and must never be made up.
"""
ALSO_ALLOWED = frozenset({GENERATED, "id", "path", "name"})
"""Keys that are ignored without a notice.

They are allowed so that a line of a cards.jsonl can be pasted. The file's place decides its id and
path.
"""


def read(model: ModelFile, report: Report) -> Fields:
    """The card fields in the sidecar, as texts and lists of texts.

    Raises UnreadableFile when it is broken.
    """
    path = model.sidecars[ENDING]
    found = load(path)
    for key in sorted(found.keys() - KEYS - ALSO_ALLOWED)[:10]:
        report(
            say("unknown key {key}; the keys are {keys}", key=repr(key[:40]), keys=", ".join(KEYS))
        )
    fields = {key: value for key in KEYS if (value := found.get(key)) not in YAML_NOTHING}
    if "previews" in fields:
        fields["previews"] = named_previews(path.parent, fields["previews"], report)
    sampler, scheduler = sampler_and_scheduler(fields.get("sampler"))
    if scheduler:  # "DPM++ 2M Karras"
        fields = {"scheduler": scheduler} | fields | {"sampler": sampler}
    return fields


def read_generated(model: ModelFile, report: Report) -> Fields:
    """The card fields in the sidecar's block `generated`."""
    path = model.sidecars[ENDING]
    try:
        if path.stat().st_size > MAX_SIDECAR_BYTES or f"{GENERATED}:" not in decode(
            path.read_bytes()
        ):
            return {}  # as in nearly every sidecar, which is then not parsed twice
        block = load(path).get(GENERATED)
    except UnreadableFile:
        return {}  # `read` reports it
    if not isinstance(block, dict):
        said = say("expected lines of `key: value` below it, indented; not used")
        report(f"{GENERATED}: {said}")
        return {}
    return {key: value for key in GENERATED_KEYS if (value := block.get(key)) not in YAML_NOTHING}


def load(path: Path) -> dict[str, object]:
    """What is written in a sidecar. Raises UnreadableFile."""
    if path.stat().st_size > MAX_SIDECAR_BYTES:
        raise UnreadableFile(say("larger than {bytes:,} bytes; not read", bytes=MAX_SIDECAR_BYTES))
    return parse(path.read_bytes())


def parse(data: bytes) -> dict[str, object]:
    """What is written in a sidecar, from the bytes of the file. Raises UnreadableFile."""
    # Imported here, because loading PyYAML takes as long as all other readers together.
    from .plain_yaml import load_plain

    found = load_plain(data)
    if found in (None, ""):
        return {}
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise UnreadableFile(
            say("expected lines of `key: value`, like `triggers: <bear-v4>`; not read")
        )
    return found


READERS = (
    Reader("sidecar", "sidecar", read, dict.fromkeys(KEYS, 0), (ENDING,)),
    Reader(
        "generated",
        "generated",
        read_generated,
        {"subjects": 100, "styles": 90, "description": 120},
        (ENDING,),
    ),
)
