"""What a metadata reader is, and how its values rank among those of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .fields import FIELDS
from .model_file import Fields, ModelFile, Report


@dataclass(frozen=True)
class Reader:
    """One source of card fields.

    Ranks differ from field to field, in steps of ten so that a new reader fits between two others:

    - People come before tools, tools before guesses. Among people, the one who has the model on
      this machine (our sidecar; the notes of SwarmUI, A1111 and Lora-Manager) comes before the one
      who published it.
    - What a program made from pictures and captions ("generated") comes after whatever a person or
      the trainer said, and before a guess from captions. It fills no field in which a wrong value
      makes the model unusable: no trigger, date or version.
    - `triggers`: an explicit trigger comes before the name of a training folder (kohya), because
      captions may have replaced that name.
    - `created_at`: no reader gives the time of an import. A date in the file's name comes before
      the file's own time, the last resort: a copy to another disk may have changed that.
    - `version`: the file's name comes before the version of a site, which applies to all files of
      one page, and before `ssmd`, which its editor copies to all epochs.
    - `kind`: the tensors are proof, the rest are claims.
    - `sha256`: a hash that a tool computed from this very file (Lora-Manager, rgthree) comes first.
      A hash of the tensors alone is not the file's hash.
    """

    name: str
    source: str
    """What a card's `sources` call this reader."""
    read: Callable[[ModelFile, Report], Fields]
    """May raise ValueError: then the source is left out, with a notice."""
    ranks: Mapping[str, int]
    """Field that it may fill -> rank.

    The usable value with the lowest rank is taken. What the reader finds for any other field is not
    used.
    """
    endings: tuple[str, ...] = ()
    """The endings of its sidecar: what follows the model's name without its ending, in lower case.

    The first one that exists is read. Empty for a reader of the model file itself.
    """

    def __post_init__(self) -> None:
        if unknown := sorted(self.ranks.keys() - FIELDS):
            raise ValueError(f"reader {self.name}: a card has no field {', '.join(unknown)}")
