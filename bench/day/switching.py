"""Times of a change of model, in ComfyUI's process, with what ships and real files.

They are seconds of processor time, of all threads, so that other work on the machine counts little.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from ...checkin import Card
from .day import MERGED, WHOLE

Times = dict[str, float | None]


def serve(card: Card, base: Card | None, preset: str) -> tuple[Any, Any]:
    """What Repo Check-in and TAQ Quantize Model do for a request: (MODEL, CLIP)."""
    from ...nodes.host.models.load import load
    from ...nodes.host.taq import attention
    from ...nodes.host.taq.model import QuantConfig, quantize_model
    from ...nodes.host.taq.patcher import TAQPatcher
    from ...taq_kernels import PRESETS as ALL
    from ...taq_kernels.spec import PROTECT

    loaded, config = load(card, base), QuantConfig(ALL[preset])
    quantized = quantize_model(loaded.model, config, lambda done, total: None)
    made = TAQPatcher.with_patches_of(loaded.model, quantized.patcher)
    attention.install(made, PROTECT[0], config.preset.attention)
    on_device(made)
    return made, loaded.clip


def switching(way: str, base: Card, loras: Sequence[Card], known: Sequence[Card]) -> Times:
    """Medians: to a model that is not in main memory (`new_s`), and to one that is (`known_s`).

    `first_s` is that of the base after a start, quantized before. `text_s` is what the host takes
    besides to merge the LoRA into the text encoders. Each of `loras` is new to the pool, and
    `known` are some of them.
    """
    from ...nodes.host.models.load import load
    from ...nodes.host.models.pool import FACTS, POOL

    if way == WHOLE:
        new = []
        for _ in loras:
            POOL.forget(lambda key: True)
            free()
            new.append(timed(lambda: on_device(load(base, None).model)))
        return {"first_s": new[0], "new_s": statistics.median(new), "known_s": None, "text_s": 0.0}

    text = []

    def switch(card: Card, root: Card | None) -> None:
        if way == MERGED:
            loaded = load(card, root)
            on_device(loaded.model)
            clips[:] = [loaded.clip]
        else:
            clips[:] = [serve(card, root, way)[1]]

    def switch_all(card: Card) -> float:
        seconds = timed(lambda: switch(card, base))
        text.append(timed(lambda: on_device(clips[0].patcher)))
        return seconds

    clips: list[Any] = []
    if way != MERGED:
        serve(base, None, way)  # writes its quantized weights to the disk, if they are not there
        POOL.forget(lambda key: True)
        FACTS.forget(lambda key: True)
        free()
    first = timed(lambda: switch(base, None))
    new = [switch_all(card) for card in loras]
    again = [switch_all(card) for card in known]
    return {
        "first_s": first,
        "new_s": statistics.median(new),
        "known_s": statistics.median(again),
        "text_s": statistics.median(text),
    }


def on_device(patcher: Any) -> None:
    """Let the host put a model on the device, here the processor."""
    import comfy.model_management

    comfy.model_management.load_models_gpu([patcher])


def free() -> None:
    """Let the host unload all models, as its button does."""
    import comfy.model_management

    comfy.model_management.unload_all_models()
    comfy.model_management.cleanup_models_gc()


def timed(run: Callable[[], Any]) -> float:
    """Seconds of processor time of a call."""
    started = time.process_time()
    run()
    return time.process_time() - started
