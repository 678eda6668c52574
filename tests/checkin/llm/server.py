"""A local server for Gemini's and OpenAI's protocols, whose answers a test sets."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass
class Reply:
    """What the server sends: a status, headers, and the body, all at once or in drops."""

    body: bytes = b"{}"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    drops: float = 0.0
    """Seconds between single bytes; 0 sends all at once."""
    wait: float = 0.0


@dataclass
class Asked:
    """One request that came in."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Server:
    """Answers each request with the next of `replies`, the last one again and again, or with what
    they make of it.
    """

    def __init__(self, replies: list[Reply] | Callable[[Asked], Reply]):
        self.asked: list[Asked] = []
        self._replies = replies
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer._answer(self)

            def log_message(self, *said: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        text = handler.rfile.read(int(handler.headers.get("content-length", 0)))
        asked = Asked(
            handler.path,
            {name.lower(): value for name, value in handler.headers.items()},
            json.loads(text),
        )
        self.asked.append(asked)
        if callable(self._replies):
            reply = self._replies(asked)
        else:
            reply = self._replies[min(len(self.asked), len(self._replies)) - 1]
        time.sleep(reply.wait)
        handler.send_response(reply.status)
        headers = {
            "content-type": "application/json",
            "content-length": str(len(reply.body)),
            **reply.headers,
        }
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        with suppress(OSError):  # the client did not wait
            self._send(handler, reply)

    @staticmethod
    def _send(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        if not reply.drops:
            handler.wfile.write(reply.body)
            return
        for byte in reply.body:
            handler.wfile.write(bytes([byte]))
            handler.wfile.flush()
            time.sleep(reply.drops)


@contextmanager
def serving(replies: list[Reply] | Callable[[Asked], Reply]) -> Iterator[Server]:
    server = Server(replies)
    thread = threading.Thread(target=server._http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server._http.shutdown()
        server._http.server_close()


def through(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Name a proxy in the environment, for every address."""
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, proxy)
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)


def gemini(answer: Any, finish: str = "STOP") -> Reply:
    """A reply of generateContent whose text is `answer`, as JSON unless it is a text already."""
    text = answer if isinstance(answer, str) else json.dumps(answer)
    content = {"parts": [{"text": text}], "role": "model"}
    return _json({"candidates": [{"content": content, "finishReason": finish}]})


def openai(answer: Any, finish: str = "stop") -> Reply:
    """A reply of /chat/completions."""
    text = answer if isinstance(answer, str) else json.dumps(answer)
    choice = {
        "index": 0,
        "finish_reason": finish,
        "message": {"role": "assistant", "content": text},
    }
    return _json(
        {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    )


def _json(body: Any) -> Reply:
    return Reply(json.dumps(body).encode())
