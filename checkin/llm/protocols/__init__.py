"""Protocols to ask language models. Each file here is one, with the name that profiles use.

A protocol is a function `answer` of the type `Protocol`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from ..profile import Profile
from ..prompt import Prompt

Protocol = Callable[[Profile, str, Prompt, dict[str, Any], float], dict[str, Any]]
"""One attempt: (profile, key, prompt, JSON schema, seconds) -> the model's answer.

The schema is that of the answer, a JSON object; `seconds` is how long the attempt may take. Raises
NoAnswer.
"""
PROTOCOLS = tuple(sorted(module.name for module in iter_modules(__path__)))
"""The names of all protocols."""


def protocol_named(name: str) -> Protocol:
    """The protocol of this name, one of `PROTOCOLS`."""
    return import_module(f".{name}", __name__).answer
