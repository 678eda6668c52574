"""Calls of modules with any signature: recorded with hooks, stored on the CPU, and repeated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

Call = tuple[tuple[Any, ...], dict[str, Any]]
"""Positional and keyword arguments of one call."""


class _Reached(Exception):
    """Ends a model's forward pass as soon as the module of interest is recorded."""


def map_tensors(tree: Any, change: Callable[[Tensor], Tensor]) -> Any:
    """Apply `change` to every tensor in the dicts, lists and tuples of `tree`.

    The containers of the result are new; other values are shared.
    """
    if isinstance(tree, Tensor):
        return change(tree)
    if isinstance(tree, dict):
        return {key: map_tensors(value, change) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)([map_tensors(value, change) for value in tree])
    return tree


def on_device(call: Call, device: torch.device) -> Call:
    """The call with its tensors on `device`, in new containers that the callee may change."""
    return map_tensors(call, lambda tensor: tensor.to(device))


def device_of(module: nn.Module) -> torch.device:
    """The device of the first parameter of `module`."""
    return next(module.parameters()).device


@torch.no_grad()
def recorded_inputs(model: nn.Module, name: str, batches: Sequence[Call]) -> list[Call]:
    """The arguments of module `name`'s first call in each of `batches`, detached, on the CPU."""
    recorded: list[Call] = []

    def record(_: nn.Module, args: tuple, kwargs: dict) -> None:
        recorded.append(map_tensors((args, kwargs), _stored))
        raise _Reached

    _run(
        model,
        batches,
        model.get_submodule(name).register_forward_pre_hook(record, with_kwargs=True),
    )
    return recorded


@torch.no_grad()
def recorded_outputs(model: nn.Module, name: str, batches: Sequence[Call]) -> list[Tensor]:
    """The first output (a tensor) of module `name` in each of `batches`, detached, on the CPU."""
    recorded: list[Tensor] = []

    def record(_: nn.Module, __: tuple, output: Tensor) -> None:
        recorded.append(_stored(output))
        raise _Reached

    _run(model, batches, model.get_submodule(name).register_forward_hook(record))
    return recorded


@torch.no_grad()
def calling_order(model: nn.Module, names: Sequence[str], call: Call) -> dict[str, int]:
    """The order in which `model` first enters the modules `names` in one call, from 0.

    Modules that are not entered are left out.
    """
    order: dict[str, int] = {}

    def note(name: str, *_: object) -> None:
        order.setdefault(name, len(order))

    args, kwargs = on_device(call, device_of(model))
    with ExitStack() as hooks:
        for name in names:
            hooks.enter_context(
                model.get_submodule(name).register_forward_pre_hook(partial(note, name))
            )
        model(*args, **kwargs)
    return order


@torch.no_grad()
def enclosing_modules(
    model: nn.Module, names: Sequence[str], call: Call
) -> dict[str, tuple[str, ...]]:
    """The modules that run around the first call of each of the modules `names`, outermost first.

    Only those that hold it by name, and that are in their own first call. Modules that `call` does
    not run are left out.
    """
    running: list[str] = []
    entered: dict[str, tuple[str, ...]] = {}
    again: set[str] = set()

    def enter(name: str, *_: object) -> None:
        if name in entered:
            again.add(name)
        else:
            entered[name] = tuple(
                one for one in running if one not in again and name.startswith(f"{one}.")
            )
        running.append(name)

    def leave(*_: object) -> None:
        running.pop()

    args, kwargs = on_device(call, device_of(model))
    with ExitStack() as hooks:
        for name, module in model.named_modules():
            if name:
                hooks.enter_context(module.register_forward_pre_hook(partial(enter, name)))
                hooks.enter_context(module.register_forward_hook(leave))
        model(*args, **kwargs)
    return {name: entered[name] for name in names if name in entered}


def bytes_of(call: Call) -> int:
    """The bytes of all tensors in a call."""
    total = 0

    def count(tensor: Tensor) -> Tensor:
        nonlocal total
        total += tensor.numel() * tensor.element_size()
        return tensor

    map_tensors(call, count)
    return total


def _run(model: nn.Module, batches: Sequence[Call], hook: RemovableHandle) -> None:
    device = device_of(model)
    with hook:
        for batch in batches:
            args, kwargs = on_device(batch, device)
            try:
                model(*args, **kwargs)
            except _Reached:
                continue


def _stored(tensor: Tensor) -> Tensor:
    return tensor.detach().to("cpu", copy=True)
