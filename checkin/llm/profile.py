"""A profile: one language model behind one address."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Profile:
    """One model behind one address."""

    name: str
    protocol: str
    """One of `protocols.PROTOCOLS`."""
    model: str
    base_url: str | None = None
    """None for the vendor's own address."""
    keys: tuple[str, ...] = ()
    """Environment variables that may hold its key, in order."""
    vision: bool = True
    """Whether it can look at pictures."""

    @property
    def in_process(self) -> bool:
        """Whether it runs in this very process, which then cannot do anything beside."""
        return self.protocol == "comfyui"

    @property
    def local(self) -> bool:
        """Whether it runs on this machine, and so needs no key."""
        on_server = self.base_url is not None and on_this_machine(self.base_url)
        return self.in_process or on_server


def check_address(url: str) -> None:
    """Raise ValueError unless the address is https, or http on this machine.

    A key must not be sent unencrypted. An address that contains a password is refused, too.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"base_url '{url}' is no http or https address")
    if parts.username or parts.password:
        raise ValueError(
            "base_url holds a password; put the key into an environment variable or secrets.yaml"
        )
    if parts.scheme == "http" and not on_this_machine(url):
        raise ValueError(
            f"base_url '{url}' would send everything unencrypted over the network; use https"
        )


def on_this_machine(url: str) -> bool:
    """Whether an address is of this machine, so that no proxy is to be asked for it."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
