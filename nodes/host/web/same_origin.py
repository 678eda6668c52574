"""The same-origin rule: only JSON from a page of this server may change something.

The host rule: only a page under a name of this server may read anything. And the local rule: only a
page on this server's own machine may open a window there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

MAX_BODY_BYTES = 64 * 1024
_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-IP")
"""Headers of a proxy, behind which every page seems to be local."""


def refusal(headers: Mapping[str, str]) -> tuple[int, str] | None:
    """(HTTP status, reason) to refuse a request; None if the request may change something.

    A page of another origin cannot send JSON without a pre-flight request (CORS). A browser sends
    the origin of a request in Sec-Fetch-Site or Origin, which no page can forge; other programs
    send neither.
    """
    kind = headers.get("Content-Type", "").partition(";")[0].strip().casefold()
    if kind != "application/json":
        return 415, "Send JSON, as application/json."
    site, origin = headers.get("Sec-Fetch-Site"), headers.get("Origin")
    if site not in (None, "same-origin"):
        return 403, "Only a page of this server may change this."
    # A proxy may have changed the Host; where the browser says that the page is ours, it is.
    other = origin is not None and _place(origin) != headers.get("Host", "").casefold()
    if site is None and other:
        return 403, "Only a page of this server may change this."
    size = headers.get("Content-Length", "")
    if not (size.isascii() and size.isdecimal() and len(size) < 20):
        return 411, "Say how long the body is."
    if int(size) > MAX_BODY_BYTES:
        return 413, f"Send at most {MAX_BODY_BYTES:,} bytes."
    return None


def _place(origin: str) -> str | None:
    """Host and port of an origin; None for what is none."""
    try:
        return urlsplit(origin).netloc.casefold()
    except ValueError:
        return None


def is_own_host(host: str, listen: Collection[str]) -> bool:
    """Whether `host`, of a request's Host header, is a name of this server.

    A page may let its own name lead to this machine (DNS rebinding) and is then of the same origin.
    Addresses and "localhost" are no such names, nor are those in `listen`, which the server was
    told to listen on; one that listens on all addresses is reached by any name.
    """
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:  # "[::1"
        return False
    if not name:
        return False
    everywhere = any(one in ("0.0.0.0", "::", "") for one in listen)
    return everywhere or name in ("localhost", *listen) or _is_address(name)


def is_local(remote: str | None, headers: Mapping[str, str]) -> bool:
    """Whether a request comes from this machine, and from a page of this machine's own address."""
    try:
        host = urlsplit(f"//{headers.get('Host', '')}").hostname or ""
    except ValueError:
        return False
    return (
        not any(name in headers for name in _FORWARDED)
        and _is_loopback(remote or "")
        and (host == "localhost" or _is_loopback(host))
    )


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
