"""A real ComfyUI process with its own base directory, driven through its HTTP API."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..ray_cluster import PACK, link_folder
from ..start_comfyui import ask_comfyui, start_comfyui

PACK_NAME = "personalq"
"""The pack's folder in custom_nodes/; ComfyUI uses it to name what comes from the pack."""

Graph = dict[str, dict[str, Any]]
"""A graph in ComfyUI's API form: node id -> {class_type, inputs}."""


class HostError(RuntimeError):
    """ComfyUI did not start, refused a graph, or did not finish it in time."""


class HostProcess:
    """A ComfyUI process that starts with the object and ends with `stop()` or the `with` block.

    `base_directory` receives input/, output/, user/ and custom_nodes/ (with a link to `pack`), so
    that no existing installation is changed. `models` is a folder with checkpoints/ and loras/.
    `log_file` receives all output of the process. It listens on `port`, by default on a free one.

    Raises HostError, with the end of the log, when the server does not answer within
    `start_seconds`.
    """

    def __init__(
        self,
        comfyui: Path,
        models: Path,
        base_directory: Path,
        *,
        python: str = sys.executable,
        arguments: Sequence[str] | None = None,
        start_seconds: float = 240,
        pack: Path = PACK,
        port: int | None = None,
    ):
        self.base_directory = prepare_base_directory(base_directory, pack)
        self.models = models
        self.log_file = self.base_directory / "comfyui.log"
        port = port or free_port()
        self.url = f"http://127.0.0.1:{port}"
        command = ["--listen", "127.0.0.1", "--port", str(port)]
        command += [
            "--base-directory",
            str(self.base_directory),
            "--models-directory",
            str(models.resolve()),
        ]
        command += ["--database-url", f"sqlite:///{self.base_directory / 'user' / 'comfyui.db'}"]
        command += device_arguments() if arguments is None else list(arguments)
        started = time.perf_counter()
        self._process = start_comfyui(comfyui, command, self.log_file, python)
        try:
            self._wait_until_up(start_seconds)
        except BaseException:
            self.stop()
            raise
        self.start_seconds = time.perf_counter() - started

    def __enter__(self) -> HostProcess:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    @property
    def running(self) -> bool:
        """Whether the process is still running."""
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    @property
    def log(self) -> str:
        """The output of the process so far."""
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    def get(self, path: str) -> Any:
        """Return the JSON answer to GET `path`."""
        with ask_comfyui(self.url + path, 60) as answer:
            return json.load(answer)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Return the JSON answer to POST `path`.

        Raises HostError with ComfyUI's message when it refuses.
        """
        request = urllib.request.Request(
            self.url + path,
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
            method="POST",
        )
        try:
            with ask_comfyui(request, 60) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            refusal = error.read().decode(errors="replace")
            raise HostError(f"ComfyUI refused POST {path} ({error.code}): {refusal}") from error
        return json.loads(text) if text else None

    def prompt(
        self,
        graph: Graph,
        client_id: str | None = None,
        *,
        workflow: Mapping[str, Any] | None = None,
        timeout: float = 300,
    ) -> dict[str, Any]:
        """Queue a graph, wait for its end, and return its history entry (status, outputs, prompt).

        With a `client_id`, a question of Check-in comes back in the outputs; without one, it ends
        the run with an error. A run that ends in an error is returned like any other: see
        `failure`. `workflow` is the saved workflow to store in the pictures, as the front end sends
        it.

        Raises HostError when ComfyUI refuses the graph, ends meanwhile, or does not finish it
        within `timeout` seconds.
        """
        body: dict[str, Any] = {"prompt": graph}
        if client_id is not None:
            body["client_id"] = client_id
        if workflow is not None:
            body["extra_data"] = {"extra_pnginfo": {"workflow": workflow}}
        prompt_id = self.post("/prompt", body)["prompt_id"]
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            entry = self.get(f"/history/{prompt_id}").get(prompt_id)
            if entry is not None and entry["status"]:
                return entry
            if not self.running:
                raise HostError(
                    "ComfyUI ended while it ran a graph (exit code "
                    f"{self._process.returncode}).\n{self.tail()}"
                )
            time.sleep(0.05)
        raise HostError(f"The graph did not finish within {timeout:.0f} s.\n{self.tail()}")

    def pictures(self, entry: Mapping[str, Any]) -> list[Path]:
        """Return the files that the SaveImage nodes of a finished run wrote."""
        found = [
            image for output in entry["outputs"].values() for image in output.get("images", [])
        ]
        folder = self.base_directory
        return [folder / image["type"] / image["subfolder"] / image["filename"] for image in found]

    def tail(self, lines: int = 30) -> str:
        """Return the end of the log."""
        return "\n".join(self.log.splitlines()[-lines:])

    def stop(self) -> None:
        """End the process; kill it when it has not ended after 10 s."""
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        finally:
            if self._process.stdin:
                self._process.stdin.close()

    def _wait_until_up(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not self.running:
                raise HostError(
                    f"ComfyUI did not start (exit code {self._process.returncode}).\n{self.tail()}"
                )
            try:
                self.get("/system_stats")
                return
            except OSError:
                time.sleep(0.1)
        raise HostError(f"ComfyUI did not answer within {seconds:.0f} s.\n{self.tail()}")


def failure(entry: Mapping[str, Any]) -> str | None:
    """Return the error text of a finished run; None when it succeeded."""
    if entry["status"]["status_str"] == "success":
        return None
    details = [detail for kind, detail in entry["status"]["messages"] if kind == "execution_error"]
    return details[0]["exception_message"].strip() if details else "interrupted"


def new_client_id() -> str:
    """Return a new client id for `HostProcess.prompt`."""
    return uuid.uuid4().hex


def prepare_base_directory(folder: Path, pack: Path = PACK) -> Path:
    """Make the folders of a ComfyUI base directory, with a link to `pack` in custom_nodes/."""
    folder = folder.resolve()
    for name in ("custom_nodes", "input", "output", "user"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    link = folder / "custom_nodes" / PACK_NAME
    if os.path.lexists(link) and link.resolve() != pack:
        link.unlink()
    if not os.path.lexists(link):
        link_folder(pack, link)
    return folder


def device_arguments() -> list[str]:
    """Return ComfyUI's arguments for this machine: `--cpu` where torch sees no accelerator."""
    import torch

    return [] if torch.accelerator.is_available() else ["--cpu"]


def free_port(preferred: Iterable[int] = ()) -> int:
    """Return a free TCP port: the first free one of `preferred`, else any."""
    for port in preferred:
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]
