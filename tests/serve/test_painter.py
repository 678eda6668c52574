"""Test how a job is drawn, or waits, by a real ComfyUI."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import requests

pytest.importorskip("psutil", reason="psutil, which ComfyUI needs, is not installed")
pytest.importorskip("aiohttp", reason="aiohttp, which ComfyUI needs, is not installed")

from personalq.demo.host_process import free_port
from personalq.serve import dispatcher, painter
from personalq.serve.comfyui_process import ComfyUI
from personalq.serve.dispatcher import Dispatcher, Event, Failed, Offered, Picture, Progress
from personalq.serve.front import Ask, Front
from personalq.serve.graph import Graph, graph_of
from personalq.serve.job import Task
from personalq.serve.store import Store
from personalq.tests.serve.service import make_job, make_plan

WITHOUT_END = 10_000
"""Sampling steps."""
HANGS = """
import asyncio, sys
from aiohttp import web

async def answer(request):
    if request.path == sys.argv[1]:
        await asyncio.sleep(3600)
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    await socket.receive()
    return socket

app = web.Application()
app.router.add_route("*", "/{path}", answer)
sys.stdout.reconfigure(line_buffering=True)
web.run_app(app, host="127.0.0.1", port=int(sys.argv[2]))
"""
"""A program that takes connections as ComfyUI does, and never answers at one address."""


@pytest.fixture(scope="module")
def task(demo_repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Task:
    folder = tmp_path_factory.mktemp("front")
    plan = make_plan(folder, models=str(demo_repository))
    front = Front(plan, Store(plan.database), lambda: None)
    said = front.ask(Ask("my realistic bear v3 on forest grass", width=64, height=64), None)
    return replace(front.store.get(said["job"]["id"], "").task, preset="none")


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The user's settings folder."""
    return tmp_path_factory.mktemp("settings")


@pytest.fixture(scope="module")
def drawing(
    comfyui: Path, demo_repository: Path, settings: Path, tmp_path_factory
) -> Iterator[ComfyUI]:
    folder = tmp_path_factory.mktemp("painter")
    values = {"models": str(demo_repository), "comfyui": str(comfyui), "settings": str(settings)}
    process = ComfyUI(make_plan(folder, device="cpu", **values))
    yield process
    process.stop()


def long_graph(task: Task, name: str = "other") -> Graph:
    graph = graph_of(task, name)
    graph["sample"]["inputs"]["steps"] = WITHOUT_END
    return graph


def long_run(drawing: ComfyUI, task: Task) -> str:
    """A run of somebody else, which has begun. ComfyUI tells its steps to that client alone."""
    prompt = {"prompt": long_graph(task), "client_id": "somebody else"}
    run = requests.post(f"http://{drawing.address}/prompt", json=prompt).json()["prompt_id"]
    until(lambda: run in queue(drawing)["queue_running"])
    return run


def queue(drawing: ComfyUI) -> dict[str, list[str]]:
    """The ids of the runs that are drawn, and of those that wait."""
    said = requests.get(f"http://{drawing.address}/queue").json()
    return {name: [one[1] for one in runs] for name, runs in said.items()}


def until(holds: Any) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)


def interrupt(drawing: ComfyUI, run: str) -> None:
    requests.post(f"http://{drawing.address}/interrupt", json={"prompt_id": run})


async def taken(events: AsyncIterator[Event]) -> None:
    assert [await anext(events), await anext(events)] == [Offered(), Offered(taken=True)]


async def begun(events: AsyncIterator[Event]) -> None:
    await taken(events)
    assert await anext(events) == Progress()


def test_a_painter_follows_the_settings(drawing, task, settings) -> None:
    async def last() -> Event:
        async with aclosing(painter.paint(drawing, task)) as events:
            return [event async for event in events][-1]

    (settings / "settings.yaml").write_text("leave_out: [loras]\n")
    left_out = asyncio.run(last())
    (settings / "settings.yaml").unlink()
    assert isinstance(left_out, Failed)
    assert isinstance(asyncio.run(last()), Picture)


def test_a_run_whose_words_are_lost_is_drawn_again(drawing, task) -> None:
    run = long_run(drawing, task)
    interrupt(drawing, run)  # then the history has it without what its nodes said
    address = f"http://{drawing.address}"
    until(lambda: requests.get(f"{address}/history/{run}").json())

    async def result() -> Event:
        async with painter.aiohttp.ClientSession(address) as session:
            return await painter._result(session, drawing, task, run)

    with pytest.raises(painter.PainterGone, match="is lost"):
        asyncio.run(result())


def test_a_job_waits_behind_a_long_one(drawing, task, monkeypatch) -> None:
    asks, asked = painter._waits, []

    async def counted(*of: Any) -> bool:
        waits = await asks(*of)
        asked.append(waits)
        return waits

    monkeypatch.setattr(painter, "_waits", counted)
    monkeypatch.setattr(painter, "_QUIET", 0.2)
    other = long_run(drawing, task)

    async def patient() -> None:
        """From the next time on that it listens, it listens for long."""
        monkeypatch.setattr(painter, "_QUIET", 600)
        before = len(asked)
        while len(asked) == before:
            await asyncio.sleep(0.05)

    async def wait_and_draw() -> list[Event]:
        async with aclosing(painter.paint(drawing, task)) as events:
            await taken(events)
            first = asyncio.ensure_future(anext(events))
            await asyncio.sleep(2)
            assert not first.done()
            await patient()
            await asyncio.to_thread(interrupt, drawing, other)
            return [await first, *[event async for event in events]]

    drawn = asyncio.run(wait_and_draw())
    assert drawn[0] == Progress()
    assert isinstance(drawn[-1], Picture)


def test_a_job_that_is_given_back_leaves_the_queue(drawing, task) -> None:
    async def leave() -> None:
        async with aclosing(painter.paint(drawing, task)) as events:
            await taken(events)
            first = asyncio.ensure_future(anext(events))
            await asyncio.to_thread(until, lambda: queue(drawing)["queue_pending"])
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)

    other = long_run(drawing, task)
    asyncio.run(leave())
    assert queue(drawing) == {"queue_running": [other], "queue_pending": []}
    interrupt(drawing, other)
    until(lambda: not queue(drawing)["queue_running"])


def test_a_run_that_nobody_waits_for_is_interrupted(drawing, task, monkeypatch) -> None:
    monkeypatch.setattr(painter, "graph_of", long_graph)

    async def leave() -> None:
        async with aclosing(painter.paint(drawing, task)) as events:
            await begun(events)

    asyncio.run(leave())
    until(lambda: queue(drawing) == {"queue_running": [], "queue_pending": []})


def test_a_job_that_comfyui_cannot_read_fails(drawing, task, monkeypatch, tmp_path) -> None:
    """ComfyUI answers it with status 500, and no JSON."""
    monkeypatch.setattr(painter, "graph_of", lambda *_: "no graph")
    monkeypatch.setattr(dispatcher, "_PAUSE", 0.0)
    monkeypatch.setattr(dispatcher, "_ROUND", 0.02)
    store = Store(f"sqlite:///{tmp_path / 'jobs.sqlite'}")
    store.add(make_job("job"), {})

    async def until_it_fails() -> None:
        one = Dispatcher(store, lambda job: painter.paint(drawing, task), 1, keep_days=1)
        running = asyncio.create_task(one.run())
        await asyncio.to_thread(until, lambda: store.get("job", "").state == "failed")
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(until_it_fails())
    assert store.get("job", "").attempts == dispatcher.MAX_ATTEMPTS
    assert drawing.running
    store.close()


@pytest.mark.parametrize(("where", "said"), [("/ws", []), ("/prompt", [Offered()])])
def test_a_comfyui_that_hangs_before_it_has_the_job_is_ended(task, monkeypatch, where, said):
    monkeypatch.setattr(painter, "_TAKES", 2.0)
    port = free_port()
    command = [sys.executable, "-c", HANGS, where, str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    hanging = SimpleNamespace(
        address=f"127.0.0.1:{port}", process=process, follow_settings=lambda: None
    )

    async def draw() -> None:
        async with aclosing(painter.paint(hanging, task)) as events:
            assert [await anext(events) for _ in said] == said
            with pytest.raises(painter.PainterGone):
                await anext(events)

    with process:
        assert b"Running" in process.stdout.readline()
        asyncio.run(draw())
        assert process.wait(10)


def test_a_broken_setting_keeps_no_job_from_comfyui(task) -> None:
    def broken() -> None:
        raise ValueError("settings.yaml: expected lines of `name: ...`")

    ended = SimpleNamespace(address=f"127.0.0.1:{free_port()}", follow_settings=broken)

    async def draw() -> None:
        async with aclosing(painter.paint(ended, task)) as events:
            with pytest.raises(painter.PainterGone, match="ClientConnectorError"):
                await anext(events)

    asyncio.run(draw())


def test_a_comfyui_that_hangs_is_ended(drawing, task, monkeypatch) -> None:
    monkeypatch.setattr(painter, "graph_of", long_graph)

    async def hear_nothing() -> None:
        async with aclosing(painter.paint(drawing, task)) as events:
            await begun(events)
            monkeypatch.setattr(painter, "_QUIET", 0.001)
            async for _ in events:
                pass

    with pytest.raises(painter.PainterGone):
        asyncio.run(hear_nothing())
    drawing.process.wait(10)
