"""How people name kinds of model files."""

from __future__ import annotations

KINDS: dict[str, str] = {
    "lora": "lora",
    "locon": "lora",
    "lycoris": "lora",
    "checkpoint": "checkpoint",
    "ckpt": "checkpoint",
}
