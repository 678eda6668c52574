"""The Ray Serve application: one ingress that decides, and painters that draw."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from ray import serve
from ray.exceptions import RayActorError
from ray.serve.handle import DeploymentHandle

from .api import make_app
from .comfyui_process import ComfyUI
from .dispatcher import Dispatcher, Event
from .front import Front
from .job import Job, Task
from .painter import PainterGone, paint
from .plan import Plan
from .store import Store

NAME = "personalq"
MOST_KEYS = 4
"""How many bases, each with its preset, a painter is expected to hold: the pool of its ComfyUI
decides what stays in memory."""
_AT_ONCE = 2
"""Jobs that one painter has: it draws one, and the next is ready."""
_HEALTH_SECONDS = 5.0
_TRIES = 2
"""How often a painter that does not start is tried again."""
_FAREWELL_SECONDS = 2.0
"""What is not drawn when a painter has to go is drawn by another."""


@serve.deployment(name="painter", max_ongoing_requests=_AT_ONCE)
class Painter:
    """One headless ComfyUI. It ends when that ends, so that Ray Serve starts another."""

    async def __init__(self, values: dict[str, Any]):  # type: ignore[misc]
        self._comfyui = await asyncio.to_thread(ComfyUI, Plan.of(values))
        self._watch = asyncio.create_task(self._end_with_it())

    @serve.multiplexed(max_num_models_per_replica=MOST_KEYS)
    async def hold(self, key: str) -> str:
        """Says to Ray Serve that this painter has the base and preset of a key."""
        return key

    async def draw(self, values: dict[str, Any]) -> AsyncIterator[Event]:
        """Draw a task, and say how far it is."""
        if key := serve.get_multiplexed_model_id():
            await self.hold(key)
        async for event in paint(self._comfyui, Task.of(values)):
            yield event

    def check_health(self) -> None:
        """Raises where ComfyUI has ended."""
        if not self._comfyui.running:
            raise PainterGone("ComfyUI ended")

    async def _end_with_it(self) -> None:
        await asyncio.to_thread(self._comfyui.process.wait)
        self._comfyui.stop()  # removes its folder
        os._exit(1)  # at once: a painter without ComfyUI would only turn jobs away

    def __del__(self) -> None:
        if hasattr(self, "_comfyui"):
            self._watch.cancel()
            self._comfyui.stop()


@serve.deployment(name="ingress")
@serve.ingress()
class Ingress:
    """Decides requests, keeps jobs, and has them drawn."""

    async def __init__(  # type: ignore[misc]
        self, values: dict[str, Any], painters: DeploymentHandle
    ):
        plan = Plan.of(values)
        self._multiplexed, self._painters = plan.multiplexed, painters
        Path(plan.state).mkdir(parents=True, exist_ok=True)
        self._store = await asyncio.to_thread(Store, plan.database)
        self._dispatcher = Dispatcher(self._store, self._draw, plan.most_waiting, plan.keep_days)
        self._front = await asyncio.to_thread(Front, plan, self._store, self._dispatcher.wake)
        self._running = asyncio.create_task(self._dispatcher.run())

    def __serve_build_asgi_app__(self) -> Any:
        """The HTTP interface."""
        return make_app(self._front)

    async def _draw(self, job: Job) -> AsyncIterator[Event]:
        """Draw a job on the painter that suits it."""
        key = job.task.key if self._multiplexed else ""
        painter = self._painters.options(stream=True, multiplexed_model_id=key)
        try:
            events: Any = painter.draw.remote(job.task.as_dict())
            async for event in events:
                yield event
        except RayActorError as error:
            raise PainterGone(type(error).__name__) from error

    def check_health(self) -> None:
        """Raises where jobs are not handed out any more."""
        if self._running.done():
            raise RuntimeError("the dispatcher ended")


def application(values: dict[str, Any]) -> Any:
    """The application of a plan, for `serve.run` and for the configuration file of Ray Serve."""
    plan = Plan.of(values)
    device = {"num_gpus": 1} if plan.device == "gpu" else {"num_gpus": 0}
    options: dict[str, Any] = {
        "ray_actor_options": {"num_cpus": plan.cores, **device},
        "health_check_period_s": _HEALTH_SECONDS,
        "max_constructor_retry_count": _TRIES,
        "graceful_shutdown_timeout_s": _FAREWELL_SECONDS,
    }
    if plan.most_painters > plan.painters:
        options["autoscaling_config"] = {
            "min_replicas": plan.painters,
            "max_replicas": plan.most_painters,
            "target_ongoing_requests": _AT_ONCE,
            "upscale_delay_s": 5,
            "downscale_delay_s": plan.idle_seconds,
        }
    else:
        options["num_replicas"] = plan.painters
    painters = Painter.options(**options).bind(values)  # type: ignore[attr-defined]
    ingress = Ingress.options(  # type: ignore[attr-defined]
        num_replicas=plan.ingresses,
        ray_actor_options={"num_cpus": 0},
        max_ongoing_requests=1000,
        health_check_period_s=_HEALTH_SECONDS,
        graceful_shutdown_timeout_s=_FAREWELL_SECONDS,
    )
    return ingress.bind(values, painters)
