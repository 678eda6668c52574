"""The checkpoint or diffusion model that a LoRA is loaded on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

import numpy as np

from ..catalog.cards import Card
from ..catalog.facts import DESCRIBED_BY
from ..catalog.few_steps import few_steps
from ..catalog.selection import Catalogue
from ..lexicon.base_models import ANIME, EDITS, VIDEO, covers, line_of, shares_layers
from ..lexicon.sentences import say
from ..lexicon.split_models import split_model
from ..readers.architectures import base_model_of
from ..readers.header import UnreadableFile, read_header
from ..readers.trigger_words import is_generic
from .folders import MODEL_ENDINGS


class Bases:
    """The checkpoints and diffusion models of a library, and which of them a LoRA needs."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._cards = catalogue.cards
        columns = catalogue.columns
        checkpoint = columns.kind.where(lambda kind: kind == "checkpoint")
        own = ~columns.downloaded & columns.raw_subjects.where(bool)
        self._named = self._by_name(checkpoint)
        self._loras = self._by_name(~checkpoint)
        plain = [
            self._cards[one]
            for one in np.flatnonzero(checkpoint & ~own).tolist()
            if columns.downloaded[one] or not _has_trigger(self._cards[one])
        ]
        self._plain = sorted(plain, key=_has_trigger)
        """Checkpoints that are not personalised. A site's tag is no subject of theirs; those for
        which a site names a trigger ("analog style") come last.
        """

    def of(self, lora: Card, wanted: Mapping[str, str]) -> Card | None:
        """The base of a LoRA; None if none fits.

        What a person wrote into the LoRA's card comes first, then what is `wanted` for its family
        (its id -> the name of a checkpoint), then what its trainer wrote. Otherwise it is a plain
        checkpoint of the same base model, or of one with the same layers. Raises ValueError if
        `base:` lines name each other in a circle.
        """
        if _by_a_person(lora) and (named := self._said(lora)):
            return named
        family = family_of(lora)
        chosen = self.named(wanted.get(family or ""))
        return chosen or self.named(lora.base) or self._likeliest(lora)

    def alone(self, base_model: str | None = None, anime: bool | None = None) -> Card | None:
        """What draws alone where no model of a request is here: the base of the newest LoRA, else
        the first checkpoint that is not personalised, for `base_model` if that is given.

        `anime`: whether it should be made for anime, None where that is not said; one that was
        trained from `base_model` comes after those for itself. Models that make videos or edit
        pictures draw none, unless `base_model` says so.
        """
        dated = [
            (card.created_at, position)
            for position, card in enumerate(self._cards)
            if card.kind == "lora" and card.created_at
        ]
        newest: dict[str | None, Card] = {}
        for _, position in sorted(dated, reverse=True):
            newest.setdefault(self._cards[position].base_model, self._cards[position])
        bases = (self.named(lora.base) or self._likeliest(lora) for lora in newest.values())
        fitting = [
            card
            for card in (*bases, *self._plain)
            if card
            and (
                covers(base_model, card.base_model)
                if base_model
                else not any(covers(one, card.base_model) for one in (*VIDEO, *EDITS))
            )
        ]

        def place(card: Card) -> tuple[bool, bool]:
            is_other = anime is not None and _is_anime(card) != anime
            return is_other, not (card.base_model or "").startswith(base_model or "")

        return min(fitting, key=place, default=None)

    def by_family(self) -> dict[str, list[str]]:
        """Family -> the names of its checkpoints and diffusion models, in alphabetical order."""
        found: dict[str, set[str]] = {}
        for position in self._named.values():
            card = self._cards[position]
            if family := family_of(card):
                found.setdefault(family, set()).add(card.name)
        return {family: sorted(names, key=str.casefold) for family, names in found.items()}

    def named(self, name: str | None) -> Card | None:
        """The checkpoint of this name, with or without folder and ending."""
        position = self._named.get(_model_name(name)) if name else None
        return None if position is None else self._cards[position]

    def _said(self, lora: Card) -> Card | None:
        """What a person's `base:` names; if that is a LoRA, what its own names."""
        seen = [lora.name]
        while lora.base and _by_a_person(lora):
            if found := self.named(lora.base):
                return found
            position = self._loras.get(_model_name(lora.base))
            if position is None:
                return None
            lora = self._cards[position]
            if lora.name in seen:
                raise ValueError(_circle([*seen, lora.name]))
            seen.append(lora.name)
        return self.named(lora.base)

    def _likeliest(self, lora: Card) -> Card | None:
        wanted = _base_models(lora)
        row = split_model(wanted[0]) if wanted else None
        usual = [name.casefold() for name in row.models] if row else []
        near = list(dict.fromkeys(one for name in _closest_first(wanted) for one in line_of(name)))

        def place(other: Card) -> tuple[int, int, bool, bool, bool]:
            name, base = _model_name(other.path or other.id), other.base_model
            rank = usual.index(name) if name in usual else len(usual)
            far = near.index(base) if base in near else len(near)
            if name in usual and base and covers(wanted[0], base):
                far = 0  # Z-Image Turbo, with which most draw, for a LoRA for Z-Image
            special = (
                few_steps(other) is not None,
                _has_trigger(other),
                bool(other.triggers or other.subjects),
            )
            return far, rank, *special

        fitting = [
            other
            for other in self._plain
            if any(shares_layers(one, other.base_model) for one in wanted)
        ]
        return min(fitting, key=place, default=None)

    def _by_name(self, which: np.ndarray) -> dict[str, int]:
        """Name, as LoRAs write it -> position of the first card with that name."""
        found: dict[str, int] = {}
        for position in np.flatnonzero(which).tolist():
            card = self._cards[position]
            found.setdefault(_model_name(card.path or card.id), position)
        return found


def _is_anime(card: Card) -> bool:
    made_for_it = any(covers(one, card.base_model) for one in ANIME)
    return made_for_it or any("anime" in style for style in card.styles)


def family_of(card: Card) -> str | None:
    """The family for which a base can be chosen; None if the table has none for the model."""
    row = next(filter(None, map(split_model, _closest_first(_base_models(card)))), None)
    return row.base_model if row else None


def _base_models(card: Card) -> Sequence[str]:
    """The base model that the card says, and the closer or wider one that its tensors tell."""
    said = card.base_model
    told = tensors_tell(card) if card.kind == "lora" else None
    if said and told and not (covers(said, told) or covers(told, said)):
        told = None
    return list(dict.fromkeys(one for one in (said, told) if one))


def _closest_first(bases: Sequence[str]) -> list[str]:
    """Pony before SDXL, whose layers it has."""
    return sorted(bases, key=lambda one: sum(covers(one, other) for other in bases))


def tensors_tell(card: Card) -> str | None:
    """The base model by the tensors of the card's file; None where they cannot be read."""
    try:
        return base_model_of(read_header(Path(str(card.path))).shapes)
    except (UnreadableFile, OSError):  # gone since it was indexed
        return None


def _has_trigger(card: Card) -> bool:
    """Whether the card has a trigger that is no praise: `score_9` is none of Pony's."""
    return not all(map(is_generic, card.triggers))


def _by_a_person(card: Card) -> bool:
    return card.sources.get("base") in DESCRIBED_BY


def _circle(names: Sequence[str]) -> str:
    return say(
        "The `base:` lines of {names} go in a circle. Name a checkpoint or diffusion model with "
        "`base:` in the sidecar of {last}.",
        names=" → ".join(names),
        last=names[-1],
    )


def _model_name(name: str) -> str:
    """The name of a checkpoint without folder and ending, in lower case, for comparison."""
    last = PurePath(name.replace("\\", "/")).name.casefold()
    return next(
        (last.removesuffix(ending) for ending in MODEL_ENDINGS if last.endswith(ending)), last
    )
