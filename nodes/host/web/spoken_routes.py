"""Routes that answer in the language that the page asks for (HTTP's Accept-Language)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from ....checkin.lexicon.sentences import speaking

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class SpokenRoutes:
    """A table of routes, as aiohttp's, in which each handler speaks that language."""

    def __init__(self, routes: web.RouteTableDef):
        self._routes = routes

    def get(self, path: str) -> Callable[[Handler], Any]:
        """Add a handler for GET."""
        return lambda handler: self._routes.get(path)(_spoken(handler))

    def post(self, path: str) -> Callable[[Handler], Any]:
        """Add a handler for POST."""
        return lambda handler: self._routes.post(path)(_spoken(handler))


def _spoken(handler: Handler) -> Handler:
    async def answer(request: web.Request) -> web.StreamResponse:
        with speaking(request.headers.get("Accept-Language")):
            return await handler(request)

    return answer
