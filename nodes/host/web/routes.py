"""Our HTTP routes: the repository tab, its pictures, and the settings."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import folder_paths
from aiohttp import web

from ....atomic_write import FileInUse
from ....checkin.index.read_models import Progress
from ..models.library import Library, NoSuchCard
from ..models.render import picture_of
from ..models.thumbnails import thumbnail
from ..user import settings_folder
from . import cards_api
from .same_origin import refusal
from .settings_api import change_settings, settings

RESCAN = "personalq_rescan"
"""Name of the event that tells how far a rescan is: {done, total}."""
_SAID_EVERY = 0.1
"""Seconds."""
_PICTURE_HEADERS = {
    "Content-Type": "image/webp",
    # asked again each time, and answered in a line while it is the same
    "Cache-Control": "private, no-cache",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Change = Callable[[Mapping[str, str], dict[str, Any]], Any]
"""Of what the address names and the body says, makes what is answered."""


def add_routes(routes: web.RouteTableDef, send: Callable[[str, dict[str, int]], None]) -> None:
    """Add our routes to the host's. `send` tells all pages of an event."""
    library = Library()

    @routes.get("/personalq/repository")
    async def repository(request: web.Request) -> web.Response:
        return await _answer(lambda: cards_api.summary(library.browser()))

    @routes.get("/personalq/cards")
    async def cards(request: web.Request) -> web.Response:
        return await _answer(lambda: cards_api.page(library.browser(), request.query))

    @routes.get("/personalq/cards/{id}")
    async def card(request: web.Request) -> web.Response:
        return await _answer(lambda: cards_api.details(library.card(request.match_info["id"])))

    @routes.get("/personalq/thumbnails/{id}")
    async def picture(request: web.Request) -> web.StreamResponse:
        try:
            shown = await asyncio.to_thread(_thumbnail, library, request.match_info["id"])
        except (NoSuchCard, ValueError) as error:
            return _error(404, str(error))
        return (
            web.FileResponse(shown, headers=_PICTURE_HEADERS) if shown else web.Response(status=204)
        )

    @routes.get("/personalq/settings")
    async def show_settings(request: web.Request) -> web.Response:
        return await _answer(lambda: settings(settings_folder()))

    writing = threading.Lock()  # two changes of one file at once would lose the first

    def edit(named: Mapping[str, str], body: dict[str, Any]) -> Any:
        with writing:
            cards_api.save(library.card(named["id"]), body)
        library.refresh()
        return cards_api.details(library.card(named["id"]))

    def rescan(named: Mapping[str, str], body: dict[str, Any]) -> Any:
        if body:
            raise ValueError("A rescan takes no options.")
        return cards_api.summary(library.refresh(_said_now_and_then(send)))

    def change(named: Mapping[str, str], body: dict[str, Any]) -> Any:
        with writing:
            return change_settings(settings_folder(), body)

    routes.post("/personalq/cards/{id}")(_guarded(edit))
    routes.post("/personalq/rescan")(_guarded(rescan))
    routes.post("/personalq/settings")(_guarded(change))


def _guarded(change: Change) -> Handler:
    """A handler for a change, that lets in JSON objects from our own page alone."""

    async def handler(request: web.Request) -> web.Response:
        if refused := refusal(request.headers):
            return _error(*refused)
        try:
            body = json.loads(await request.read())
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            return _error(400, "Expected a JSON object.")
        return await _answer(lambda: change(request.match_info, body))

    return handler


async def _answer(make: Callable[[], Any]) -> web.Response:
    """What `make` gives, made beside the server's loop; a sentence where it refuses."""
    try:
        return web.json_response(await asyncio.to_thread(make))
    except NoSuchCard as error:
        return _error(404, str(error))
    except ValueError as error:
        return _error(400, str(error))
    except FileInUse as error:
        return _error(409, f"{error}.")
    except OSError as error:  # its own text would name a path
        return _error(
            500,
            f"{error.strerror or 'No access'}: let ComfyUI write into that folder, and try again.",
        )


def _error(status: int, why: str) -> web.Response:
    return web.json_response({"error": why}, status=status)


def _thumbnail(library: Library, card_id: str) -> str | None:
    """Path of the small copy of a card's picture, made on first use; None where it has none.

    Raises NoSuchCard.
    """
    shown = thumbnail(picture_of(library.card(card_id)))
    return os.path.join(folder_paths.get_temp_directory(), shown["filename"]) if shown else None


def _said_now_and_then(send: Callable[[str, dict[str, int]], None]) -> Progress:
    """Progress as events, not more of them than a page can show."""
    said = 0.0

    def progress(done: int, total: int) -> None:
        nonlocal said
        if done == total or time.monotonic() - said > _SAID_EVERY:
            said = time.monotonic()
            send(RESCAN, {"done": done, "total": total})

    return progress
