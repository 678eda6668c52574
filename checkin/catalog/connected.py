"""The model that is connected to Check-in: LoRAs that fit it are chosen, and applied to it."""

from __future__ import annotations

from dataclasses import dataclass

from ..lexicon.base_models import covers, label_of, shares_layers
from ..lexicon.sentences import say
from .cards import Card

ALONE = "connected model"
"""A line of `chosen` that picks no LoRA: what is connected draws alone."""


@dataclass(frozen=True)
class ConnectedModel:
    """A model that another node has loaded, so that no checkpoint has to be."""

    card: Card
    """What is known of it; it stands in for the base checkpoint of a LoRA."""
    base_model: str | None
    """Its base model as its layers tell; None if they tell none."""
    fitting: frozenset[str] = frozenset()
    """Where they tell none: the base models whose LoRAs have names of its layers."""

    @property
    def name(self) -> str:
        """What it is called in sentences: "the connected SDXL model"."""
        if not self.base_model:
            return say("the connected model")
        return say("the connected {base} model", base=label_of(self.base_model))

    @property
    def words(self) -> str:
        """The constraint that it sets, in words."""
        return say("for {model}", model=self.name)

    def takes(self, base_model: str | None) -> bool:
        """Whether a LoRA for `base_model` may fit it; one for an unknown base model may."""
        own = self.base_model
        if own is None or base_model is None:
            return base_model is None or base_model in self.fitting
        return shares_layers(own, base_model) or covers(own, base_model) or covers(base_model, own)

    def refusal(self, checkpoint: Card) -> str:
        """The sentence that a checkpoint cannot be applied to it."""
        return say(
            "{name} is a whole checkpoint; disconnect `model` to load it.", name=checkpoint.name
        )
