"""The same-origin rule: only JSON from a page of this server may change something.

And the local rule: only a page on this server's own machine may open a window there.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    if (
        origin is not None
        and urlsplit(origin).netloc.casefold() != headers.get("Host", "").casefold()
    ):
        return 403, "Only a page of this server may change this."
    size = headers.get("Content-Length", "")
    if not size.isdecimal():
        return 411, "Say how long the body is."
    if int(size) > MAX_BODY_BYTES:
        return 413, f"Send at most {MAX_BODY_BYTES:,} bytes."
    return None


def is_local(remote: str | None, headers: Mapping[str, str]) -> bool:
    """Whether a request comes from this machine, and from a page of this machine's own address."""
    host = urlsplit(f"//{headers.get('Host', '')}").hostname or ""
    return (
        not any(name in headers for name in _FORWARDED)
        and _is_loopback(remote or "")
        and (host == "localhost" or _is_loopback(host))
    )


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
