"""What is said where another program answers in place of a ComfyUI."""

from __future__ import annotations

import socket
import threading

import pytest

from personalq.checkin.describe.through_comfyui import describe_through
from personalq.tests.checkin.llm.server import Reply, serving, through


@pytest.mark.parametrize("body", [b"{}", b"[]", b"hello", b"\xff"])
def test_another_program_is_said(body: bytes) -> None:
    with serving([Reply(body)]) as server, pytest.raises(ValueError, match="is no ComfyUI with"):
        describe_through(server.url, "offline", False, 0)


def test_what_speaks_no_http_is_said() -> None:
    def greet(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection:
            connection.recv(100)
            connection.sendall(b"SSH-2.0-OpenSSH\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=greet, args=(listening,), daemon=True).start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(ValueError, match=f"no ComfyUI answers at {url}"):
            describe_through(url, "offline", False, 0)


def test_no_proxy_is_asked_for_a_comfyui_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving([Reply(status=502)]) as proxy, serving([Reply()]) as server:
        through(proxy.url, monkeypatch)
        with pytest.raises(ValueError, match="is no ComfyUI with"):
            describe_through(server.url, "offline", False, 0)
        assert not proxy.asked
        assert server.asked
