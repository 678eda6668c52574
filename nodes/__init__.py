"""The nodes. Only `comfy_entrypoint()` imports this package, inside ComfyUI."""

from __future__ import annotations

from .host.version import require_host


def extension():
    """The ComfyExtension with our nodes.

    Raises RuntimeError with a one-sentence message if ComfyUI is too old; ComfyUI prints it and
    starts without the nodes.
    """
    require_host((0, 33))
    from .extension import PersonalQExtension

    return PersonalQExtension()
