"""The models of a request in which tags pick LoRAs: `my latest bear <lora:ink_style:0.7>`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..catalog.card_facts import name_key
from ..catalog.pinned import PinnedModel
from ..catalog.reference import Reference
from ..catalog.selection import CardSelection, Catalogue
from ..lexicon.spelling import name_words
from .case import Case
from .decide import decide
from .verdict import Verdict


def decide_tagged(
    case: Case, tags: Sequence[PinnedModel]
) -> tuple[Case, tuple[Verdict, CardSelection]]:
    """The case with the models of the tags as chosen by hand, behind those that the words choose,
    and its verdict with what that left. A language model is asked only about words that count.

    Words choose only where they point at a model: by its name ("nelson", but not "a castle"), a
    version, as the newest, or as "my bear". A prompt from another program lists all its models in
    tags. What the words leave unclear is asked first.
    """
    offline = replace(case, options=replace(case.options, reasoner=None))
    decided = decide(offline)
    said: list[PinnedModel] = []
    if _points(case, decided[0]):
        verdict, _ = decided = decide(case) if case.options.reasoner else decided
        if verdict.question:
            return case, decided
        said = [verdict.pinned(view) for view in verdict.views]
    tagged = {one.reference.name for one in tags}
    beside = [one for one in said if one.reference.name not in tagged]
    case = replace(case, options=replace(case.options, chosen=(*beside, *tags)))
    return case, decide(case)


def as_called_here(tag: PinnedModel, catalogue: Catalogue) -> PinnedModel:
    """The tag with the name as the library writes it: `<lora:PIP:1>` opens pip.safetensors where
    file names ignore case. Of several files of that name for one base model, copies in other
    folders, it means the newest that is good, by the shortest path. Unchanged where no file is
    called so, or files of several names or for several base models are.
    """
    said, columns = tag.reference.name or "", catalogue.columns
    cards = columns.names.cards_of(f"<{name_key(said)}>").tolist()
    called = [one for one in cards if catalogue.cards[one].name.casefold() == said.casefold()]
    found = [catalogue.cards[one].name for one in called]
    if len({*found}) != 1 or len({columns.base_model[one] for one in called}) != 1:
        return tag
    meant = max(
        (-columns.state_code[one], columns.order[one], -len(catalogue.cards[one].path or ""), one)
        for one in called
    )[-1]
    copy = Reference.of(catalogue.cards[meant]).id if len(called) > 1 else None
    return replace(tag, reference=Reference(found[0], id=copy))


def _points(case: Case, verdict: Verdict) -> bool:
    intent = case.reading.intent
    if intent.names or intent.versions or intent.order:
        return True
    if any(mention.possessive for mention in intent.mentions):
        return True
    plain = {
        word
        for mention in intent.mentions
        if not mention.indefinite
        for word in mention.words.split()
    }
    return any(plain & set(name_words(view.card.name)) for view in verdict.views)
