"""The language models that can be asked: built-in ones and those in the user's `reasoners.yaml`.

Keys are stored elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..lexicon.sentences import say
from ..lexicon.spelling import joined
from ..user.preferences import OFFLINE
from ..user.settings import read_yaml
from .profile import Profile, check_address
from .protocols import PROTOCOLS

FILE = "reasoners.yaml"
"""A file in the settings folder: name -> protocol, model, base_url, key, vision.

`key` is the name of an environment variable.
"""
_NAME = re.compile(r"[\w.\- ]{1,40}")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")
_GEMINI = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
BUILT_IN = (
    Profile("gemini", "gemini", "gemini-3.5-flash-lite", keys=_GEMINI),
    # The model of the PersonalQ paper. Its vendor retires it on 2026-12-01.
    Profile("gemini-2.5-flash", "gemini", "gemini-2.5-flash", keys=_GEMINI),
    Profile("openai", "openai", "gpt-4o", keys=("OPENAI_API_KEY",)),
    Profile("text-encoder", "comfyui", "qwen3-4b", vision=False),
    Profile("ollama", "openai", "qwen2.5vl:7b", "http://127.0.0.1:11434/v1"),
    Profile("lm-studio", "openai", "qwen2.5-vl-7b-instruct", "http://127.0.0.1:1234/v1"),
    Profile("llama.cpp", "openai", "default", "http://127.0.0.1:8080/v1"),
)


def profile_named(name: str, settings: Path | None = None) -> Profile:
    """The profile of that name. Raises ValueError, which lists the names, for an unknown one."""
    found = load_profiles(settings)
    if name not in found:
        raise ValueError(
            say(
                "There is no reasoner '{name}'; there is: {names}.",
                name=name,
                names=", ".join((OFFLINE, *found)),
            )
        )
    return found[name]


def load_profiles(settings: Path | None = None) -> dict[str, Profile]:
    """All profiles by name: the built-in ones, and those of `reasoners.yaml`.

    That file, in the settings folder, changes built-in profiles and adds others. Raises ValueError
    for a file that cannot be used, naming the entry and what is wrong with it.
    """
    found = {profile.name: profile for profile in BUILT_IN}
    path = settings / FILE if settings else None
    if path is None or not path.is_file():
        return found
    for name, said in read_yaml(path).items():
        try:
            found[name] = _profile(name, said, found.get(name))
        except (ValueError, TypeError) as error:
            raise ValueError(f"{FILE}: {name}: {error}") from None
    return found


def _profile(name: str, said: Any, known: Profile | None) -> Profile:
    if name == OFFLINE or not _NAME.fullmatch(name):
        raise ValueError(
            "this is no name for a profile: use at most 40 letters, digits, spaces and . - _"
        )
    if not isinstance(said, dict):
        raise ValueError("expected `protocol`, `model` and what else is to be changed, one a line")
    unknown = sorted(said.keys() - {"protocol", "model", "base_url", "key", "vision"})
    if unknown:
        raise ValueError(
            f"unknown: {', '.join(unknown)}; known are protocol, model, base_url, key, vision"
        )
    profile = known or Profile(name, said.get("protocol", "openai"), said.get("model", ""))
    changes: dict[str, Any] = {
        field: str(said[field]) for field in ("protocol", "model", "base_url") if field in said
    }
    if "key" in said:
        if not _VARIABLE.fullmatch(str(said["key"])):  # it may be the key itself: it is not shown
            raise ValueError(
                "`key` is the name of an environment variable, in capitals; write the key itself "
                "into secrets.yaml"
            )
        changes["keys"] = (str(said["key"]),)
    if "vision" in said:
        changes["vision"] = str(said["vision"]).casefold() in ("true", "yes", "on", "1")
    profile = replace(profile, **changes)
    if profile.protocol not in PROTOCOLS:
        raise ValueError(f"protocol is '{profile.protocol}'; it is {joined(PROTOCOLS)}")
    if not profile.model:
        raise ValueError("no `model` is named")
    if profile.base_url:
        check_address(profile.base_url)
    return profile
