"""The nodes. Only `comfy_entrypoint()` imports this package, inside ComfyUI."""

from __future__ import annotations

from .host.version import require_host


def extension():
    """The ComfyExtension with our nodes.

    Raises RuntimeError with one sentence on a ComfyUI that is too old: ComfyUI prints it and starts
    without the nodes.
    """
    require_host((0, 33))
    from .extension import PersonalQExtension

    return PersonalQExtension()
