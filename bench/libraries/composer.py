"""Stylus with its composer as a selector in a library."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from ...checkin import Repository
from ...checkin.llm import Profile
from ..selection.composer import TOP, compose
from ..selection.scorers import stylus
from .checkin import Selector
from .lineages import Lineages
from .open_library import OpenLibrary
from .score import Answer


def stylus_composer(profile: Profile, settings: Path | None) -> Selector:
    """Return Stylus with its composer: it selects the adapters of all topics, or declines.

    Its catalogue has the newest builds of the lineages that are nearest by cosine.
    """

    def select(text: str, at: OpenLibrary) -> Answer:
        lineages = _lineages_of(at.repository)
        scores = lineages.scores(stylus, text, at.repository)
        newest = list(lineages.positions)
        best = [newest[one] for one in np.argsort(-scores, kind="stable")[:TOP]]
        topics = compose(text, [at.repository.get(one) for one in best], profile, settings)
        models = tuple(at.paths[card.id] for topic in topics for card in topic.cards)
        return Answer("select", models) if models else Answer("no_match")

    return select


@lru_cache(maxsize=8)
def _lineages_of(repository: Repository) -> Lineages:
    return Lineages.of(repository)
