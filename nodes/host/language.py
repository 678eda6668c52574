"""The language that each page is set to: the pages tell it, and nodes speak it in their runs."""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from server import PromptServer

from ...checkin.lexicon.sentences import ENGLISH, nearest, speaking

_MAX_PAGES = 200
"""How many pages are remembered, those that told their language last."""
_MAX_CHARS = 64
_pages: OrderedDict[str, str] = OrderedDict()
_lock = threading.Lock()

Execute = TypeVar("Execute", bound=Callable[..., Any])


def tell_language(named: Mapping[str, str], body: dict[str, Any]) -> dict[str, str]:
    """The handler of the route: the page with `client_id` is set to `language`.

    Raises ValueError for a body of another form.
    """
    page, language = body.get("client_id"), body.get("language")
    if not all(isinstance(one, str) and 0 < len(one) <= _MAX_CHARS for one in (page, language)):
        raise ValueError("Expected a client_id and a language.")
    with _lock:
        _pages[str(page)] = nearest(str(language))
        _pages.move_to_end(str(page))
        while len(_pages) > _MAX_PAGES:
            _pages.popitem(last=False)
    return {"language": nearest(str(language))}


def language_of_run() -> str:
    """The language of the page that sent the run; English where no page did."""
    server = getattr(PromptServer, "instance", None)  # there is none where a test runs a node
    return _pages.get((server and server.client_id) or "", ENGLISH)


def in_its_language(execute: Execute) -> Execute:
    """A node's method, which speaks the language of the page that sent the run."""

    @functools.wraps(execute)
    def spoken(*args: Any, **inputs: Any) -> Any:
        with speaking(language_of_run()):
            return execute(*args, **inputs)

    return spoken  # type: ignore[return-value]
