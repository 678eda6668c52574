"""A cache of texts that are projected outside the K/V cache, recognised by value.

Other packs change the text of a layer, or replace a layer, and pass the same text in each step.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from .device_copies import STATES
from .side_memory import MAX_TEXTS, SideMemory

_Ids = tuple[int, ...]
_Output = tuple[Sequence[object], Tensor]


class _Text:
    """A text, and each layer's outputs for it by its last few sets of patches."""

    def __init__(self, value: Tensor) -> None:
        self.value = value
        self.nbytes = value.nbytes
        self._outputs: dict[int, OrderedDict[_Ids, _Output]] = {}
        """id of the layer -> ids of its patches -> (patches, output), the oldest set first.

        The patches are stored so that their ids are not reused.
        """

    def find(self, layer: object, patches: Sequence[object]) -> Tensor | None:
        """The output of `layer` with `patches`; None = it has none yet."""
        of_layer = self._outputs.get(id(layer), OrderedDict())
        found = of_layer.get(tuple(map(id, patches)))
        return None if found is None else found[1]

    def add(self, layer: object, patches: Sequence[object], output: Tensor) -> None:
        """Store the output of `layer` with `patches`, in place of that with its oldest set."""
        of_layer = self._outputs.setdefault(id(layer), OrderedDict())
        of_layer[tuple(map(id, patches))] = patches, output
        self.nbytes += output.nbytes
        if len(of_layer) > STATES:
            _, (_, dropped) = of_layer.popitem(last=False)
            self.nbytes -= dropped.nbytes


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
        output = found.find(layer, patches)
        if output is None:
            output = project(text)
            found.add(layer, patches, output)
            self._side.use(self)
        return output

    def _find(self, text: Tensor) -> _Text:
        for place in reversed(range(len(self._texts))):
            value = self._texts[place].value
            same = (value.shape, value.dtype, value.device) == (text.shape, text.dtype, text.device)
            if same and torch.equal(value, text):
                self._texts.append(self._texts.pop(place))
                break
        else:
            self._texts = [*self._texts, _Text(text.clone())][-MAX_TEXTS:]
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
