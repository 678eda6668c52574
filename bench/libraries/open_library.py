"""A library whose files lie in a temporary folder, opened as Check-in opens a user's folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from ...checkin import Repository
from ...checkin.user.context import Context
from ...checkin.user.history import Use
from .files import write
from .library import Library, library_names, read_library


@dataclass(frozen=True, eq=False)
class OpenLibrary:
    """A library and the repository of its files."""

    library: Library
    repository: Repository = field(repr=False)
    paths: dict[str, str] = field(repr=False)
    """Card id -> path of its file in the library."""

    @cached_property
    def context(self) -> Context:
        """The context with all uses of models; those of files without a card are left out."""
        ids = {path: card_id for card_id, path in self.paths.items()}
        uses = (Use(use.when, ids[use.path]) for use in self.library.uses if use.path in ids)
        return Context(history=tuple(uses))


@contextmanager
def opened(library: Library) -> Iterator[OpenLibrary]:
    """Write the library's files to a temporary folder and open it, without embeddings."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        write(library.files, folder)
        repository = Repository.open(folder, embedder=None)
        paths = {
            card.id: Path(card.path).relative_to(folder).as_posix()
            for card in repository.cards
            if card.path
        }
        yield OpenLibrary(library, repository, paths)


@contextmanager
def open_half() -> Iterator[list[OpenLibrary]]:
    """Open all libraries of the open half."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(opened(read_library("open", name)))
            for name in library_names("open")
        ]
