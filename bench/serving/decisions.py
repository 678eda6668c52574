"""How many requests an ingress decides in a second: HTTP, Check-in and the store, without Ray.

`python -m personalq.bench.serving.decisions INDEX STATE PORT` is one ingress, as Ray Serve runs it,
with the index that another process made; its jobs are never drawn.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...checkin import Repository
from ...demo.host_process import free_port
from ..collection import collection, requests
from ..machine import load_average

_START_SECONDS = 120.0


def measure(models: int, number: int, clients: int, folder: Path) -> dict[str, Any]:
    """Decisions a second, and milliseconds of one, at so many models."""
    index = make_index(models, folder)
    asked = [text for _, text in requests(number)]
    with ingress(index, folder / "state") as url, ThreadPoolExecutor(clients) as pool:
        _timed(url, asked[0])  # the first one reads what all use
        started = time.perf_counter()
        found = list(pool.map(lambda text: _timed(url, text), asked))
        seconds = time.perf_counter() - started
    times = sorted(1000 * spent for _, spent in found)
    return {
        "models": models,
        "requests": number,
        "clients": clients,
        "a_second": round(number / seconds, 1),
        "p50_ms": round(statistics.median(times), 1),
        "p95_ms": round(times[int(0.95 * (len(times) - 1))], 1),
        "outcomes": dict(Counter(outcome for outcome, _ in found)),
        "load": load_average(),
    }


def make_index(models: int, folder: Path) -> Path:
    """The index of a generated collection, and of the checkpoint that its LoRAs are for."""
    cards, index = folder / "cards.jsonl", folder / "index.sqlite"
    base = {"id": "base", "kind": "checkpoint", "base_model": "sd15"}
    with cards.open("w", encoding="utf-8") as file:
        print(json.dumps(base), file=file)
        for model in collection(models):
            card = {
                "id": Path(model.path).stem,
                "kind": "lora",
                "base_model": "sd15",
                "subjects": model.subjects,
                "styles": [model.look],
                "triggers": [model.trigger],
                "description": model.description,
                "created_at": model.created_at.isoformat(),
                "lineage": model.lineage,
                "version": model.version,
            }
            print(json.dumps(card), file=file)
    Repository.open(cards=cards, cache=index, embedder=None)
    return index


@contextmanager
def ingress(index: Path, state: Path) -> Iterator[str]:
    """One ingress in a process of its own: its address."""
    state.mkdir(parents=True)
    port = free_port()
    command = [sys.executable, "-P", "-m", __name__, str(index), str(state), str(port)]
    process, url = subprocess.Popen(command), f"http://127.0.0.1:{port}"
    try:
        end = time.monotonic() + _START_SECONDS
        while True:
            try:
                urllib.request.urlopen(f"{url}/healthz", timeout=5).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError("the ingress did not start") from None
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait(30)


def _timed(url: str, text: str) -> tuple[str, float]:
    """The outcome of a request, and its seconds."""
    started = time.perf_counter()
    body = json.dumps({"request": text}).encode()
    request = urllib.request.Request(
        f"{url}/v1/requests", body, {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            outcome = json.load(answer)["outcome"]
    except urllib.error.HTTPError as error:
        outcome = f"{error.code}"
    return outcome, time.perf_counter() - started


def _serve(index: str, state: str, port: int) -> None:
    import uvicorn

    from ...serve.api import make_app
    from ...serve.front import Front
    from ...serve.plan import Plan
    from ...serve.store import Store

    plan = Plan(
        models="", comfyui="", state=state, shared_index=index, settings=state, most_waiting=10**6
    )
    Path(state, "settings.yaml").write_text("embedder: 'off'\n", "utf-8")
    app = make_app(Front(plan, Store(plan.database)))
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    _serve(sys.argv[1], sys.argv[2], int(sys.argv[3]))
