"""How our routes answer: JSON, or an error in a sentence; and whom they let change something."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiohttp import web

from ....atomic_write import FileInUse
from ....checkin.lexicon.sentences import say
from ..models.library import NoSuchCard
from .same_origin import is_local, refusal

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Change = Callable[[Mapping[str, str], dict[str, Any]], Any]
"""A function of the names in the URL path and the body, which returns the answer."""


def guarded(change: Change, *, at_once: bool = False) -> Handler:
    """A handler for a change, which accepts only JSON objects from our own page.

    `at_once` is for what takes no time and must be done before whatever the page sends next: it
    waits for no thread.
    """

    async def handler(request: web.Request) -> web.Response:
        if said := refusal(request.headers):
            return refused(*said)
        try:
            body = json.loads(await request.read())
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            return refused(400, "Expected a JSON object.")
        return await answer(lambda: change(request.match_info, body), at_once=at_once)

    return handler


def local_only(handler: Handler) -> Handler:
    """The handler, for a page on this machine alone."""

    async def handler_here(request: web.Request) -> web.StreamResponse:
        if not is_local(request.remote, request.headers):
            return refused(403, say("This works only on the machine that ComfyUI runs on."))
        return await handler(request)

    return handler_here


def no_options(body: dict[str, Any]) -> None:
    """Raise ValueError for a body with anything in it."""
    if body:
        raise ValueError("This takes no options: send {}.")


async def answer(make: Callable[[], Any], *, at_once: bool = False) -> web.Response:
    """The result of `make` as JSON, or its error as a sentence. `make` runs in a thread, or here
    with `at_once`.
    """
    try:
        return web.json_response(make() if at_once else await asyncio.to_thread(make))
    except NoSuchCard as error:
        return refused(404, str(error))
    except ValueError as error:
        return refused(400, str(error))
    except FileInUse as error:
        return refused(409, f"{error}.")
    except OSError as error:  # its own text would show a path
        return refused(
            500,
            say(
                "{why}: let ComfyUI write into that folder, and try again.",
                why=error.strerror or say("No access"),
            ),
        )


def refused(status: int, why: str) -> web.Response:
    """An answer that says why there is no other."""
    return web.json_response({"error": why}, status=status)
