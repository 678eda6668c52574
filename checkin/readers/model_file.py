"""One model file and what lies next to it, as the readers see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .header import Header

Fields = dict[str, Any]
"""What one reader found: values by the name of the card's field, not cleaned yet."""

Report = Callable[[str], None]
"""Takes one sentence about a value that was found and not used."""


@dataclass(frozen=True)
class ModelFile:
    """What the readers need to know about one model file."""

    path: Path
    header: Header
    modified: float
    """Modification time of the file, in seconds since 1970."""
    sidecars: dict[str, Path] = field(default_factory=dict)
    """The existing sidecars, by their ending (".civitai.info")."""
    previews: tuple[Path, ...] = ()

    @property
    def stem(self) -> str:
        """The file name without its ending."""
        return self.path.name.rpartition(".")[0]
