"""What ComfyUI compares to see whether a node must run again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from comfy.model_management import InterruptProcessingException, interrupt_current_processing

from ..checkin import EmptyRepository
from .host.models.repository import open_repository
from .progress import progress_bar


def fingerprint(*values: object) -> str:
    """One text for some values of JSON. ComfyUI writes it into pictures, so it tells nothing."""
    return hashlib.sha256(json.dumps(values, default=str).encode()).hexdigest()


def versions(folders: Iterable[str], node_id: str | None) -> list[str]:
    """The version of the models in each of some of `choices()`.

    Reading them for the first time may take minutes: the node shows how far it is. Empty where the
    run is interrupted meanwhile, which the host only takes up as it runs the next node.
    """
    progress = progress_bar(node_id)
    try:
        return [open_repository(folder, progress).version for folder in folders]
    except InterruptProcessingException:
        interrupt_current_processing()
        return []
    except EmptyRepository:  # no models yet: the node itself says so, where it needs any
        return []
