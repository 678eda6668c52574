"""What nodes need of the host's server where they run in the test's own process."""

from __future__ import annotations

from execution import PromptQueue


class Server:
    """The queue of runs, and the page that sent the one that runs."""

    client_id = "page"

    def __init__(self) -> None:
        self.prompt_queue = PromptQueue(self)

    def queue_updated(self) -> None:
        """No page is told."""
