"""The folders of models that ComfyUI knows, as one repository."""

from __future__ import annotations

import hashlib
import os

import folder_paths

from ...checkin import Repository

ALL = "all models"
KINDS = ("checkpoints", "loras")


def choices() -> list[str]:
    """What the `repository` input offers: everything, each kind, and the first level of subfolders."""
    entries = ((kind, entry) for kind in KINDS for root in _roots(kind) for entry in os.scandir(root))
    subfolders = {f"{kind}/{entry.name}" for kind, entry in entries if entry.is_dir()}
    return [ALL, *KINDS, *sorted(subfolders)]


def open_repository(name: str, progress=None) -> Repository:
    """The models behind one of `choices()`, all of ComfyUI's roots included; rescans only what changed.

    Raises ValueError for a name that is not offered.
    """
    folders = _folders(name)
    if not folders:
        raise ValueError(f"There is no folder '{name}' here. Choose one of: {', '.join(choices())}.")
    digest = hashlib.sha256("|".join(folders).encode()).hexdigest()[:12]
    cache = os.path.join(folder_paths.get_system_user_directory("personalq"), f"index-{digest}.sqlite")
    os.makedirs(os.path.dirname(cache), exist_ok=True)
    return Repository.open(*folders, cache=cache, progress=progress)


def _folders(name: str) -> list[str]:
    if name == ALL:
        return [root for kind in KINDS for root in _roots(kind)]
    if name not in choices():  # a combo's value comes from the workflow file and is not trusted as a path
        return []
    kind, _, subfolder = name.partition("/")
    folders = [os.path.join(root, subfolder) if subfolder else root for root in _roots(kind)]
    return [folder for folder in folders if os.path.isdir(folder)]


def _roots(kind: str) -> list[str]:
    return [root for root in folder_paths.get_folder_paths(kind) if os.path.isdir(root)]
