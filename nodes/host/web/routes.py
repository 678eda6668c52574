"""Our HTTP routes: the repository tab, its pictures, the settings, and fetching the embedder."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import folder_paths
from aiohttp import web

from ....checkin import Card
from ....checkin.catalog.pinned import PinnedModels
from ....checkin.catalog.reference import Reference
from ....checkin.decision.resolve import find
from ....checkin.decision.serving.plan import model_identity
from ....checkin.index.hashes import hash_file
from ....checkin.index.read_models import Progress
from ....checkin.lexicon.sentences import again, say
from ....checkin.retrieval.fetch import Fetch
from ....checkin.user.favourites import mark, unmark
from ....checkin.user.recipes import Recipe, keep
from ..language import tell_language
from ..models.held import HeldRepositories
from ..models.library import Library, NoSuchCard
from ..models.open_folder import can_open, open_folder
from ..models.render import picture_of
from ..models.repository import index_of_all
from ..models.thumbnails import LARGE, SIZE, thumbnail
from ..user import marked, settings_folder, uses
from . import cards_api, recipes_api
from .answering import Change, answer, guarded, local_only, no_options, refused
from .card_search import CardSearch, Mine
from .own_preview import keep_preview
from .same_origin import is_local
from .settings_api import change_settings, settings
from .spoken_routes import SpokenRoutes
from .used_card import use

RESCAN = "personalq_rescan"
"""Name of the event with the progress of a rescan: {done, total}."""
CHANGED = "personalq_changed"
"""Name of the event that models or settings are others than before: {}."""
_SEND_EVERY = 0.1
"""Seconds between two such events."""
_A_RECIPE = f"/personalq/cards/{{id:{recipes_api.PREFIX}[^/]+}}"
_PICTURE_HEADERS = {
    "Content-Type": "image/webp",
    # The browser asks each time, and gets an answer without a body if the picture is the same.
    "Cache-Control": "private, no-cache",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Routes:
    """Our handlers, one method for each route.

    `send` sends an event to all pages. `held` is what previews decide with: it is forgotten when
    models or settings change.
    """

    def __init__(self, send: Callable[[str, dict[str, int]], None], held: HeldRepositories):
        self._library = Library(held, lambda: send(CHANGED, {}))
        self._held = held
        self._search = CardSearch()
        self._fetch = Fetch()
        self._send = send
        self._writing = threading.Lock()
        """Held while a file is changed, because of two changes at once the first would be lost."""

    async def cards(self, request: web.Request) -> web.Response:
        """A page of the cards that fit the query."""
        return await answer(lambda: self._page(request.query))

    def _page(self, query: Mapping[str, str]) -> Any:
        browser = self._library.browser()
        if query.get("only") == recipes_api.KIND:
            text, offset = query.get("text", ""), query.get("offset", "0")
            return recipes_api.page(settings_folder(), browser, text, offset)
        return cards_api.page(self._search, browser, query, _mine())

    async def card(self, request: web.Request) -> web.Response:
        """One card, for the editor."""
        local = is_local(request.remote, request.headers)
        return await answer(lambda: self._details(request.match_info["id"], local))

    async def card_named(self, request: web.Request) -> web.Response:
        """The card of the model that a `line` of `chosen` names."""
        return await answer(lambda: self._details(self._named(request.query.get("line", "")).id))

    def _named(self, line: str) -> Card:
        """The model that a line names, also one that is newer than the last scan."""
        pinned = PinnedModels.from_text(line)
        reference = pinned.models[0].reference if pinned else Reference()
        for browser in (self._library.browser, self._library.refresh):
            entry, _ = find(reference, browser().repository.catalogue())
            if entry:
                return entry.card
        raise NoSuchCard(say("There is no model with this id any more: press Rescan."))

    async def picture(self, request: web.Request) -> web.StreamResponse:
        """The picture of a card, small or `large`, the first or `number`; status 204 if none."""
        number = request.query.get("number", "0")
        size = LARGE if request.query.get("large") else SIZE
        try:
            # In a thread: while models are read, a card waits for them.
            card = await asyncio.to_thread(self._pictured, request.match_info["id"])
            shown = await asyncio.to_thread(_thumbnail, card, number, size)
        except (NoSuchCard, ValueError) as error:
            return refused(404, str(error))
        return (
            web.FileResponse(shown, headers=_PICTURE_HEADERS) if shown else web.Response(status=204)
        )

    def _pictured(self, id: str) -> Card:
        """The card of a model, or that of the first model of a recipe."""
        if not id.startswith(recipes_api.PREFIX):
            return self._library.card(id)
        browser = self._library.browser()
        return recipes_api.first_model(settings_folder(), browser, id) or Card("")

    async def recipe(self, request: web.Request) -> web.Response:
        """One recipe, for the editor."""
        return await answer(lambda: self._recipe(request.match_info["id"]))

    def _recipe(self, id: str) -> Any:
        return recipes_api.details(settings_folder(), self._library.browser(), id)

    def keep_recipe(self, named: Mapping[str, str], body: dict[str, Any]) -> Any:
        """Keep a recipe of a node, or of a file."""
        with self._writing:
            kept = keep(settings_folder(), Recipe.of(body))
        return self._recipe(recipes_api.id_of(kept))

    def change_recipe(self, named: Mapping[str, str], body: dict[str, Any]) -> Any:
        """Change the name or the request of a recipe."""
        with self._writing:
            recipes_api.change(settings_folder(), named["id"], body)
        return self._recipe(named["id"])

    def delete_recipe(self, named: Mapping[str, str], body: dict[str, Any]) -> Any:
        """Delete a recipe."""
        no_options(body)
        with self._writing:
            recipes_api.remove(settings_folder(), named["id"])
        return {}

    async def show_settings(self, request: web.Request) -> web.Response:
        """The settings, and the values that each may have."""
        return await answer(lambda: settings(settings_folder()))

    async def embedder(self, request: web.Request) -> web.Response:
        """Where the model is that ranks by meaning."""
        return await answer(self._fetched)

    def _fetched(self) -> dict[str, Any]:
        state = asdict(self._fetch.state())
        return state | {"why": state["why"] and again(state["why"])}

    def change_card(self, named: Mapping[str, str], body: dict[str, Any]) -> Any:
        """Write changed fields of a card into its sidecar."""
        with self._writing:
            cards_api.save(self._library.card(named["id"]), body)
        self._library.refresh()
        return self._details(named["id"])

    def call_card(self, named: Mapping[str, str], body: dict[str, Any]) -> Any:
        """Add a name to what the user calls a model, or remove it; other changes are kept."""
        with self._writing:
            self._library.refresh()
            cards_api.call(self._library.card(named["id"]), body)
        self._library.refresh()
        return self._details(named["id"])

    def mark_card(self, named: Mapping[str, str], body: dict[str, Any]) -> Any:
        """Mark a card as a favourite, or remove the mark: {"favourite": true}."""
        if list(body) != ["favourite"] or not isinstance(body["favourite"], bool):
            raise ValueError('Expected {"favourite": true} or {"favourite": false}.')
        card = self._library.card(named["id"])
        with self._writing:
            change = mark if body["favourite"] else unmark
            change(settings_folder(), model_identity(card), {card.id, card.sha256 or card.id})
        return body

    def use_card(self, named: Mapping[str, str], body: dict[str, Any]) -> Any:
        """A request with the words of a card, and the models for it (used_card.py)."""
        repository = self._library.browser().repository
        return use(repository, self._library.card(named["id"]), body)

    def picture_card(self, named: Mapping[str, str], body: dict[str, Any]) -> Any:
        """Make a drawn picture the preview of a card; {asks} to replace one (own_preview.py)."""
        with self._writing:
            self._library.refresh()
            said = keep_preview(self._library.card(named["id"]), body)
        self._library.refresh()
        return said

    def hash_card(self, named: Mapping[str, str], body: dict[str, Any]) -> Any:
        """Compute the hash of a card's file, which takes seconds for a large one."""
        no_options(body)
        hash_file(cards_api.file_of(self._library.card(named["id"])), index_of_all())
        self._library.refresh()
        return self._details(named["id"])

    def open_folder(self, named: Mapping[str, str], body: dict[str, Any]) -> Any:
        """Show a card's file in the file manager of this machine."""
        no_options(body)
        path = cards_api.file_of(self._library.card(named["id"]))
        if not can_open():
            raise ValueError(say("This machine has no file manager that PersonalQ can open."))
        open_folder(path)
        return {}

    def _details(self, card_id: str, local: bool = False) -> Any:
        card = self._library.card(card_id)
        return cards_api.details(self._library.browser(), card, _mine(), local and can_open())

    def rescan(self, named: Mapping[str, str], body: dict[str, Any]) -> Any:
        """Read what changed on the disk."""
        no_options(body)
        browser = self._library.refresh(_throttled(self._send))
        threading.Thread(target=self._search.warm, args=(browser,), daemon=True).start()
        return cards_api.summary(browser)

    def change_settings(self, named: Mapping[str, str], body: dict[str, Any]) -> Any:
        """Change settings."""
        with self._writing:
            changed = change_settings(settings_folder(), body)
        self._held.forget()
        self._send(CHANGED, {})
        return changed

    def fetch_embedder(self, named: Mapping[str, str], body: dict[str, Any]) -> Any:
        """Begin to download the model that ranks by meaning."""
        no_options(body)
        self._fetch.start()
        return self._fetched()


def add_routes(
    table: web.RouteTableDef,
    send: Callable[[str, dict[str, int]], None],
    preview: Callable[[Progress, HeldRepositories], Change],
) -> None:
    """Add our routes to the host's `table`.

    `send` sends an event to all pages; `preview` makes the route that decides while a request is
    typed.
    """
    held = HeldRepositories()
    ours, routes = Routes(send, held), SpokenRoutes(table)
    routes.get("/personalq/cards")(ours.cards)
    routes.get(_A_RECIPE)(ours.recipe)
    routes.post(_A_RECIPE)(guarded(ours.change_recipe))
    routes.post(f"{_A_RECIPE}/delete")(guarded(ours.delete_recipe))
    routes.post("/personalq/recipes")(guarded(ours.keep_recipe))
    routes.get("/personalq/cards/{id}")(ours.card)
    routes.get("/personalq/card")(ours.card_named)
    routes.get("/personalq/thumbnails/{id}")(ours.picture)
    routes.get("/personalq/settings")(ours.show_settings)
    routes.get("/personalq/embedder")(ours.embedder)
    routes.post("/personalq/cards/{id}")(guarded(ours.change_card))
    routes.post("/personalq/cards/{id}/names")(guarded(ours.call_card))
    routes.post("/personalq/cards/{id}/favourite")(guarded(ours.mark_card))
    routes.post("/personalq/cards/{id}/words")(guarded(ours.use_card))
    routes.post("/personalq/cards/{id}/preview")(guarded(ours.picture_card))
    routes.post("/personalq/cards/{id}/hash")(guarded(ours.hash_card))
    routes.post("/personalq/cards/{id}/folder")(local_only(guarded(ours.open_folder)))
    routes.post("/personalq/rescan")(guarded(ours.rescan))
    routes.post("/personalq/settings")(guarded(ours.change_settings))
    routes.post("/personalq/embedder")(guarded(ours.fetch_embedder))
    routes.post("/personalq/language")(guarded(tell_language, at_once=True))
    routes.post("/personalq/preview")(guarded(preview(_throttled(send), held)))


def _mine() -> Mine:
    return Mine(marked(), uses())


def _thumbnail(card: Card, number: str, size: int) -> str | None:
    """Path of the copy of a card's picture, made on first use; None if it has no such picture."""
    picture = picture_of(card) if number == "0" else None
    if number.isdecimal() and 0 < int(number[:3]) < len(card.previews):
        picture = card.previews[int(number[:3])]
    shown = thumbnail(picture, size)
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
