"""The progress bar of a node."""

from __future__ import annotations

from collections.abc import Callable

from comfy.utils import ProgressBar


def progress_bar(node_id: str | None = None) -> Callable[[int, int], None]:
    """A callback `(done, total)` that moves the node's progress bar."""
    bar = ProgressBar(1, node_id=node_id)
    return lambda done, total: bar.update_absolute(done, total)
