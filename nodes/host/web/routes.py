"""Our HTTP routes: the repository tab, its pictures, the settings, and fetching the embedder."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from typing import Any

import folder_paths
from aiohttp import web

from ....atomic_write import FileInUse
from ....checkin.index.read_models import Progress
from ....checkin.lexicon.sentences import again, say
from ....checkin.retrieval.fetch import Fetch
from ..language import tell_language
from ..models.library import Library, NoSuchCard
from ..models.render import picture_of
from ..models.thumbnails import thumbnail
from ..user import settings_folder
from . import cards_api
from .same_origin import refusal
from .settings_api import change_settings, settings
from .spoken_routes import SpokenRoutes

RESCAN = "personalq_rescan"
"""Name of the event with the progress of a rescan: {done, total}."""
_SEND_EVERY = 0.1
"""Seconds between two such events."""
_PICTURE_HEADERS = {
    "Content-Type": "image/webp",
    # The browser asks each time, and gets an answer without a body if the picture is the same.
    "Cache-Control": "private, no-cache",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Change = Callable[[Mapping[str, str], dict[str, Any]], Any]
"""A function of the names in the URL path and the body, which returns the answer."""


class Routes:
    """Our handlers, one method for each route. `send` sends an event to all pages."""

    def __init__(self, send: Callable[[str, dict[str, int]], None]):
        self._library = Library()
        self._fetch = Fetch()
        self._send = send
        self._writing = threading.Lock()
        """Held while a file is changed, because of two changes at once the first would be lost."""

    async def summary(self, request: web.Request) -> web.Response:
        """The number of models, and the choices of the filters."""
        return await _answer(lambda: cards_api.summary(self._library.browser()))

    async def cards(self, request: web.Request) -> web.Response:
        """A page of the cards that fit the query."""
        return await _answer(lambda: cards_api.page(self._library.browser(), request.query))

    async def card(self, request: web.Request) -> web.Response:
        """One card, for the editor."""
        card_id = request.match_info["id"]
        return await _answer(lambda: cards_api.details(self._library.card(card_id)))

    async def picture(self, request: web.Request) -> web.StreamResponse:
        """The small picture of a card; status 204 if it has none."""
        try:
            shown = await asyncio.to_thread(_thumbnail, self._library, request.match_info["id"])
        except (NoSuchCard, ValueError) as error:
            return _error(404, str(error))
        return (
            web.FileResponse(shown, headers=_PICTURE_HEADERS) if shown else web.Response(status=204)
        )

    async def show_settings(self, request: web.Request) -> web.Response:
        """The settings, and the values that each may have."""
        return await _answer(lambda: settings(settings_folder()))

    async def embedder(self, request: web.Request) -> web.Response:
        """Where the model is that ranks by meaning."""
        return await _answer(self._fetched)

    def _fetched(self) -> dict[str, Any]:
        state = asdict(self._fetch.state())
        return state | {"why": state["why"] and again(state["why"])}

    def change_card(self, named: Mapping[str, str], body: dict[str, Any]) -> Any:
        """Write changed fields of a card into its sidecar."""
        with self._writing:
            cards_api.save(self._library.card(named["id"]), body)
        self._library.refresh()
        return cards_api.details(self._library.card(named["id"]))

    def call_card(self, named: Mapping[str, str], body: dict[str, Any]) -> Any:
        """Add a name to what the user calls a model, or remove it; other changes are kept."""
        with self._writing:
            self._library.refresh()
            cards_api.call(self._library.card(named["id"]), body)
        self._library.refresh()
        return cards_api.details(self._library.card(named["id"]))

    def rescan(self, named: Mapping[str, str], body: dict[str, Any]) -> Any:
        """Read what changed on the disk."""
        if body:
            raise ValueError("A rescan takes no options.")
        return cards_api.summary(self._library.refresh(_throttled(self._send)))

    def change_settings(self, named: Mapping[str, str], body: dict[str, Any]) -> Any:
        """Change settings."""
        with self._writing:
            return change_settings(settings_folder(), body)

    def fetch_embedder(self, named: Mapping[str, str], body: dict[str, Any]) -> Any:
        """Begin to download the model that ranks by meaning."""
        if body:
            raise ValueError("The download takes no options.")
        self._fetch.start()
        return self._fetched()


def add_routes(
    table: web.RouteTableDef,
    send: Callable[[str, dict[str, int]], None],
    preview: Callable[[Progress], Change],
) -> None:
    """Add our routes to the host's `table`.

    `send` sends an event to all pages; `preview` makes the route that decides while a request is
    typed.
    """
    ours, routes = Routes(send), SpokenRoutes(table)
    routes.get("/personalq/repository")(ours.summary)
    routes.get("/personalq/cards")(ours.cards)
    routes.get("/personalq/cards/{id}")(ours.card)
    routes.get("/personalq/thumbnails/{id}")(ours.picture)
    routes.get("/personalq/settings")(ours.show_settings)
    routes.get("/personalq/embedder")(ours.embedder)
    routes.post("/personalq/cards/{id}")(_guarded(ours.change_card))
    routes.post("/personalq/cards/{id}/names")(_guarded(ours.call_card))
    routes.post("/personalq/rescan")(_guarded(ours.rescan))
    routes.post("/personalq/settings")(_guarded(ours.change_settings))
    routes.post("/personalq/embedder")(_guarded(ours.fetch_embedder))
    routes.post("/personalq/language")(_guarded(tell_language))
    routes.post("/personalq/preview")(_guarded(preview(_throttled(send))))


def _guarded(change: Change) -> Handler:
    """A handler for a change, which accepts only JSON objects from our own page."""

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
    """The result of `make` as JSON, or its error as a sentence. `make` runs in a thread."""
    try:
        return web.json_response(await asyncio.to_thread(make))
    except NoSuchCard as error:
        return _error(404, str(error))
    except ValueError as error:
        return _error(400, str(error))
    except FileInUse as error:
        return _error(409, f"{error}.")
    except OSError as error:  # its own text would show a path
        return _error(
            500,
            say(
                "{why}: let ComfyUI write into that folder, and try again.",
                why=error.strerror or say("No access"),
            ),
        )


def _error(status: int, why: str) -> web.Response:
    return web.json_response({"error": why}, status=status)


def _thumbnail(library: Library, card_id: str) -> str | None:
    """Path of the small copy of a card's picture, made on first use; None if it has no picture.

    Raises NoSuchCard.
    """
    shown = thumbnail(picture_of(library.card(card_id)))
    return os.path.join(folder_paths.get_temp_directory(), shown["filename"]) if shown else None


def _throttled(send: Callable[[str, dict[str, int]], None]) -> Progress:
    """Progress as events, at most one in _SEND_EVERY seconds, and always the last."""
    sent = 0.0

    def progress(done: int, total: int) -> None:
        nonlocal sent
        if done == total or time.monotonic() - sent > _SEND_EVERY:
            sent = time.monotonic()
            send(RESCAN, {"done": done, "total": total})

    return progress
