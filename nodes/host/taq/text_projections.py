"""A cache of texts that are projected outside the K/V cache, recognised by value.

Other packs change the text of a layer, or replace a layer, and pass the same text in each step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from .side_memory import MAX_TEXTS, SideMemory


@dataclass
class _Text:
    value: Tensor
    outputs: dict[tuple[int, ...], tuple[Sequence[object], Tensor]] = field(default_factory=dict)
    """(ids of layer and patches) -> (patches, output of the layer).

    The patches are stored so that their ids are not reused.
    """

    @property
    def nbytes(self) -> int:
        return self.value.nbytes + sum(output.nbytes for _, output in self.outputs.values())


class TextProjections:
    """The last texts, and the outputs of layers for them."""

    def __init__(self, side: SideMemory) -> None:
        self._side = side
        self._texts: list[_Text] = []
        """Least recently used first."""

    def get(
        self,
        layer: object,
        patches: Sequence[object],
        text: Tensor,
        project: Callable[[Tensor], Tensor],
    ) -> Tensor:
        """The result of `project(text)`, for a text [B, T, C].

        It is computed once for each layer, patches of its weight, and value of the text.
        """
        found = self._find(text)
        key = (id(layer), *map(id, patches))
        if key not in found.outputs:
            found.outputs[key] = patches, project(text)
        return found.outputs[key][1]

    def _find(self, text: Tensor) -> _Text:
        for place in reversed(range(len(self._texts))):
            value = self._texts[place].value
            same = (value.shape, value.dtype, value.device) == (text.shape, text.dtype, text.device)
            if same and torch.equal(value, text):
                self._texts.append(self._texts.pop(place))
                break
        else:
            self._texts = [*self._texts, _Text(text.clone())][-MAX_TEXTS:]
            self._side.use(self)
        return self._texts[-1]

    @property
    def nbytes(self) -> int:
        """Bytes of all texts and of the outputs for them."""
        return sum(text.nbytes for text in self._texts)

    def evict(self) -> bool:
        """Drop the least recently used text; return False if there is only one or none."""
        if len(self._texts) < 2:
            return False
        del self._texts[0]
        return True

    def clear(self) -> None:
        """Drop all texts."""
        self._texts = []
