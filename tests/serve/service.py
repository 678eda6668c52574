"""What the tests of the service share: small libraries, jobs, a painter that draws nothing."""

from __future__ import annotations

from pathlib import Path

from personalq.serve.job import Job, Task
from personalq.serve.plan import Plan
from personalq.tests.checkin import make_files as make

CARDS = {
    "realistic": "subjects: bear\nstyles: realistic\ntriggers: <bear>\ncreated_at: 2025-03-01\n",
    "toon": "subjects: bear\nstyles: cartoon\ntriggers: <toon>\ncreated_at: 2025-04-01\n",
}


def make_models(folder: Path, base: bool = True) -> Path:
    """Two bears, and the checkpoint that they are for."""
    (folder / "checkpoints").mkdir(parents=True)
    if base:
        make.make_checkpoint(folder / "checkpoints" / "base.safetensors")
    for name, card in CARDS.items():
        model = make.make_lora(folder / "loras" / "bears" / f"{name}.safetensors")
        make.beside(model, ".personalq.yaml", card)
    return folder


def make_plan(folder: Path, **values: object) -> Plan:
    """A plan for the models in `folder`/models, with its state in `folder`/state."""
    state = folder / "state"
    state.mkdir(parents=True, exist_ok=True)
    defaults = {"models": str(folder / "models"), "comfyui": "", "state": str(state)}
    return Plan.of({**defaults, **values})


def make_job(job_id: str = "job-0001", owner: str = "", request: str = "my bear") -> Job:
    """A job that waits."""
    return Job(job_id, owner, Task(request, "bear", ("bear",), "a <bear>", "base", "W8A8", 1))
