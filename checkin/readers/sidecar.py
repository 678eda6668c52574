"""Our own sidecar, `<model file name without ending>.personalq.yaml`: what the user says of a model."""

from __future__ import annotations

from .fields import PRIORITY
from .header import UnreadableFile
from .model_file import Fields, ModelFile, Report
from .previews import named_previews

ENDING = ".personalq.yaml"
LARGEST_SIDECAR = 64 * 1024
"""Bytes."""
KEYS = tuple(PRIORITY)
DECIDED_BY_PLACE = frozenset({"id", "path", "name"})
"""Allowed, so that a line of a cards.jsonl can be pasted; where the file lies decides its id and path."""


def read(model: ModelFile, report: Report) -> Fields:
    """The card fields in the sidecar, as texts and lists of texts. Raises UnreadableFile when it is broken."""
    path = model.sidecars[ENDING]
    if path.stat().st_size > LARGEST_SIDECAR:
        raise UnreadableFile(f"larger than {LARGEST_SIDECAR:,} bytes; not read")
    found = _load(path.read_bytes())
    for key in sorted(found.keys() - KEYS - DECIDED_BY_PLACE):
        report(f"unknown key {key!r}; the keys are {', '.join(KEYS)}")
    fields = {key: value for key in KEYS if (value := found.get(key)) not in (None, "", "~", "null")}
    if "previews" in fields:
        fields["previews"] = named_previews(path.parent, fields["previews"], report)
    return fields


def _load(data: bytes) -> dict[str, object]:
    from .plain_yaml import load_plain  # Here, because loading PyYAML takes as long as all other readers together.

    found = load_plain(data)
    if found in (None, ""):
        return {}
    if not isinstance(found, dict):
        raise UnreadableFile("expected lines of `key: value`, like `triggers: <bear-v4>`; not read")
    return found
