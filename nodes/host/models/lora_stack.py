"""The LoRAs of a decision as a LORA_STACK: a list of (name, model strength, text encoder strength).

LoRA Manager (`py/nodes/lora_stacker.py`), Efficiency Nodes (`TSC_LoRA_Stacker`) and Comfyroll (`CR
LoRA Stack`) give and take it so. The name is the one that the host's LoRA loader offers: the path
from a `loras` folder, with the system's separators.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import folder_paths

from ....checkin import Card
from ....checkin.lexicon.sentences import say

LoraStack = list[tuple[str, float, float]]


def lora_stack(cards: Iterable[Card]) -> tuple[LoraStack, list[str]]:
    """The LoRAs among the cards, in their order, and notices on those that no name calls.

    Checkpoints are left out.
    """
    stack: LoraStack = []
    notices = []
    for card in cards:
        if card.kind != "lora":
            continue
        if name := _name(str(card.path)):
            stack.append((name, card.strength, card.strength))
        else:
            notices.append(
                say(
                    "{name} is not in lora_stack: it lies in none of ComfyUI's loras folders.",
                    name=card.name,
                )
            )
    return stack, notices


def _name(path: str) -> str | None:
    """The name by which the host finds the file; None if it lies in no loras folder."""
    names = (
        os.path.relpath(path, root)
        for root in folder_paths.get_folder_paths("loras")
        if os.path.splitdrive(path)[0] == os.path.splitdrive(root)[0]
    )
    return next((one for one in names if one.split(os.sep)[0] != os.pardir), None)
