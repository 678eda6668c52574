"""What ComfyUI compares to see whether a node must run again."""

from __future__ import annotations

import hashlib
import json


def fingerprint(*values: object) -> str:
    """One text for some values of JSON. ComfyUI writes it into pictures, so it tells nothing."""
    return hashlib.sha256(json.dumps(values, default=str).encode()).hexdigest()
