"""Make one decision, and draw its picture, through ComfyUI's HTTP API."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .conversation import Request, Turn
from .host_process import HostError, HostProcess, failure, new_client_id
from .request_graph import CHECK_IN, TAQ, request_graph


def decide(
    host: HostProcess, request: Request, answers: Sequence[str], *, pictures: Path, seed: int
) -> Turn:
    """Run the whole graph once; copy the picture, if there is one, into `pictures`.

    Raises HostError when the run ends in an error.
    """
    answer = "\n".join([f"for: {request.text}", *answers]) if answers else ""
    started = time.perf_counter()
    # With a client id a question comes back as data; without one it would be the run's error text.
    entry = host.prompt(
        request_graph(request.text, answer=answer, seed=seed), client_id=new_client_id()
    )
    seconds = time.perf_counter() - started
    error = failure(entry)
    if error:
        raise HostError(f"'{request.text}' ended in an error: {error}\n{host.tail()}")
    said = entry["outputs"][CHECK_IN]["personalq"][0]
    turn = Turn(
        said["outcome"], said["why"], seconds, prompt=said["prompt"], notices=list(said["notices"])
    )
    turn.near = [f"{miss['name']} (without: {miss['dropped']})" for miss in said["near"]]
    if said["question"]:
        turn.question = said["question"]["text"]
        turn.choices = [choice["label"] for choice in said["question"]["choices"]]
    if said["card"]:
        turn.model = said["card"]["name"]
        _note_picture(host, entry, turn, pictures / f"{seed + 1}_{turn.model}.png")
    return turn


def _note_picture(host: HostProcess, entry: dict[str, Any], turn: Turn, copy: Path) -> None:
    report = entry["outputs"][TAQ]["personalq"][0]["report"]
    turn.unet_bytes_before, turn.unet_bytes_after = report["bytes_before"], report["bytes_after"]
    (picture,) = host.pictures(entry)
    copy.parent.mkdir(parents=True, exist_ok=True)
    turn.picture = str(shutil.copy(picture, copy))
