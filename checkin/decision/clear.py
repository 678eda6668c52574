"""Whether the evidence says clearly which models are meant.

Where it does not, a language model is asked, if one is chosen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .candidates.grounded import Grounded
from .evidence.grounder import IS, LACKED
from .evidence.likelihood import probability
from .verdict import Verdict

LEAST = 0.8
"""The least likelihood of a model that is clearly meant."""
LEAD = 3.5
"""How far in log-odds the next lineage is behind.

Set with LEAST on the open libraries of bench/libraries, each judged with weights learned from the
others: of 847 requests that the history does not decide 189 (22.3 %) are clear, and of these 180
(95.2 %) are decided right. `personalq bench libraries --method checkin-llm --profile NAME` counts
them anew.
"""


def is_clear(case: Grounded, verdict: Verdict) -> bool:
    """Whether `verdict`, decided by the evidence of `case`, needs no second opinion.

    A question or a refusal is not clear, nor is a request in an unknown language. A selection by
    words is, if its models are likely, no other lineage is near, no word for what is drawn names
    another model alone, and their finished builds are for one base model, or the request says for
    which. A selection by gates alone ("my first lora") is clear. So is all that the history
    decides: it is not sent anywhere.
    """
    if case.intent.used:
        return True
    intent = case.intent
    if intent.language.known and case.meets.any():
        return not intent.unhandled and not (verdict.question and intent.details)
    if not verdict.entry or not intent.language.known:
        return False
    if not case.telling:
        return True
    chosen = [view.position for view in verdict.views]
    return (
        _leads(case, chosen)
        and not _leaves_a_word(case, chosen)
        and not any(_has_several_bases(case, one) for one in chosen)
    )


def _leads(case: Grounded, chosen: Sequence[int]) -> bool:
    if case.found is None:
        return False
    lineage = case.left.columns.lineage
    meant = np.isin(lineage[case.found.cards], lineage[list(chosen)])
    if meant.sum() < len(chosen):
        return False
    least = case.odds[meant].min()
    rival = case.odds[~meant].max(initial=-np.inf)
    return bool(probability(least) >= LEAST and least - rival >= LEAD)


def _leaves_a_word(case: Grounded, chosen: Sequence[int]) -> bool:
    """Whether another model is what a word says, and none of the chosen ones has the word."""
    return any(
        not ground.generic and ground.best >= IS and ground.strength[list(chosen)].max() < LACKED
        for ground in case.head_grounds
    )


def _has_several_bases(case: Grounded, card: int) -> bool:
    """Whether finished builds for several base models may be meant, and none is named."""
    if case.intent.order or any(gate.kind == "base model" for gate in case.gates):
        return False
    columns, builds = case.left.columns, case.builds.of(card)
    finished = builds[columns.state_code[builds] == 0]
    return len(np.unique(columns.base_model.codes[finished])) > 1
