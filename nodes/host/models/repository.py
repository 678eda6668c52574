"""ComfyUI's model folders as one repository."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

import folder_paths

from ....checkin import Card, Repository
from ....checkin.index.folders import subfolders
from ....checkin.index.snapshot import StoredCards
from ....checkin.lexicon.sentences import say
from ....checkin.user.preferences import OFF
from ..user import preferences
from .one_reader import OneReader

ALL = "all models"
KINDS = ("checkpoints", "loras", "diffusion_models")
"""The host's folders of models that a request can mean."""
_ONE_READER = OneReader()


def choices() -> list[str]:
    """The choices of the `repository` input: all models, each kind, and the first level of
    subfolders.
    """
    found = {
        f"{kind}/{name}" for kind in KINDS for root in _roots(kind) for name in subfolders(root)
    }
    return [ALL, *KINDS, *sorted(found)]


def offered(name: str) -> str:
    """`name` if it is one of `choices()`, else ALL.

    In a shared workflow, it may be a subfolder of another machine.
    """
    return name if name in choices() else ALL


def everywhere(name: str) -> str:
    """ALL, or the folder that a node searches although the settings leave it out.

    Chosen models are looked for there.
    """
    return name if name in preferences().leave_out and name in choices() else ALL


def open_repository(name: str, progress=None) -> Repository:
    """The models of one of `choices()`, in all root folders of ComfyUI.

    Only changed files are read again. Folders that the user's settings leave out are not searched,
    unless `name` is one of them. Raises ValueError for a name that is not offered, and if all
    folders are left out.
    """
    folders = _folders(name)
    if not folders:
        raise ValueError(
            say(
                "There is no folder '{folder}' here. Choose one of: {folders}.",
                folder=name,
                folders=", ".join(choices()),
            )
        )
    cache = _index(folders)
    wanted = preferences()
    left_out = [folder for one in wanted.leave_out if one != name for folder in _folders(one)]
    kept = [folder for folder in folders if folder not in left_out]
    if not kept:
        raise ValueError(
            say(
                "All folders of models are left out: look at one of them, in the settings under "
                "PersonalQ."
            )
        )
    embedder = None if wanted.embedder == OFF else wanted.embedder
    with _ONE_READER.turn(progress) as tell:
        return Repository.open(
            *kept, cache=cache, progress=tell, embedder=embedder, leave_out=left_out
        )


def index_of_all() -> Path:
    """The file of the index of all models."""
    return _index(_folders(ALL))


def roots() -> list[tuple[str, str]]:
    """(the host's name, the path) of each folder that holds models."""
    return [(kind, os.path.abspath(root)) for kind in KINDS for root in _roots(kind)]


def id_among_all(card: Card, everything: Repository) -> str | None:
    """The id of a model's card among all models, which may be longer than that in one folder.

    None if the user's settings leave its folder out.
    """
    cards = everything.cards
    places = cards.holding(json.dumps(card.path).encode()) if isinstance(cards, StoredCards) else ()
    return next((cards[one].id for one in places if cards[one].path == card.path), None)


def _folders(name: str) -> list[str]:
    if name == ALL:
        return [root for kind in KINDS for root in _roots(kind)]
    if (
        name not in choices()
    ):  # a combo's value comes from the workflow file, so it is not trusted as a path
        return []
    kind, _, subfolder = name.partition("/")
    folders = [os.path.join(root, subfolder) if subfolder else root for root in _roots(kind)]
    return [folder for folder in folders if os.path.isdir(folder)]


def _index(folders: Sequence[str]) -> Path:
    digest = hashlib.sha256(os.fsencode("|".join(folders))).hexdigest()[:12]
    return Path(folder_paths.get_system_user_directory("personalq"), f"index-{digest}.sqlite")


def _roots(kind: str) -> list[str]:
    return [root for root in folder_paths.get_folder_paths(kind) if os.path.isdir(root)]
