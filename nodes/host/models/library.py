"""All cards, loaded in memory for the repository tab."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ....checkin import Card, EmptyRepository, Repository
from ....checkin.index.browse import Browser
from ....checkin.index.read_models import Progress
from ....checkin.lexicon.sentences import say
from .held import HeldRepositories
from .repository import ALL, open_repository, roots


class NoSuchCard(LookupError):
    """No model has this id."""


class Library:
    """The cards of the server's models. Thread-safe: one caller reads them while others wait.

    The `held` repositories, which others decide with, are forgotten when the disk is read.
    `changed` is called where other cards were found there than before.
    """

    def __init__(self, held: HeldRepositories, changed: Callable[[], None] = lambda: None) -> None:
        self._held = held
        self._changed = changed
        self._browser: Browser | None = None
        self._lock = threading.Lock()

    def refresh(self, progress: Progress | None = None) -> Browser:
        """Read what changed on the disk since the last call.

        Raises ValueError if there is no model.
        """
        with self._lock:
            self._held.forget()
            try:
                repository = open_repository(ALL, progress)
            except EmptyRepository as error:
                self._browser = None
                raise ValueError(
                    say(
                        "There is no model in ComfyUI's checkpoints, loras and diffusion_models. "
                        "Put a .safetensors file there, and press Rescan."
                    )
                    + error.left_out
                ) from None
            before = self._browser
            if before and _told(before.repository) == _told(repository):
                return before
            self._browser = now = Browser(repository, roots())
            if before:
                self._changed()
            return now

    def browser(self) -> Browser:
        """The cards as they were last read."""
        return self._browser or self.refresh()

    def card(self, card_id: str) -> Card:
        """The card with this id, which is only looked up and never becomes part of a path.

        Raises NoSuchCard.
        """
        try:
            return self.browser().repository.get(card_id)
        except KeyError:
            raise NoSuchCard(
                say("There is no model with this id any more: press Rescan.")
            ) from None


def _told(repository: Repository) -> tuple[str, tuple[str, ...]]:
    """What tells whether pages show another repository: its cards, and what was left out."""
    return repository.version, repository.notices
