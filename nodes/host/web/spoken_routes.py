"""Routes that answer pages of this server, in the language that they ask for (Accept-Language)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web
from comfy.cli_args import args

from ....checkin.lexicon.sentences import say, sentence, speaking
from .same_origin import is_own_host

_STRANGE = sentence(
    "This address is none of ComfyUI's: open ComfyUI by its IP address, or start it with "
    "--enable-cors-header and this address, as https://comfy.example."
)
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
            if not is_own_host(request.headers.get("Host", ""), _listened()):
                return web.json_response({"error": say(_STRANGE)}, status=403)
            return await handler(request)

    return answer


def _listened() -> list[str]:
    """The names on which ComfyUI was told to listen, and that of the page that it lets in."""
    allowed = urlsplit(args.enable_cors_header or "").hostname
    return [one.strip().casefold() for one in (args.listen or "").split(",")] + (
        [allowed] if allowed else []
    )
