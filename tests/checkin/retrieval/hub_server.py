"""A local server that speaks the Hugging Face hub's protocol and has one model: MiniLM."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

NAME = "sentence-transformers/all-MiniLM-L6-v2"
WEIGHTS = "model.safetensors"
COMMIT = "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"
PIECE = 10_000_000


class HubServer:
    """Serves the files of a folder as those of the model.

    As on the hub, the first answer is a redirect: for weights to another place for large files, for
    small files to a path of the server.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.asked: list[tuple[str, str, str | None]] = []
        """(method, path, token) of each request."""
        self.refuse: dict[str, int] = {}
        """Status by name of a file that is refused."""
        self.wait = 0.0
        """Seconds before each 10 MB of the weights."""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_HEAD(self) -> None:
                outer._answer(self)

            def do_GET(self) -> None:
                with suppress(OSError):  # the client did not wait
                    outer._answer(self)

            def log_message(self, *said: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def fetched(self) -> list[str]:
        """The names of the files whose bytes were asked for."""
        places = [path for method, path, _ in self.asked if method == "GET"]
        small = [path.partition(f"/{COMMIT}/")[2] for path in places]
        return [name for name in small if name] + [WEIGHTS] * places.count(f"/large/{WEIGHTS}")

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        path = handler.path
        self.asked.append((handler.command, path, handler.headers.get("Authorization")))
        model, _, name = path.removeprefix("/").partition("/resolve/main/")
        file = self.folder / name
        if path == f"/large/{WEIGHTS}":
            self._send(handler, self.folder / WEIGHTS)
        elif path.startswith(start := f"/api/resolve-cache/models/{NAME}/{COMMIT}/"):
            self._send(handler, self.folder / path.removeprefix(start))
        elif model != NAME or name in self.refuse or not file.is_file():
            status = self.refuse.get(name, 404)
            code = {"X-Error-Code": "EntryNotFound"} if status == 404 else {}
            self._head(handler, status, code | {"Content-Length": "0"})
        elif name == WEIGHTS:
            linked = {"X-Linked-Size": str(file.stat().st_size), "X-Linked-ETag": _etag(file)}
            self._redirect(handler, 302, f"{self.url}/large/{WEIGHTS}", linked)
        else:
            self._redirect(handler, 307, f"/api/resolve-cache/models/{NAME}/{COMMIT}/{name}", {})

    def _redirect(
        self, handler: BaseHTTPRequestHandler, status: int, to: str, more: dict[str, str]
    ) -> None:
        headers = {"Location": to, "X-Repo-Commit": COMMIT, "Content-Length": "0"}
        self._head(handler, status, headers | more)

    def _send(self, handler: BaseHTTPRequestHandler, file: Path) -> None:
        size = str(file.stat().st_size)
        headers = {"ETag": _etag(file), "X-Repo-Commit": COMMIT, "Content-Length": size}
        self._head(handler, 200, headers)
        if handler.command == "HEAD":
            return
        with file.open("rb") as content:
            while piece := content.read(PIECE):
                time.sleep(self.wait if file.name == WEIGHTS else 0)
                handler.wfile.write(piece)

    @staticmethod
    def _head(handler: BaseHTTPRequestHandler, status: int, headers: dict[str, str]) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()


@contextmanager
def serving(folder: Path) -> Iterator[HubServer]:
    """A server of the files in `folder`."""
    server = HubServer(folder)
    thread = threading.Thread(target=server._http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server._http.shutdown()
        server._http.server_close()


def _etag(file: Path) -> str:
    return f'"{hashlib.sha256(str(file).encode()).hexdigest()}"'
