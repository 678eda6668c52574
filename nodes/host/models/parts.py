"""Finds the text encoders and the VAE of a model whose parts are files of their own."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import folder_paths

from ....checkin import Card
from ....checkin.index.folders import MODEL_ENDINGS
from ....checkin.lexicon.base_models import label_of
from ....checkin.lexicon.sentences import listed, quoted, say, sentence
from ....checkin.lexicon.split_models import (
    MODELS,
    PIXELS,
    SPLIT_MODELS,
    TEXT_ENCODERS,
    VAES,
    Part,
    SplitModel,
    split_model,
)
from ....checkin.readers.header import UnreadableFile, read_header
from ....checkin.readers.part_layouts import layout_of, parts_within

_TEMPLATE = sentence("ComfyUI's own templates download them: Workflow, Browse Templates.")
_NAME_IT = sentence("write its name into the LoRA's sidecar with `base:`.")


class Files(NamedTuple):
    """The files that a diffusion model's own file leaves out."""

    clip_type: str = ""
    """The host's name for how the text encoders are used; "" where the model's file has them."""
    text_encoders: tuple[str, ...] = ()
    vae: str | None = None
    """A path; PIXELS for a model without a VAE; None where the model's file has it."""


def files_of(card: Card) -> Files:
    """What has to be loaded with the model of `card`, a checkpoint or a diffusion model alone.

    Nothing for a model of which the table does not know the parts. Raises FileNotFoundError, which
    names the files that are missing and their folders.
    """
    row, encoders, vaes = _needed(card)
    if said := _missing(card, row, encoders, vaes):
        raise FileNotFoundError(said)
    return Files(
        row.clip_type if row and encoders else "",
        tuple(path for one in encoders if (path := find(one))),
        find(vaes[0]) if vaes else None,
    )


def missing_parts(card: Card) -> str:
    """The files that `files_of` lacks, and their folders; "" if all are here."""
    return _missing(card, *_needed(card))


def _missing(
    card: Card, row: SplitModel | None, encoders: tuple[Part, ...], vaes: tuple[Part, ...]
) -> str:
    lacking = [one for one in (*encoders, *vaes) if find(one) is None]
    if not (row and lacking):
        return ""
    return say(
        "'{name}' is for {base}, and parts of it are missing: {files}. {where}",
        name=card.name,
        base=label_of(row.base_model),
        files=_listed(map(_wanted, lacking)),
        where=say(_TEMPLATE),
    )


def _needed(card: Card) -> tuple[SplitModel | None, tuple[Part, ...], tuple[Part, ...]]:
    """(the model's row in the table, its text encoders, its VAE) that its own file leaves out."""
    within = parts_within(read_header(Path(str(card.path))).shapes)
    row = None if within >= {TEXT_ENCODERS, VAES} else split_model(card.base_model)
    if row is None:
        return None, (), ()
    encoders = () if TEXT_ENCODERS in within else row.text_encoders
    return row, encoders, () if VAES in within else (row.vae,)


def missing_base(card: Card, row: SplitModel | None) -> FileNotFoundError:
    """The error for a LoRA without its base: it names all files that the LoRA needs."""
    if row is None:
        called = label_of(card.base_model) if card.base_model else say("unknown")
        wanted = say("a model of its base model ({base})", base=called)
        return FileNotFoundError(
            say(
                "The LoRA '{name}' needs {model} to be loaded on, and none is here. Put it into "
                "checkpoints or diffusion_models, or {name_it}",
                name=card.name,
                model=quoted(card.base) if card.base else wanted,
                name_it=say(_NAME_IT),
            )
        )
    files = [_whole(card.base or row.models[0], row.folder)]
    if row.folder == MODELS:
        files += [_wanted(one) for one in (*row.text_encoders, row.vae) if find(one) is None]
    return FileNotFoundError(
        say(
            "The LoRA '{name}' needs a {base} model to be loaded on, and none is here. Put "
            "{files}. {where} If you have one, {name_it}",
            name=card.name,
            base=label_of(row.base_model),
            files=_listed(files),
            where=say(_TEMPLATE),
            name_it=say(_NAME_IT),
        )
    )


def find(part: Part) -> str | None:
    """The file of a part: one with a usual name, else one with its layout; None if none is here.

    Of VAEs with one layout, each draws right for its own models alone, so that one without a usual
    name is used only if there is no other, and never one that is usual for other models.
    """
    if part.layout == PIXELS:
        return PIXELS
    files = _files(part.folder)
    usual = [files[name] for name in map(str.casefold, part.names) if name in files]
    for path in usual:
        if _layout(path) in (None, part.layout):
            return path
    others = [
        path for stem, path in files.items() if stem not in _USUAL and _layout(path) == part.layout
    ]
    return others[0] if len(others) == 1 or (others and part.folder == TEXT_ENCODERS) else None


_USUAL = {
    name.casefold()
    for row in SPLIT_MODELS
    for part in (*row.text_encoders, row.vae)
    for name in part.names
}


def _files(folder: str) -> dict[str, str]:
    """Name without ending, in lower case -> path, for the safetensors files in a host's folder."""
    names = (name for name in sorted(_names_in(folder)) if name.casefold().endswith(MODEL_ENDINGS))
    found: dict[str, str] = {}
    for name in names:
        stem = os.path.basename(name.replace("\\", "/")).rpartition(".")[0].casefold()
        if path := folder_paths.get_full_path(folder, name):
            found.setdefault(stem, path)
    return found


def _names_in(folder: str) -> list[str]:
    try:
        return folder_paths.get_filename_list(folder)
    except OSError:  # a place that the host has listed before is gone, as a disk may be
        folder_paths.filename_list_cache.pop(folder, None)
        return folder_paths.get_filename_list(folder)


def _layout(path: str) -> str | None:
    try:
        return layout_of(read_header(Path(path)).shapes)
    except (UnreadableFile, OSError):
        return "unreadable"


def _wanted(part: Part) -> str:
    """What to put where: "qwen_3_4b.safetensors into text_encoders"."""
    names = [f"{name}.safetensors" for name in part.names]
    said = say("{file} into {folder}", file=listed(names), folder=part.folder)
    for stem, path in _files(part.folder).items():
        if stem in map(str.casefold, part.names):
            found = _layout(path) or "unknown"
            name = os.path.basename(path)
            said += " " + say(
                "(the {file} that is there is another one: {layout})", file=name, layout=found
            )
    return said


def _whole(name: str, folder: str) -> str:
    last = os.path.basename(name.replace("\\", "/"))
    ending = "" if last.casefold().endswith(MODEL_ENDINGS) else ".safetensors"
    return say("{file} into {folder}", file=last + ending, folder=folder)


def _listed(items: Iterable[str]) -> str:
    return listed(list(items), "and")
