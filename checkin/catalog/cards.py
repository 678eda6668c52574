"""A card: what is known about one model file, and where each fact came from."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import PurePath
from typing import Any, Literal

Kind = Literal["checkpoint", "lora"]
Origin = Literal["trained", "downloaded"]

LISTS = ("triggers", "variants", "names", "subjects", "styles", "tags", "previews", "unusable")
"""The fields that hold several texts."""


@dataclass(frozen=True)
class Card:
    """The context tuple of one model: (T, S, A, D, M) in the paper.

    It holds triggers, subjects, styles, description and metadata. Everything but `id` may be
    missing. `sources` names, for each field that is present, where its value was read:
    "cards.jsonl", or one of the sources of the readers ("sidecar", "safetensors", "civitai.info",
    "file name", ...).
    """

    id: str
    path: str | None = None
    kind: Kind = "checkpoint"
    triggers: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    """Groups of triggers that belong together, such as outfits: "anna, red dress, high heels"."""
    title: str = ""
    """What its publisher or trainer calls it, "Plush Teddy Bear v2"."""
    names: tuple[str, ...] = ()
    """What the user calls it."""
    subjects: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """Free tags of a site or header; those that are subjects or styles are there too."""
    captions: Mapping[str, float] = field(default_factory=dict)
    """Caption or tag of the training pictures -> share of the pictures that have it."""
    description: str = ""
    created_at: datetime | None = None
    version: str | None = None
    base_model: str | None = None
    base: str | None = None
    """Name (file name, ending optional) of the checkpoint that a LoRA was trained on."""
    lineage: str | None = None
    """The name that all builds of the same subject in the same style share."""
    sha256: str | None = None
    previews: tuple[str, ...] = ()
    """Paths of pictures.

    "<path of the model>#<key>" is a picture in the model's header, which readers/previews.py reads.
    """
    strength: float = 1.0
    """Strength at which a LoRA is applied."""
    resolution: str | None = None
    """Size of the pictures that it was trained for, in pixels: "512x768" is width by height."""
    steps: int | None = None
    """Sampling steps that suit it."""
    cfg: float | None = None
    """Classifier-free guidance that suits it."""
    sampler: str | None = None
    scheduler: str | None = None
    """The host's names of the sampler and the scheduler that suit it: "dpmpp_2m", "karras"."""
    clip_skip: int | None = None
    """How many of CLIP's layers count from the end: 1 is the last one, 2 the one before."""
    negative: str | None = None
    """A negative prompt that suits it."""
    origin: Origin | None = None
    """Whether the user trained it or downloaded it, as far as the files tell."""
    sources: Mapping[str, str] = field(default_factory=dict)
    unusable: tuple[str, ...] = ()
    """Triggers in the model's files that cannot be used in a prompt, each with the reason."""

    @property
    def trigger(self) -> str | None:
        """The canonical trigger."""
        return self.triggers[0] if self.triggers else None

    @property
    def name(self) -> str:
        """The name for people: the file's name without folder and ending; else the id.

        Letters with accents are one character each (NFC), as people type them; in the name of a
        file that a Mac wrote they may be two.
        """
        file = PurePath((self.path or "").replace("\\", "/"))
        return unicodedata.normalize("NFC", file.stem) or self.id

    def as_dict(self) -> dict[str, Any]:
        """The card as JSON-ready values, in the form of one line of a cards.jsonl.

        Fields without a value are left out.
        """
        found = {item.name: getattr(self, item.name) for item in fields(self)}
        present = {name: value for name, value in found.items() if value not in (None, "", (), {})}
        for name in LISTS:
            if name in present:
                present[name] = list(present[name])
        if self.created_at:
            present["created_at"] = self.created_at.isoformat()
        return present

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Card:
        """The card that `as_dict` wrote.

        Values from elsewhere must be cleaned first (readers/fields.py).
        """
        known = dict(values)
        for name in LISTS:
            if name in known:
                known[name] = tuple(known[name])
        if "created_at" in known:
            known["created_at"] = datetime.fromisoformat(known["created_at"])
        return cls(**known)
