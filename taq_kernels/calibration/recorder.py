"""What calibration needs of each block: the calls of the half-quantized model, and what full
precision returns. A model is not run from its start for every layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from torch import Tensor, nn

from ..families import block_name
from .calls import Call, bytes_of, enclosing_modules, recorded_inputs, recorded_outputs

LIMIT = 4 * 2**30
"""Bytes of main memory that the calls of one opened module may take, in both models together."""


class _Opened(NamedTuple):
    """A module that runs in place of the whole model, and its calls in both models."""

    name: str
    """The model itself is ""."""
    calls: Sequence[Call]
    exact: Sequence[Call]


class Recorder:
    """Records the blocks of `model` while they are quantized one after the other.

    `reference` is the same model in full precision. The inputs of a module do not change while the
    blocks inside it are quantized. So a module that holds several is opened: its inputs are
    recorded once, and then it alone runs, up to each block. These are the outermost module, and the
    residual or transformer block where single layers are quantized. A module whose calls take more
    than `LIMIT` bytes is not opened.
    """

    def __init__(
        self, model: nn.Module, reference: nn.Module, blocks: Sequence[str], batches: Sequence[Call]
    ) -> None:
        """`blocks` are modules that each of the `batches` runs, in the order of their turn."""
        self.model, self.reference = model, reference
        around = enclosing_modules(model, blocks, batches[0])
        held = [name for names in around.values() for name in names]
        self._around = {
            block: _worth_opening([name for name in names if held.count(name) > 1], block)
            for block, names in around.items()
        }
        self._opened = [_Opened("", batches, batches)]

    def record(self, block: str) -> tuple[list[Call], list[Tensor]]:
        """The block's calls in the model as it is now, and what the reference returns, by batch.

        All tensors are on the CPU.
        """
        self._go_to(self._around[block])
        inside = self._opened[-1]
        own = _relative(block, inside.name)
        return (
            recorded_inputs(self.model.get_submodule(inside.name), own, inside.calls),
            recorded_outputs(self.reference.get_submodule(inside.name), own, inside.exact),
        )

    def _go_to(self, names: Sequence[str]) -> None:
        """Leave the opened modules that are not among `names`, and open those that are."""
        kept = [one for one in self._opened if not one.name or one.name in names]
        self._opened = kept
        for name in names:
            if name not in [one.name for one in self._opened]:
                self._open(name)

    def _open(self, name: str) -> None:
        inside = self._opened[-1]
        own, both = _relative(name, inside.name), (self.model, self.reference)
        first, *_ = recorded_inputs(self.model.get_submodule(inside.name), own, inside.calls[:1])
        if bytes_of(first) * len(inside.calls) * len(both) > LIMIT:
            return
        calls, exact = (
            recorded_inputs(model.get_submodule(inside.name), own, batches)
            for model, batches in zip(both, (inside.calls, inside.exact), strict=True)
        )
        self._opened.append(_Opened(name, calls, exact))


def _worth_opening(around: list[str], block: str) -> list[str]:
    """The outermost of the modules `around` a block, and the block that its layer belongs to."""
    return list(dict.fromkeys([*around[:1], *(n for n in around if n == block_name(block))]))


def _relative(name: str, outer: str) -> str:
    """The name of a module as seen from the module `outer`."""
    return name.removeprefix(f"{outer}.") if outer else name
