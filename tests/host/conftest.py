"""ComfyUI inside the test process, for what no HTTP call can see: masks, weights, tokens.

Test modules here begin with `pytest.importorskip("comfy.sd", ...)`, so that they are skipped where there is no host.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from personalq.quickstart import find_comfyui

if (place := find_comfyui()) is not None:
    sys.path.insert(0, str(place))  # before the working folder, where our own nodes/ would hide the host's nodes.py
    import comfy.cli_args

    comfy.cli_args.args.cpu = True


@pytest.fixture(scope="session", autouse=True)
def models_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Nothing is written into the ComfyUI of the person who runs the tests."""
    if place is not None:
        import folder_paths

        folder_paths.models_dir = str(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="session")
def demo_base(demo_repository: Path):
    """(MODEL, CLIP, VAE) of the demo repository's base checkpoint, by the host's stock loader."""
    import comfy.sd

    path = demo_repository / "checkpoints" / "demo_base.safetensors"
    return comfy.sd.load_checkpoint_guess_config(str(path), embedding_directory=None)[:3]


@pytest.fixture(scope="session")
def lora(demo_repository: Path) -> Path:
    """A LoRA of the demo base."""
    return demo_repository / "loras" / "bear" / "bear_realistic_v4.safetensors"


@pytest.fixture(scope="session")
def model(demo_base):
    """The MODEL of the demo base."""
    return demo_base[0]


@pytest.fixture(scope="session")
def tree(demo_base):
    """A prompt without a trigger."""
    return _encode(demo_base[1], "a tree")


@pytest.fixture(scope="session")
def negative(demo_base):
    """A negative prompt."""
    return _encode(demo_base[1], "blurry")


def _encode(clip, text: str) -> list:
    return clip.encode_from_tokens_scheduled(clip.tokenize(text))
