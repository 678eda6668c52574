"""Test how our routes answer."""

from __future__ import annotations

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from personalq.atomic_write import FileInUse

answering = pytest.importorskip("personalq.nodes.host.web.answering", reason="no ComfyUI here")


def test_what_cannot_be_written_is_said_without_its_place():
    def refuse():
        raise PermissionError(13, "Permission denied", "/home/somebody/models/a.yaml")

    said = asyncio.run(answering.answer(refuse))
    assert said.status == 500
    error = json.loads(said.body)["error"]
    assert error.startswith("Permission denied: let ComfyUI write into that folder")
    assert "somebody" not in error


def test_a_sidecar_that_another_program_has_open_is_said_as_it_is():
    def held():
        raise FileInUse("bear.personalq.yaml is open in another program: close it there")

    answer = asyncio.run(answering.answer(held))
    assert answer.status == 409
    assert json.loads(answer.text) == {
        "error": "bear.personalq.yaml is open in another program: close it there."
    }


def test_what_is_done_at_once_waits_for_no_thread():
    """A page's language, which a run that follows in the same moment speaks."""
    busy = threading.Event()

    async def while_all_threads_are_busy() -> bytes:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        waiting = asyncio.create_task(answering.answer(lambda: busy.wait(20)))
        await asyncio.sleep(0)
        said = await asyncio.wait_for(answering.answer(lambda: "told", at_once=True), 10)
        assert not busy.is_set()
        busy.set()
        await waiting
        return said.body

    assert json.loads(asyncio.run(while_all_threads_are_busy())) == "told"
