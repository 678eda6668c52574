"""What one `personalq serve` runs: where models, jobs and tokens are, and how many painters."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

STORE = "PERSONALQ_STORE"
"""The environment variable with the store's URL, so that no command shows its password."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Hosts at which nobody but this machine asks: no token is needed there."""
MODEL_FOLDERS = ("checkpoints", "loras", "diffusion_models")
"""The folders inside `models` whose files a request can mean."""


@dataclass(frozen=True)
class Plan:
    """All settings of a service, as texts and numbers: they travel to other processes."""

    models: str
    """A folder of models as ComfyUI has it, with checkpoints/ and loras/."""
    comfyui: str
    """The folder of ComfyUI, on each machine with painters."""
    state: str
    """Jobs, tokens and the index."""
    work: str = ""
    """Where painters of a machine have their folders, on its own disk; "" for `state`."""
    store: str = ""
    """A database URL of SQLAlchemy; "" for $PERSONALQ_STORE, else SQLite in `state`."""
    shared_index: str = ""
    """An index that `personalq index` keeps up to date; "" to look at `models` itself."""
    settings: str = ""
    """The user's settings folder; "" for none."""
    python: str = ""
    """The Python that runs ComfyUI; "" for this one."""
    ingresses: int = 1
    """Processes that decide requests."""
    painters: int = 1
    most_painters: int = 1
    idle_seconds: float = 300
    """After so long with less to draw, painters beyond `painters` end."""
    device: str = "cpu"
    """"gpu" (one card for each painter) or "cpu"."""
    cores: float = 1
    """Processor cores for each painter."""
    most_waiting: int = 200
    """Jobs that are accepted and not drawn yet, at most."""
    keep_days: float = 7
    """After so many days a finished job and its picture are forgotten."""
    multiplexed: bool = True
    """Whether jobs go where their base is already quantized."""
    local: bool = True
    """Whether only this machine can reach the service."""

    @classmethod
    def of(cls, values: dict[str, Any]) -> Plan:
        """A plan from a file's or a command's values. Raises ValueError for a name it lacks."""
        unknown = sorted(values.keys() - {field.name for field in fields(cls)})
        if unknown:
            raise ValueError(f"{', '.join(unknown)}: no setting of serve has this name.")
        return cls(**values)

    @property
    def database(self) -> str:
        """The URL of the store."""
        said = self.store or os.environ.get(STORE)
        return said or f"sqlite:///{Path(self.state, 'jobs.sqlite').as_posix()}"

    @property
    def tokens(self) -> Path:
        """The file of tokens."""
        return Path(self.state, "tokens.yaml")

    @property
    def index(self) -> Path:
        """The file of the index of models."""
        return Path(self.state, "index.sqlite")

    @property
    def folders(self) -> list[Path]:
        """The folders of models that are there."""
        inside = (Path(self.models, name) for name in MODEL_FOLDERS)
        return [folder for folder in inside if folder.is_dir()]
