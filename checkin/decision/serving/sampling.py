"""The settings that suit a model: size, steps, guidance, sampler, clip skip, negative prompt.

They come from its card, else from its example pictures, else they are usual for its base model. A
model for few steps decides how it is sampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ...catalog.cards import Card
from ...catalog.few_steps import FewSteps, few_steps, of_name
from ...lexicon.base_models import label_of
from ...lexicon.sentences import say
from ...lexicon.usual_settings import Usual, least_clip_skip, usual
from ...readers.example_pictures import SOURCE as EXAMPLES

Stage = Literal["preview", "final"]

_STEPS_OF_PREVIEW = 12


@dataclass(frozen=True)
class Sampling:
    """Settings of an empty latent, a sampler and a text encoder."""

    width: int
    height: int
    """Pixels."""
    steps: int
    cfg: float
    sampler: str
    scheduler: str
    """The host's names."""
    clip_skip: int
    """As the host counts: -1 is CLIP's last layer, -2 the one before."""
    negative: str
    made_for: str
    """Where they come from: "cfg: the card of bear; the rest: usual for SD 1.5"."""


class _Said(NamedTuple):
    """A value of a card."""

    value: Any
    card: Card
    by_examples: bool

    @property
    def source(self) -> str:
        name = self.card.name
        return (
            say("the example pictures of {name}", name=name)
            if self.by_examples
            else say("the card of {name}", name=name)
        )


class _Fast(NamedTuple):
    """The model for few steps among those that are used together."""

    name: str
    few: FewSteps
    card: Card | None = None
    """None where only the name of a LoRA's checkpoint is known."""


@dataclass(frozen=True)
class _Models:
    """The models that are used together, the most important first, the checkpoint last."""

    cards: Sequence[Card]
    fast: _Fast | None

    def said(self, name: str, of_pace: bool = False, examples: bool = True) -> _Said | None:
        """What counts for a field: what people and tools say of any model, then the examples.

        `of_pace`: a LoRA for few steps decides it alone, and a checkpoint for few steps does
        against pictures that were drawn on other checkpoints.
        """
        fast = self.fast if of_pace else None
        alone = fast is not None and fast.card is not None and fast.card.kind == "lora"
        found = [
            _Said(value, one, one.sources.get(name) == EXAMPLES)
            for one in self.cards
            if (value := getattr(one, name)) is not None
        ]
        if fast:
            found = [
                one for one in found if one.card is fast.card or not (alone or one.by_examples)
            ]
        written = [one for one in found if not one.by_examples]
        return next(iter(written or (found if examples else ())), None)


def sampling(
    card: Card | None, base: Card | None, stage: Stage, further: Sequence[Card] = ()
) -> Sampling:
    """The settings that suit `card`, used together with the LoRAs `further`.

    `base` is the checkpoint that a LoRA is loaded on: its card is used where the LoRAs' have no
    value.
    """
    loras = [one for one in (card, *further) if one and one.kind == "lora"]
    checkpoint = base or (card if card and card.kind == "checkpoint" else None)
    cards = [*loras, *([checkpoint] if checkpoint else [])]
    family = next((one.base_model for one in reversed(cards) if one.base_model), None)
    fast = _fast(loras, checkpoint, family)
    models, best = _Models(cards, fast), usual(family, _name(loras, checkpoint))
    made: dict[str, list[str]] = {}

    def taken(label: str, said: _Said | None, pace: bool = False) -> Any:
        """The value, after its source was noted; None for the usual one."""
        if said:
            made.setdefault(said.source, []).append(label)
            return said.value
        if pace and fast:
            made.setdefault(say("{name}, made for few steps", name=fast.name), []).append(label)
        return None

    size = taken(say("size"), models.said("resolution")) or best.size
    width, height = map(int, size.split("x"))
    steps = taken(say("steps"), models.said("steps", of_pace=True), pace=True)
    steps = steps or (fast.few.steps if fast else best.steps)
    if stage == "preview" and not fast and steps > _STEPS_OF_PREVIEW:
        steps = _STEPS_OF_PREVIEW
        made = {
            source: [one for one in what if one != say("steps")] for source, what in made.items()
        }
        made[say("a preview")] = [say("steps")]
    # What pictures call cfg is another number for a model that was distilled for guidance.
    cfg = taken(say("cfg"), models.said("cfg", of_pace=True, examples=best.cfg != 1.0), pace=True)
    if cfg is None:
        cfg = fast.few.cfg if fast else best.cfg
    sampler, scheduler = _sampler(models, best, family, taken)
    least = least_clip_skip(family)
    skip = taken(say("clip skip"), models.said("clip_skip")) if least else None
    negative = taken(say("negative prompt"), models.said("negative"))
    return Sampling(
        width,
        height,
        steps,
        cfg,
        sampler,
        scheduler,
        -max(skip or 1, least or 1),
        best.negative if negative is None else negative,
        _sources(made, family),
    )


def _sampler(models: _Models, best: Usual, family: str | None, taken: Any) -> tuple[str, str]:
    """The sampler and its scheduler, which belong together: both from one source."""
    few = models.fast.few if models.fast else None
    said = models.said("sampler", of_pace=True)
    sampler = taken(say("sampler"), said, pace=True)
    if said is None:
        only = models.said("scheduler", of_pace=True) if not few else None
        with_it = only.value if only and not only.by_examples else None
        usual_pair = (few.sampler, few.scheduler) if few else (best.sampler, best.scheduler)
        return usual_pair[0], with_it or usual_pair[1]
    sources = said.card.sources
    if said.card.scheduler and sources.get("scheduler") == sources.get("sampler"):
        return sampler, said.card.scheduler
    if few:
        return sampler, few.scheduler
    # A1111's "Euler a" means the scheduler that the host calls normal.
    return sampler, "normal" if least_clip_skip(family) else best.scheduler


def _fast(loras: Sequence[Card], checkpoint: Card | None, family: str | None) -> _Fast | None:
    """The first LoRA for few steps, else the checkpoint if it is one."""
    for one in (*loras, checkpoint):
        if one and (few := few_steps(one)):
            return _Fast(one.name, few, one)
    name = _name(loras, checkpoint)
    few = of_name(name, family) if not checkpoint else None
    return _Fast(name or label_of(family or ""), few) if few else None


def _name(loras: Sequence[Card], checkpoint: Card | None) -> str:
    """What the checkpoint is called; without one, what that of the LoRAs' training was."""
    return checkpoint.name if checkpoint else next((one.base for one in loras if one.base), "")


def _sources(made: dict[str, list[str]], family: str | None) -> str:
    rest = (
        say("usual for {base}", base=label_of(family))
        if family
        else say("usual, as the base model is unknown")
    )
    said = [f"{', '.join(labels)}: {source}" for source, labels in made.items() if labels]
    return "; ".join([*said, say("the rest: {source}", source=rest) if said else rest])
