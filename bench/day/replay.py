"""Replay a day of requests against the pool that ships, in ComfyUI's process.

Every request runs the pack's own `load` and `quantize_model` with their pool, and puts what a call
of the UNet needs of its LoRA into the side memory. Only the reading of a LoRA's file is left out:
all LoRAs share the tensors of one, in adapters of their own. `python -m
personalq.bench.day.replay COMFYUI FOLDER`, with the options as JSON on standard input, prints JSON.
"""

from __future__ import annotations

import copy
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import torch

from ...checkin import Card
from ..machine import processor
from .day import MERGED, WHOLE, Day
from .switching import free, on_device, serve, switching

CARD = torch.device("meta")
"""Stands for the graphics card: tensors there have bytes and no values."""


class Watch:
    """What happens to the pool in a day."""

    def __init__(self, pool: Any) -> None:
        self._pool, self._before = pool, frozenset(pool.keys())
        self.found = dict.fromkeys(
            ("loads", "base_loads", "dropped", "memory_bytes", "card_bytes", "on_card"), 0
        )

    def request(self, use: Callable[[], Any]) -> Any:
        """Serve a request, and count what the pool made and dropped for it."""
        made = use()
        now = frozenset(self._pool.keys())
        new, gone = now - self._before, self._before - now
        self.found["loads"] += len(_personal(new))
        self.found["base_loads"] += len(new) - len(_personal(new, "lora file"))
        self.found["dropped"] += len(_personal(gone))
        self.most("memory_bytes", self._pool.bytes)
        self._before = now
        return made

    def most(self, name: str, value: int) -> None:
        """Keep the largest value."""
        self.found[name] = max(self.found[name], value)

    def result(self) -> dict[str, int]:
        """All of it."""
        return self.found | {"in_memory": len(_personal(self._before))}


def _personal(keys: Any, *more: str) -> list[Any]:
    """Those of personal models, and of these kinds."""
    return [key for key in keys if key[0] in ("loras", "personal", *more)]


def replay(day: Day, folder: Path) -> dict[str, Any]:
    """Measure all ways of `day`. ComfyUI's folder must be on sys.path already."""
    from ...nodes.host.models.pool import FACTS, POOL
    from .files import write_base, write_loras

    base = Card("base", path=str(write_base(folder / day.model, day.model)))
    paths = write_loras(folder / day.model / "loras", day.model, day.models)
    loras = [Card(path.stem, path=str(path), kind="lora") for path in paths]
    POOL.budget = int(day.memory * 1e9 / 2)
    result: dict[str, Any] = asdict(day) | {
        "processor": processor(),
        "threads": torch.get_num_threads(),
        "load_average": os.getloadavg()[0],
        "lora_bytes": paths[0].stat().st_size,
        "found": {},
    }
    for way in day.ways:
        POOL.forget(lambda key: True)
        FACTS.forget(lambda key: True)
        free()
        started = time.perf_counter()
        new = loras[: day.samples]
        times = switching(way, base, new, [*new[:-1], *new[:-1]])
        if way == WHOLE:
            counted = _whole(day, base, POOL)
        else:
            with _without_reading():
                counted = _loras(day, base, loras, None if way == MERGED else way, POOL)
        spent = {"replayed_in_s": time.perf_counter() - started}
        result["found"][way] = times | counted | spent
        print(way, result["found"][way], file=sys.stderr, flush=True)
    if sys.platform == "linux":
        import resource

        result["peak_rss_bytes"] = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return result


def _whole(day: Day, base: Card, pool: Any) -> dict[str, Any]:
    """A checkpoint for each model. The pool gets their size alone; the card is a pool like it."""
    from ...nodes.host.models.load import load
    from ...nodes.host.models.pool import Pool

    unet = load(base, None).model.model_size()
    size = pool.bytes
    pool.forget(lambda key: True)
    watch, card = Watch(pool), Pool(int(day.card * 1e9))
    for model in day.asked():
        key = ("personal", model)
        watch.request(partial(pool.get, key, lambda: None, lambda _: size))
        watch.found["on_card"] += key in card
        card.get(key, lambda: None, lambda _: unet)
        watch.most("card_bytes", card.bytes)
    return watch.result()


def _loras(
    day: Day, base: Card, loras: Sequence[Card], preset: str | None, pool: Any
) -> dict[str, Any]:
    """One base; with a preset it is quantized, and LoRAs are bypass branches of it."""
    from ...nodes.host.models.load import load
    from ...nodes.host.taq.bypass_branches import device_copies
    from ...nodes.host.taq.model import QuantConfig, quantize_model
    from ...nodes.host.taq.side_memory import side_memory
    from ...taq_kernels import PRESETS as ALL

    pool.forget(lambda key: key[0] in ("loras", "lora file"))
    free()
    if preset:
        on_device(serve(base, None, preset)[0])
    watch, last = Watch(pool), -1
    for model in day.asked():
        if not preset:
            loaded = watch.request(partial(load, loras[model], base))
            watch.found["on_card"] += model == last  # the host merged it into the weights
            watch.most("card_bytes", loaded.model.model_size())
            last = model
            continue
        config = QuantConfig(ALL[preset])

        def use(model: int = model, config: QuantConfig = config) -> tuple[Any, Any]:
            loaded = load(loras[model], base)
            return loaded, quantize_model(loaded.model, config, lambda done, total: None)

        loaded, quantized = watch.request(use)
        unet = quantized.patcher.model
        copies, side = device_copies(unet), side_memory(unet)
        there = set(copies._copies)
        copies.begin()
        side.use(copies)
        for (_, adapter, *_), *_ in loaded.model.patches.values():
            copies.get((adapter,), CARD, torch.float16)
        watch.found["on_card"] += set(copies._copies) <= there
        watch.most("card_bytes", quantized.patcher.loaded_size())
    return watch.result()


@contextmanager
def _without_reading() -> Iterator[None]:
    """Within it, one LoRA's file is read: the tensors of the others are its own."""
    from ...nodes.host.models import load

    host: Any = load
    apply, read, files_of = host._apply_lora, host._read_lora, host.files_of
    first: list[Any] = []
    tensors: list[Any] = []
    files: dict[Any, Any] = {}

    def read_once(card: Card) -> Any:
        if not tensors:
            tensors.append(read(card))
        return tensors[0]

    def share(card: Card, root: Card, base: Any, weights: Any) -> Any:
        if not first:
            first.append(apply(card, root, base, weights))
        made = base.model.clone()
        made.patches = {
            key: [(strength, copy.copy(adapter), *rest) for strength, adapter, *rest in found]
            for key, found in first[0].model.patches.items()
        }
        return host.Loaded(made, first[0].clip, base.vae)

    def files_once(root: Card) -> Any:
        if root.path not in files:
            files[root.path] = files_of(root)
        return files[root.path]

    host._apply_lora, host._read_lora, host.files_of = share, read_once, files_once
    try:
        yield
    finally:
        host._apply_lora, host._read_lora, host.files_of = apply, read, files_of


if __name__ == "__main__":
    comfyui, place = sys.argv[1:]
    sys.path.insert(0, comfyui)
    import comfy.cli_args

    comfy.cli_args.args.cpu = True
    comfy.cli_args.args.fp16_unet = comfy.cli_args.args.fp16_vae = True  # the bytes of a card
    import folder_paths

    folder_paths.models_dir = place
    with torch.inference_mode():  # as ComfyUI runs nodes
        print(json.dumps(replay(Day(**json.load(sys.stdin)), Path(place))))
