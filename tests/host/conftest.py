"""ComfyUI inside the test process, for what HTTP does not show: masks, weights, tokens.

Test modules here begin with `pytest.importorskip("comfy.sd", ...)`, so that they are skipped where
there is no host.
"""

from __future__ import annotations

import http.client
import json
import sys
import urllib.parse
from pathlib import Path
from typing import Any

import pytest

from personalq.comfyui_folder import find_comfyui

_JSON = {"Content-Type": "application/json"}

if (place := find_comfyui()) is not None:
    sys.path.insert(
        0, str(place)
    )  # before the working folder, where our own nodes/ would hide the host's nodes.py
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


@pytest.fixture
def ask(host):
    """Sends one request as it is; gives (status, JSON or bytes, headers)."""
    address = urllib.parse.urlsplit(host.url).netloc

    def send(
        method: str, path: str, body: Any = None, headers: dict[str, str] = _JSON
    ) -> tuple[int, Any, Any]:
        connection = http.client.HTTPConnection(address, timeout=60)
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, path, data, headers if data is not None else {})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        kind = answer.headers.get_content_type()
        return (
            answer.status,
            json.loads(content) if kind == "application/json" else content,
            answer.headers,
        )

    return send


@pytest.fixture
def settings_file(host):
    """The server's settings file, gone afterwards; no model was used before."""
    file = host.base_directory / "user" / "__personalq" / "settings.yaml"
    file.with_name("history.jsonl").unlink(missing_ok=True)
    yield file
    file.unlink(missing_ok=True)


@pytest.fixture
def total(demo_repository: Path) -> int:
    """How many models there are."""
    return sum(
        1
        for kind in ("checkpoints", "loras")
        for _ in (demo_repository / kind).rglob("*.safetensors")
    )
