"""Draws one task through ComfyUI's own API: HTTP and its WebSocket."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, aclosing, suppress
from typing import Any, TypeVar

import aiohttp

from ..checkin.lexicon.sentences import say
from ..checkin.lexicon.text import without_folders
from .comfyui_process import ComfyUI
from .dispatcher import Event, Failed, Offered, Picture, Progress
from .graph import CHECK_IN, SAVE, graph_of
from .job import Task

_TAKES = 60.0
"""Seconds in which ComfyUI must connect, and must take a job or refuse it; then it is ended."""
_QUIET = 600.0
"""Seconds in which ComfyUI must say something while it draws; then it is ended."""
_FAREWELL = aiohttp.ClientTimeout(10.0)
_MAX_MESSAGE = 64 * 1024 * 1024
T = TypeVar("T")


class PainterGone(RuntimeError):
    """ComfyUI ended, or answers no more: the job is drawn elsewhere."""


async def paint(comfyui: ComfyUI, task: Task) -> AsyncIterator[Event]:
    """Draw a task: its progress, and at the end a picture or why there is none.

    Raises PainterGone.
    """
    with suppress(ValueError):  # a setting is broken, which the front says: the last ones stay
        await asyncio.to_thread(comfyui.follow_settings)
    try:
        async with (
            aiohttp.ClientSession(f"http://{comfyui.address}") as session,
            aclosing(_drawn(session, comfyui, task)) as events,  # type: ignore[type-var]
        ):
            async for event in events:
                yield event
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise PainterGone(type(error).__name__) from error


async def _drawn(
    session: aiohttp.ClientSession, comfyui: ComfyUI, task: Task
) -> AsyncIterator[Event]:
    client = uuid.uuid4().hex
    listening = session.ws_connect(f"/ws?clientId={client}", max_msg_size=_MAX_MESSAGE)
    async with AsyncExitStack() as ends:
        socket = await _in_time(comfyui, ends.enter_async_context(listening))
        prompt = {"prompt": graph_of(task, client), "client_id": client}
        yield Offered()
        said = await _in_time(comfyui, _answer(session, prompt))
        if "prompt_id" not in said:
            yield Failed(_cannot(task, _refusal(said)))
            return
        prompt_id = said["prompt_id"]
        try:
            yield Offered(taken=True)
            async for kind, data in _said(session, socket, comfyui, prompt_id):
                if kind == "execution_start":
                    yield Progress()
                elif kind == "progress" and data.get("node") == "sample":
                    yield Progress(int(data["value"]), int(data["max"]))
                elif kind == "execution_error":
                    yield Failed(_cannot(task, str(data.get("exception_message", "")).strip()))
                    return
                elif kind == "execution_interrupted":
                    raise PainterGone("the run was interrupted")
                elif kind == "executing" and data.get("node") is None:
                    break  # the history has it now
        except BaseException:  # also where the caller has gone
            await _withdraw(session, prompt_id)
            raise
    yield await _result(session, comfyui, task, prompt_id)


async def _in_time(comfyui: ComfyUI, asked: Awaitable[T]) -> T:
    """What ComfyUI says before it has the job. One that says nothing hangs, and is ended."""
    try:
        async with asyncio.timeout(_TAKES):
            return await asked
    except TimeoutError:
        comfyui.process.kill()
        raise


async def _answer(session: aiohttp.ClientSession, prompt: dict[str, Any]) -> dict[str, Any]:
    async with session.post("/prompt", json=prompt) as answer:
        return await answer.json()


async def _said(
    session: aiohttp.ClientSession,
    socket: aiohttp.ClientWebSocketResponse,
    comfyui: ComfyUI,
    prompt_id: str,
) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    """What ComfyUI says of one run. While others are before it, it may say nothing for long."""
    while True:
        try:
            message = await socket.receive(timeout=_QUIET)
        except TimeoutError:
            with suppress(aiohttp.ClientError, TimeoutError):  # it does not even say what waits
                if await _waits(session, prompt_id):
                    continue
            comfyui.process.kill()  # it hangs; what waits behind this run is drawn elsewhere
            raise
        if message.type not in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
            raise PainterGone("ComfyUI closed the connection")
        if message.type == aiohttp.WSMsgType.TEXT:
            kind, data = _read(message.data)
            if data.get("prompt_id") == prompt_id:
                yield kind, data


async def _waits(session: aiohttp.ClientSession, prompt_id: str) -> bool:
    async with session.get("/queue", timeout=_FAREWELL) as answer:
        queue = await answer.json()
    return any(one[1] == prompt_id for one in queue["queue_pending"])


async def _withdraw(session: aiohttp.ClientSession, prompt_id: str) -> None:
    """Have ComfyUI forget a run that nobody waits for."""
    with suppress(aiohttp.ClientError, OSError):  # it has ended
        await session.post("/queue", json={"delete": [prompt_id]}, timeout=_FAREWELL)
        await session.post("/interrupt", json={"prompt_id": prompt_id}, timeout=_FAREWELL)


async def _result(
    session: aiohttp.ClientSession, comfyui: ComfyUI, task: Task, prompt_id: str
) -> Event:
    async with session.get(f"/history/{prompt_id}") as answer:
        outputs = (await answer.json())[prompt_id]["outputs"]
    if CHECK_IN not in outputs:  # it was in ComfyUI's cache, which lets go what memory is short for
        raise PainterGone("what the run said is lost")
    said = outputs[CHECK_IN]["personalq"][0]
    drawn = tuple(one["name"] for one in said["models"] if one["on"] and not one.get("missing"))
    if said["outcome"] != "select" or drawn != task.models:
        return Failed(say("The models of this job have changed since it was accepted. Ask again."))
    (image,) = outputs[SAVE]["images"]
    where = {name: image[name] for name in ("filename", "subfolder", "type")}
    async with session.get("/view", params=where) as answer:
        answer.raise_for_status()
        picture = Picture(answer.content_type, await answer.read())
    (comfyui.folder / "output" / image["subfolder"] / image["filename"]).unlink(missing_ok=True)
    return picture


def _read(text: str) -> tuple[str, dict[str, Any]]:
    said = json.loads(text)
    data = said.get("data")
    return said.get("type", ""), data if isinstance(data, dict) else {}


def _refusal(said: dict[str, Any]) -> str:
    """What ComfyUI says of a graph that it does not take."""
    nodes = said.get("node_errors") or {}
    texts = [str(one.get("details", "")) for node in nodes.values() for one in node["errors"]]
    return "; ".join(filter(None, texts)) or str((said.get("error") or {}).get("message", ""))


def _cannot(task: Task, why: str) -> str:
    return say(
        "No painter can draw with {name} on {base}: {why}",
        name=", ".join(task.models),
        base=task.base,
        why=without_folders(why) or "?",
    )
