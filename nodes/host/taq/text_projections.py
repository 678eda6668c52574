"""Texts that were projected outside the prompt cache, recognised by value: other packs change the
text in a layer, or take a layer over, and pass the same text at every step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from .side_memory import SideMemory

_TEXTS = 8
"""Held at a time: a prompt and a negative prompt, each as up to four patches give them."""


@dataclass
class _Text:
    value: Tensor
    outputs: dict[tuple[int, ...], tuple[Sequence[object], Tensor]] = field(default_factory=dict)
    """By layer and patches: the patches, so that their ids stay theirs, and what the layer gave."""

    @property
    def nbytes(self) -> int:
        return self.value.nbytes + sum(output.nbytes for _, output in self.outputs.values())


class TextProjections:
    """The last texts and what layers made of them."""

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
        """`project(text)`, computed once for a layer, the patches of its weight, and a text [B, T,
        C] of this value.
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
            self._texts = [*self._texts, _Text(text.clone())][-_TEXTS:]
            self._side.use(self)
        return self._texts[-1]

    @property
    def nbytes(self) -> int:
        """Bytes of all texts and of what layers made of them."""
        return sum(text.nbytes for text in self._texts)

    def evict(self) -> bool:
        """Give up the text used longest ago; False where it is the only one."""
        if len(self._texts) < 2:
            return False
        del self._texts[0]
        return True

    def clear(self) -> None:
        """Give up all texts."""
        self._texts = []
