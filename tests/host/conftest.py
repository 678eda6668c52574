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
def base_file(demo_repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of random weights in the demo base's layout."""
    from personalq.tests.host.random_models import write_base

    path = tmp_path_factory.mktemp("base") / "base.safetensors"
    write_base(demo_repository / "checkpoints" / "demo_base.safetensors", path)
    return path


@pytest.fixture(scope="session")
def base(base_file: Path):
    """(MODEL, CLIP, VAE) of the random base, by the host's stock loader."""
    import comfy.sd

    return comfy.sd.load_checkpoint_guess_config(str(base_file), embedding_directory=None)[:3]


@pytest.fixture(scope="session")
def lora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A LoRA of the random base."""
    from personalq.tests.host.random_models import write_lora

    path = tmp_path_factory.mktemp("lora") / "lora.safetensors"
    write_lora(path)
    return path


@pytest.fixture(scope="session")
def model(base):
    """The MODEL of the random base."""
    return base[0]


@pytest.fixture(scope="session")
def tree(base):
    """A prompt without a trigger."""
    return _encode(base[1], "a tree")


@pytest.fixture(scope="session")
def negative(base):
    """A negative prompt."""
    return _encode(base[1], "blurry")


def _encode(clip, text: str) -> list:
    return clip.encode_from_tokens_scheduled(clip.tokenize(text))
