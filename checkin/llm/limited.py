"""A limit for the replies of servers: a reply of gigabytes is not read to its end."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from .replies import MAX_REPLY_BYTES

PLAIN = {"accept-encoding": "identity"}
"""Headers of a request whose reply is not compressed, so that its size is known as it comes."""


def limit(response: Any) -> None:
    """A hook for the vendors' clients (httpx and its successor) that bounds what they read.

    Raises the client's own ReadError for a compressed reply, and later for one that is too long.
    """
    library = import_module(type(response).__module__.partition(".")[0])
    if response.headers.get("content-encoding", "identity").strip().casefold() != "identity":
        raise library.ReadError("the reply is compressed, which was not asked for")
    response.stream = _limited(library, response.stream)


def _limited(library: Any, stream: Any) -> Any:
    class Limited(library.SyncByteStream):  # type: ignore[misc]
        def __iter__(self) -> Iterator[bytes]:
            left = MAX_REPLY_BYTES
            for chunk in stream:
                left -= len(chunk)
                if left < 0:
                    raise library.ReadError(f"the reply has more than {MAX_REPLY_BYTES:,} bytes")
                yield chunk

        def close(self) -> None:
            stream.close()

    return Limited()
