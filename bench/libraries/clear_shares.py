"""How many requests are too clear to ask a language model, and how many of these are right."""

from __future__ import annotations

from contextlib import ExitStack

from ...checkin.decision import by_evidence
from ...checkin.decision.clear import is_clear
from .learn import Lesson, _model
from .library import library_names, read_library
from .open_library import opened


def clear_shares() -> dict[str, int]:
    """Count `requests` of the open half, those that are `clear`, and of these the `right` ones.

    Each library is judged with weights learned from the others. Requests that the history decides
    are left out. Without another library to learn from nothing is counted.
    """
    counts = {"requests": 0, "clear": 0, "right": 0}
    with ExitStack() as stack:
        lessons = [
            Lesson(stack.enter_context(opened(read_library("open", name))))
            for name in library_names("open")
        ]
        rows = [lesson.rows() for lesson in lessons]
        for lesson, own in zip(lessons, rows, strict=True):
            others = [one for one in rows if one is not own]
            if not others:
                continue
            model = _model(others)
            cases = zip(lesson.judged(model), lesson.cases(model), strict=True)
            for (_, said), case in cases:
                offline, read = by_evidence.decide(case, lesson.at.library.now)
                if case.intent.used:
                    continue
                clear = is_clear(read, offline)
                counts["requests"] += 1
                counts["clear"] += clear
                counts["right"] += clear and said == "right"
    return counts
