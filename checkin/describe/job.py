"""A run that describes many models, and that can be stopped and resumed."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path

from ...batch import Done, Each, in_this_process
from ..catalog.cards import Card
from ..index.sidecar_file import generated_at, write_generated
from ..lexicon.sentences import say, sentence
from .evidence import Evidence, evidence_of, pictures_beside
from .offline import Described

Describe = Callable[[Evidence], Described | None]
"""Describes one model; None where there is not enough evidence. May raise CannotDescribe."""


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
"""Errors of the disk that every further sidecar would meet, too."""
_NEVER = datetime.min.replace(tzinfo=UTC)
_MAX_NAMED = 10
"""How many failures a report names."""


class CannotDescribe(Exception):
    """One model could not be described; the message says why. Others may still be described."""


@dataclass(frozen=True)
class Outcome:
    """The result of a run: ids of the cards, and for each failure also a sentence."""

    written: tuple[str, ...]
    nothing_to_go_by: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]

    def text(self, most: int | None = _MAX_NAMED) -> str:
        """The outcome in a few lines, the first models of each kind named; all with None."""
        lines = [
            say(
                "{number} described, {others} with nothing to go by.",
                number=len(self.written),
                others=len(self.nothing_to_go_by),
            )
        ]
        for ids, said in (
            (self.written, sentence("Described: {names}")),
            (self.nothing_to_go_by, sentence("Nothing to go by: {names}")),
        ):
            if ids:
                more = ", …" if len(ids[:most]) < len(ids) else ""
                lines.append(say(said, names=", ".join(ids[:most]) + more))
        if self.failed:
            lines.append(say("{number} could not be described:", number=len(self.failed)))
            lines += [f"- {card_id}: {why}" for card_id, why in self.failed[:most]]
        return "\n".join(lines)


def needs_description(card: Card, again: bool = False) -> bool:
    """Whether a program may describe the card: nobody has, or with `again` only a program has."""
    by_a_program = again and card.sources.get("description") == "generated"
    return card.path is not None and (not card.description or by_a_program)


def in_turn(
    cards: Iterable[Card], again: bool, failed: Mapping[str, datetime] | None = None
) -> list[Card]:
    """The cards that need a description, in the order in which runs with a limit get round them.

    Those that no program has described come first, then those described longest ago. `failed`:
    path of a model -> when it could not be described, which counts as a description of that time.
    """
    tried = failed or {}

    def last(card: Card) -> datetime:
        by_a_program = card.sources.get("description") == "generated"
        described = generated_at(str(card.path)) if by_a_program else None
        return max(described or _NEVER, tried.get(str(card.path), _NEVER))

    return sorted((card for card in cards if needs_description(card, again)), key=last)


def describe_models(
    cards: Iterable[Card],
    describe: Describe,
    by: str,
    *,
    now: datetime,
    pictures: Callable[[Card], Sequence[Path]] = lambda card: (),
    progress: Callable[[int, int], None] = lambda done, total: None,
    each: Each = in_this_process,
    limit: int | None = None,
) -> Outcome:
    """Describe each of `cards`, and write it into its sidecar, marked as generated `by` at `now`.

    Each sidecar is written as soon as its model is described. A run that was stopped can be
    resumed: for models that are described, `needs_description` is false. `pictures` returns the
    pictures of a model that has no preview but videos. `each` says where they are described.
    Of those for which the describer had an answer, or was asked and failed, there are at most
    `limit`: what has nothing to go by does not count.
    """
    models: list[Card] = []
    written: list[str] = []
    nothing: list[str] = []
    failed: list[tuple[str, str]] = []
    for card in cards:  # before a picture is drawn and a vision model is paid for it
        if os.access(Path(str(card.path)).parent, os.W_OK):
            models.append(card)
        else:
            failed.append((card.id, os.strerror(errno.EACCES)))
    function = partial(_described, describe=describe, pictures=pictures)
    waiting, seen, left = iter(models), 0, len(models) if limit is None else limit
    while batch := list(islice(waiting, left)):
        for done in each(function, batch):
            error = _kept(done, by, now)
            if isinstance(error, OSError) and error.errno in _NO_ROOM:
                raise error  # no sidecar can be written, and a vision model may cost money
            if error:
                failed.append((done.item.id, getattr(error, "strerror", None) or str(error)))
            else:
                (written if done.result else nothing).append(done.item.id)
            seen += 1
            left -= bool(done.result) or isinstance(error, CannotDescribe)
            progress(seen, seen + min(left, len(models) - seen))
    return Outcome(tuple(written), tuple(nothing), tuple(failed))


def _kept(done: Done, by: str, now: datetime) -> Exception | None:
    """Write what came of one model into its sidecar; the error of this or of the describer."""
    if done.result:
        try:
            fields = {name: value for name, value in asdict(done.result).items() if value}
            write_generated(Path(str(done.item.path)), fields, by, now)
        except (ValueError, OSError) as refused:
            return refused
    return done.error


def _described(
    card: Card, describe: Describe, pictures: Callable[[Card], Sequence[Path]]
) -> Described | None:
    return describe(evidence_of(card, () if pictures_beside(card) else pictures(card)))
