"""Does one thing to each of many models: in this process, or as tasks of Ray.

A model that fails is given back with its error, and the others go on. What is done comes in the
order in which it is finished, so that it can be kept at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Protocol

_AHEAD = 200
"""Tasks that Ray has at one time, at most: a library of any size needs no more memory."""


@dataclass(frozen=True)
class Done:
    """One model, and what came of it: a result or an error."""

    item: Any
    result: Any = None
    error: Exception | None = None


class Each(Protocol):
    """Calls a function for each item; `memory` says how many bytes one of them takes."""

    def __call__(
        self,
        function: Callable[[Any], Any],
        items: Sequence[Any],
        memory: Callable[[Any], int] | None = None,
    ) -> Iterator[Done]:
        """What came of each item."""


def in_this_process(
    function: Callable[[Any], Any],
    items: Sequence[Any],
    memory: Callable[[Any], int] | None = None,
) -> Iterator[Done]:
    """One after another, in order."""
    return map(partial(_done, function), items)


def with_ray(ray: Any) -> Each:
    """As tasks of Ray, which says where and when: several on each machine, again if one dies."""
    task = ray.remote(_done)
    nodes = [node["Resources"].get("memory", 0) for node in ray.nodes() if node["Alive"]]

    def each(
        function: Callable[[Any], Any],
        items: Sequence[Any],
        memory: Callable[[Any], int] | None = None,
    ) -> Iterator[Done]:
        waiting = iter(items)
        running: dict[Any, Any] = {}
        # Who stops early leaves Ray, which ends what still runs. `ray.cancel` would abort this
        # process where a task is done at that moment ("complete task that was not pending").
        while True:
            for item in islice(waiting, _AHEAD - len(running)):
                # Never more than a machine has: such a task would wait for ever.
                needed = min(memory(item), max(nodes)) if memory else 0
                running[task.options(memory=needed).remote(function, item)] = item
            if not running:
                return
            (reference,), _ = ray.wait(list(running))
            item = running.pop(reference)
            try:
                done = ray.get(reference)
            except Exception as error:  # its process died, again and again
                done = Done(item, error=RuntimeError(str(error).strip().splitlines()[0]))
            yield done

    return each


def _done(function: Callable[[Any], Any], item: Any) -> Done:
    try:
        return Done(item, function(item))
    except Exception as error:
        return Done(item, error=error)
