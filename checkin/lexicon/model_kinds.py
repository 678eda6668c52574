"""How people name kinds of model files."""

from __future__ import annotations

KINDS: dict[str, str] = {
    "lora": "lora",
    "locon": "lora",
    "lycoris": "lora",
    "checkpoint": "checkpoint",
    "ckpt": "checkpoint",
}
OTHER_KINDS = frozenset("controlnet upscaler vae embedding hypernetwork ipadapter".split())
"""Words for files of other kinds, which Check-in does not choose."""
