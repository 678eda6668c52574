"""The user's settings, keys and history in ComfyUI's user folder, and the machine on which models
run.
"""

from __future__ import annotations

import logging
from datetime import datetime
from pathlib import Path

import comfy.model_management
import folder_paths

from ...checkin import Card
from ...checkin.decision.serving.plan import model_identity
from ...checkin.llm import OFFLINE, load_profiles
from ...checkin.user.context import Context, Hardware, load_context, open_history
from ...checkin.user.favourites import favourites
from ...checkin.user.history import Use
from ...checkin.user.preferences import Preferences, load_preferences
from ...taq_kernels.backends import registry


def settings_folder() -> Path:
    """ComfyUI's user folder for this pack, which no page and no workflow can read."""
    return Path(folder_paths.get_system_user_directory("personalq"))


def reasoner_names(vision: bool = False) -> list[str]:
    """The choices of a `reasoner` input; with `vision`, only those that can look at pictures.

    The nodes must load even if reasoners.yaml is broken, so the error is logged here and raised
    when a reasoner is used.
    """
    try:
        profiles = load_profiles(settings_folder())
    except ValueError as error:
        logging.warning("PersonalQ: %s", error)
        profiles = load_profiles()
    return [OFFLINE, *(name for name, profile in profiles.items() if profile.vision or not vision)]


def preferences() -> Preferences:
    """The user's settings. Raises ValueError if settings.yaml has an invalid setting."""
    return load_preferences(settings_folder())


def context() -> Context:
    """The system context: preferences, history, and the free memory of ComfyUI's device."""
    device = comfy.model_management.get_torch_device()
    free = comfy.model_management.get_free_memory(device)
    name = comfy.model_management.get_torch_device_name(device)
    int8 = registry.int8_products(registry.machine(device)).name != registry.FLOAT
    hardware = Hardware(device.type, name, free, int8)
    return load_context(settings_folder(), hardware)


def marked() -> frozenset[str]:
    """The user's favourite models; none if their file is broken, which the log says."""
    try:
        return favourites(settings_folder())
    except ValueError as error:
        logging.warning("PersonalQ: %s", error)
        return frozenset()


def uses() -> tuple[Use, ...]:
    """The history, oldest first; empty if it is turned off."""
    history = open_history(settings_folder())
    return history.uses() if history else ()


def remember(card: Card, preset: str | None = None) -> None:
    """Add a use of a model to the history, unless the history is turned off.

    `preset` is the one that the user picked, if any.
    """
    if history := open_history(settings_folder()):
        try:
            history.add(Use(datetime.now().astimezone(), model_identity(card), preset))
        except OSError as error:
            logging.warning("PersonalQ: this use is not in the history (%s).", error)
