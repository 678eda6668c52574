"""Scans folders for model files and for the sidecars and previews next to them."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain

from ..lexicon.sentences import say, sentence
from ..readers import FOLDER_SIDECAR, SIDECAR_ENDINGS, previews, sidecar
from ..readers.failures import NOT_TEXT, is_text, reason
from ..readers.links import leads_out

MODEL_ENDINGS = (".safetensors", ".sft")
PICKLE_ENDINGS = (".ckpt", ".pt", ".pth", ".bin", ".pkl")
A_PICKLE = sentence(
    "left out: a pickle, never opened because it can run code; convert it to safetensors"
)
_TRASH = (".trash", "$recycle.bin", "#recycle", "@recycle", ".stversions")
"""How folders begin, in lower case, in which systems keep what was deleted or replaced."""
_ENDINGS = {ending: place for place, ending in enumerate((*SIDECAR_ENDINGS, *previews.ENDINGS))}
Stamp = tuple[str, int, int]
"""(name, size in bytes, modification time in ns) of a file.

If the stamp differs, the file was changed.
"""


@dataclass(frozen=True, slots=True)
class Listed:
    """One model file that was found and not read yet."""

    path: str
    relative: str
    """Path from the repository's folder, with "/"."""
    sidecars: dict[str, str]
    """Ending -> path."""
    previews: tuple[str, ...]
    stamps: tuple[Stamp, ...]
    """The stamp of the model file, then those of its sidecars and previews."""


def list_models(
    folder: str, notice: Callable[[str], None], leave_out: Collection[str] = ()
) -> Iterator[Listed]:
    """The model files in `folder` and all folders below it, in the order of their names.

    Links to folders and model files are followed, links of other files only within the repository;
    a folder that can be reached in several ways is listed once. What was deleted, and is kept in a
    folder such as $RECYCLE.BIN, is left out.
    `notice` is called for files that look like models and are left out, and for folders that cannot
    be read. `leave_out` holds paths of folders that are skipped.
    """
    root = os.path.realpath(folder)
    for place, prefix, entries in _walk(folder, leave_out):
        if isinstance(entries, OSError):
            notice(f"{prefix or place}: {_left_out(reason(entries))}")
        else:
            yield from models_among(entries, prefix, notice, root)


def folder_digest(
    folders: Iterable[str], outside: Iterable[str], leave_out: Collection[str] = ()
) -> str:
    """A digest of names, sizes and times of all files in and below `folders`, and in `outside`.

    While it is the same, no model was added, changed or removed. It needs one `stat` for each file,
    a quarter of the time of listing the models. The folders' own times are not enough: they do not
    change when a file is rewritten.
    """
    digest = blake2b(digest_size=16)
    inside = chain.from_iterable(_walk(folder, leave_out) for folder in folders)
    for place, _, entries in (*inside, *((one, "", scanned(one)) for one in outside)):
        files = (
            [str(entries)]
            if isinstance(entries, OSError)
            else [_signature(entry) for entry in entries]
        )
        digest.update("\n".join((place, *files, "")).encode(errors="surrogatepass"))
    return digest.hexdigest()


def subfolders(folder: str) -> list[str]:
    """The names of the folders in a folder, links included; [] where it cannot be read."""
    entries = scanned(folder)
    if isinstance(entries, OSError):
        return []
    return [entry.name for entry in entries if _is(entry.is_dir) and is_text(entry.name)]


def _is(test: Callable[[], bool]) -> bool:
    """The result of an entry's test for its type; False if the system cannot tell.

    It cannot tell for a link to itself.
    """
    try:
        return test()
    except OSError:
        return False


def _signature(entry: os.DirEntry[str]) -> str:
    """The name, size and time of a file as text; only the name for a folder or a broken link."""
    try:
        stat = None if entry.is_dir() else entry.stat()
    except OSError:  # a link to nothing, or to itself
        stat = None
    if stat is None:
        return entry.name
    return f"{entry.name}\0{stat.st_size}\0{stat.st_mtime_ns}"


def _walk(
    folder: str, leave_out: Collection[str]
) -> Iterator[tuple[str, str, list[os.DirEntry[str]] | OSError]]:
    """(path, path from `folder` with "/" at its end, entries) of `folder` and all folders below."""
    pending = [(folder, "")]
    seen = set()
    while pending:
        current, prefix = pending.pop()
        place = os.path.realpath(current)
        if place in seen:
            continue
        seen.add(place)
        entries = scanned(current)
        yield current, prefix, entries
        if not isinstance(entries, OSError):
            folders = [
                entry
                for entry in reversed(entries)
                if _is(entry.is_dir)
                and entry.path not in leave_out
                and not entry.name.casefold().startswith(_TRASH)
            ]
            pending += [(entry.path, f"{prefix}{entry.name}/") for entry in folders]


def scanned(folder: str) -> list[os.DirEntry[str]] | OSError:
    """The entries of a folder, sorted by name; the error if it cannot be read."""
    if not is_text(folder) or "\0" in folder:
        return OSError(None, NOT_TEXT)
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        return error


def models_among(
    entries: Collection[os.DirEntry[str]],
    prefix: str,
    notice: Callable[[str], None],
    root: str | None = None,
) -> Iterator[Listed]:
    """The model files among the entries of one folder.

    `prefix` is the folder's path, relative to the repository's folder, which is `root`.
    """
    entries = [entry for entry in entries if not entry.name.startswith("._")]  # of macOS
    files = [entry for entry in entries if _is(entry.is_file)]
    strange = [entry for entry in files if _leads_out(entry, root)]
    for entry in strange:
        said = say("a link out of the folders of models; not read")
        notice(f"{prefix}{entry.name}: {said}")
    files = [entry for entry in files if entry not in strange]
    present = {spelt_alike(entry.name): entry for entry in files}
    stems = {
        without_ending(entry.name)
        for entry in files
        if entry.name.casefold().endswith(MODEL_ENDINGS)
    }
    beside = _by_stem(files, stems)
    readme = (
        present.get(FOLDER_SIDECAR)
        if sum(name.endswith(MODEL_ENDINGS) for name in present) == 1
        else None
    )
    for entry in entries:
        lower = spelt_alike(entry.name)
        if lower.endswith(PICKLE_ENDINGS) and not _is(entry.is_dir):
            notice(f"{prefix}{entry.name}: {A_PICKLE}")
        elif lower.endswith(sidecar.ENDING):
            stem = lower.removesuffix(sidecar.ENDING)
            if not any(stem + ending in present for ending in MODEL_ENDINGS):
                model = f"{stem}{MODEL_ENDINGS[0]}"
                said = say("the model that it describes ({model}) is not there", model=model)
                notice(f"{prefix}{entry.name}: {said}")
        elif lower.endswith(MODEL_ENDINGS) and not _is(entry.is_dir):
            if not is_text(entry.name):
                notice(f"{prefix}{entry.name}: {_left_out(say(NOT_TEXT))}")
            elif not _is(entry.is_file):
                said = say("a link to a file that is not there")
                notice(f"{prefix}{entry.name}: {said}")
            else:
                stem = without_ending(entry.name)
                own = beside.get(("", spelt_alike(stem)), {}) | beside.get((stem, ""), {})
                try:
                    yield _listed(entry, prefix, own, readme)
                except OSError as error:  # deleted since the folder was listed
                    notice(f"{prefix}{entry.name}: {_left_out(reason(error))}")


def _leads_out(entry: os.DirEntry[str], root: str | None) -> bool:
    """Whether a sidecar or preview is a link out of the folders of models."""
    beside = entry.name.casefold().endswith((*_ENDINGS, FOLDER_SIDECAR))
    return beside and entry.is_symlink() and leads_out(entry.path, [root] if root else [])


def _left_out(why: str) -> str:
    return say("left out: {why}", why=why)


def without_ending(name: str) -> str:
    """The name of a model file without its ending.

    The names of its sidecars and previews begin with it.
    """
    return name.rpartition(".")[0]


def spelt_alike(name: str) -> str:
    """A file's name as it is compared: in lower case, with accents as others than Macs write them.

    A model and what lies beside it are spelt alike.
    """
    return name.casefold() if name.isascii() else unicodedata.normalize("NFC", name).casefold()


def _by_stem(
    files: Iterable[os.DirEntry[str]], stems: Collection[str]
) -> dict[tuple[str, str], dict[str, os.DirEntry[str]]]:
    """Owner -> ending -> file, for files that can be a sidecar or preview.

    The owner is (stem, "") if a model among `stems` is spelt exactly like the file's stem.
    Otherwise it is ("", stem in lower case), for every model whose stem differs only in case or in
    how its accents are written.
    """
    found: dict[tuple[str, str], dict[str, os.DirEntry[str]]] = {}
    for entry in files:
        name = entry.name
        dot = name.find(".")
        while dot >= 0:
            if (ending := name[dot:].casefold()) in _ENDINGS:
                stem = name[:dot]
                found.setdefault((stem, "") if stem in stems else ("", spelt_alike(stem)), {})[
                    ending
                ] = entry
            dot = name.find(".", dot + 1)
    return found


def _listed(
    entry: os.DirEntry[str],
    prefix: str,
    beside: dict[str, os.DirEntry[str]],
    readme: os.DirEntry[str] | None,
) -> Listed:
    """One model file with what lies next to it.

    `beside`: its sidecars and previews, by ending; `readme`: the README, if the folder has no other
    model.
    """
    endings = sorted(beside, key=_ENDINGS.__getitem__)
    sidecars = {ending: beside[ending] for ending in endings if ending in SIDECAR_ENDINGS}
    if readme:
        sidecars[FOLDER_SIDECAR] = readme
    pictures = [beside[ending] for ending in endings if ending in previews.ENDINGS]
    stamps = {file.path: _stamp(file) for file in (*sidecars.values(), *pictures)}
    there = {path: stamp for path, stamp in stamps.items() if stamp}
    own = entry.stat()
    return Listed(
        path=entry.path,
        relative=prefix + entry.name,
        sidecars={ending: file.path for ending, file in sidecars.items() if file.path in there},
        previews=tuple(picture.path for picture in pictures if picture.path in there),
        stamps=((entry.name, own.st_size, own.st_mtime_ns), *there.values()),
    )


def _stamp(file: os.DirEntry[str]) -> Stamp | None:
    """The stamp of a file; None if it was deleted since its folder was listed."""
    try:
        stat = file.stat()
    except OSError:
        return None
    return file.name, stat.st_size, stat.st_mtime_ns
