"""Parts of a request that stand for one model: of a lineage, or one as a form of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..base_models.fitting import Part
from ..candidates.grounded import Grounded
from ..evidence.grounder import GENERIC
from .part_features import is_joined


def merged(case: Grounded, parts: Sequence[Part]) -> list[Part]:
    """The parts, those that may mean the same model made one."""
    found: list[Part] = []
    for part in parts:
        joined = is_joined(case, case.segments[part.place].segment)
        for place, other in enumerate(found):
            common = case.builds.lineages(other.cards) & case.builds.lineages(part.cards)
            if common:
                both = [card for card in other.cards if case.builds.lineages([card]) & common]
                found[place] = replace(other, cards=both)
                break
            if _is_in_scene(case, part) and _are_checkpoints(case, other, part):
                break
            if joined:
                continue  # "frieren and fern", of fern_sousou_no_frieren
            if _is_form_of(case, other, part) or _is_form_of(case, part, other):
                form, one = (part, other) if _is_form_of(case, other, part) else (other, part)
                found[place] = _of_its_name(case, form, one, other.place)
                break
        else:
            found.append(part)
    return found


def _of_its_name(case: Grounded, form: Part, one: Part, place: int) -> Part:
    """The forms of a model that have its name: "chidi as a baby" means no other baby."""
    called = case.left.columns.called
    name = {*called[one.cards[0]]} - GENERIC
    cards = [card for card in form.cards if name < {*called[card]}]
    return replace(form, cards=cards, place=place, role=False)


def _is_in_scene(case: Grounded, part: Part) -> bool:
    return case.segments[part.place].segment.part != "head"


def _are_checkpoints(case: Grounded, *parts: Part) -> bool:
    """Whether all are checkpoints, of which there is one: "juggernaut ragnarok, photo of a fox"."""
    return all(case.left.columns.kind[part.cards[0]] == "checkpoint" for part in parts)


def _is_form_of(case: Grounded, one: Part, form: Part) -> bool:
    """Whether a model is another in some form: becca_wedding of becca, but not beccas_kitchen."""
    catalogue, columns = case.left.catalogue, case.left.columns
    name, of_form = ({*columns.called[each.cards[0]]} - GENERIC for each in (one, form))
    belongs = any(f"{word}s" in catalogue.cards[form.cards[0]].name.casefold() for word in name)
    return bool(name) and name < of_form and not (one.look or form.look or belongs)
