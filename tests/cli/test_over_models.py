"""Test `index --hash`, `describe` and `quantize` over a library, in this process and with a Ray."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from personalq.checkin.index.store import Index
from personalq.cli.main import main
from personalq.taq_kernels.storage.files import PREFIX, read_metadata
from personalq.tests.checkin import make_files as make
from personalq.tests.cli.tasks import running_ray
from personalq.tests.taq_kernels.unets import SmallUNet

PATIENCE = 120.0
CAPTIONS = {"ss_tag_frequency": json.dumps({"10_x": {"corgi": 12, "watercolor": 12, "grass": 9}})}
BIG = 300 * 2**20
"""Bytes of a file that is hashed for so long that a test can interrupt it: all holes."""
MANY = 24
"""So many of them that a busy machine is not done before it is stopped."""


@pytest.fixture(autouse=True)
def _interrupts_are_heard() -> Iterator[None]:
    """A shell that starts tests in the background lets them, and what they start, ignore SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def ray_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if importlib.util.find_spec("ray") is None:
        pytest.skip("the extra serve is not installed (docs/development.md)")
    with running_ray(tmp_path_factory.mktemp("ray")) as address:
        yield address


@pytest.fixture(params=["in this process", "with Ray"])
def where(request: pytest.FixtureRequest) -> list[str]:
    """The options that say where the work is done."""
    if request.param == "in this process":
        return []
    return ["--ray", request.getfixturevalue("ray_address")]


def personalq(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-P", "-m", "personalq", *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)


def done(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in err
    return process.returncode, out, err


def hashes(cache: Path) -> dict[str, tuple[str, str]]:
    with Index.open(cache) as index:
        return index.hashes()


def big_lora(path: Path) -> None:
    """A LoRA of `BIG` bytes that takes no room on the disk."""
    make.make_lora(path)
    small = path.read_bytes()
    header = json.loads(small[8 : 8 + int.from_bytes(small[:8], "little")])
    header["padding"] = {"dtype": "U8", "shape": [BIG], "data_offsets": [0, BIG]}
    for name, entry in header.items():
        if name not in ("padding", "__metadata__"):
            entry["data_offsets"] = [BIG + at for at in entry["data_offsets"]]
    text = json.dumps(header).encode()
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        data = len(small) - 8 - int.from_bytes(small[:8], "little")
        file.truncate(8 + len(text) + BIG + data)


def test_hashing_is_stopped_and_goes_on(tmp_path: Path, where: list[str]) -> None:
    models, cache = tmp_path / "models", tmp_path / "index.sqlite"
    for number in range(MANY):
        big_lora(models / f"bear{number}.safetensors")
    (models / "broken.safetensors").write_bytes(b"\0" * 40)
    command = ["index", models, "--cache", cache, "--hash", "--json", *where]
    running = personalq(*command)
    end = time.monotonic() + PATIENCE
    while not cache.exists() or not hashes(cache):
        assert running.poll() is None, running.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    code, _, said = done(running)
    assert code == 130, said
    assert "the same command goes on from there" in said
    first = hashes(cache)
    assert 0 < len(first) < MANY

    # Were it hashed again, it would have another hash: size and time stay, the content changes.
    changed = Path(min(first))
    times = changed.stat()
    with changed.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"x")
    os.utime(changed, ns=(times.st_atime_ns, times.st_mtime_ns))
    code, out, _ = done(personalq(*command))
    answer = json.loads(out)
    assert (code, answer["failed"]) == (0, [])
    assert first.items() <= hashes(cache).items()
    assert {card["sources"]["sha256"] for card in answer["cards"]} == {"file"}
    assert len(answer["cards"]) == MANY
    assert any("broken" in notice for notice in answer["notices"])


def test_a_file_that_cannot_be_hashed_is_listed_and_the_others_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Emulated at the edge of the system: a disk that fails under one file."""
    from personalq.checkin.index import hashes as module

    for name in "abc":
        make.make_lora(tmp_path / "models" / f"{name}.safetensors")
    sound = module._digest

    def failing(path: str) -> str:
        if path.endswith("b.safetensors"):
            raise OSError(5, "Input/output error")
        return sound(path)

    monkeypatch.setattr(module, "_digest", failing)
    cache = tmp_path / "index.sqlite"
    assert main(["index", str(tmp_path / "models"), "--cache", str(cache), "--hash"]) == 1
    said = capsys.readouterr().err
    assert "1 could not be hashed:\n- " in said
    assert "b.safetensors: Input/output error" in said
    assert {Path(path).stem for path in hashes(cache)} == {"a", "c"}


def test_describing_lists_what_failed_and_goes_on(tmp_path: Path, where: list[str]) -> None:
    for name in "abc":
        make.make_lora(tmp_path / f"{name}.safetensors", metadata=CAPTIONS)
    (tmp_path / "b.personalq.yaml").write_text("triggers: [unclosed\n", "utf-8")
    (tmp_path / "broken.safetensors").write_bytes(b"\0" * 40)
    code, out, said = done(personalq("describe", tmp_path, *where))
    assert code == 1
    assert "2 described" in out
    assert "- b: " in out
    assert "note: broken.safetensors: left out" in said
    assert "corgi" in (tmp_path / "c.personalq.yaml").read_text("utf-8")
    (tmp_path / "b.personalq.yaml").unlink()
    code, out, _ = done(personalq("describe", tmp_path, "--json", *where))
    assert (code, json.loads(out)["written"]) == (0, ["b"])


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three small checkpoints, one of them in a folder; a broken one, a LoRA and a VAE."""
    folder = tmp_path_factory.mktemp("checkpoints")
    (folder / "more").mkdir()
    for number, name in enumerate(("a", "b", "more/c")):
        torch.manual_seed(number)
        weights = {PREFIX + name: one.half() for name, one in SmallUNet().state_dict().items()}
        save_file(weights, folder / f"{name}.safetensors")
    whole = (folder / "a.safetensors").read_bytes()
    (folder / "broken.safetensors").write_bytes(whole[: len(whole) // 2])
    make.make_lora(folder / "lora.safetensors")
    make.make_vae(folder / "vae.safetensors")
    return folder


def test_a_library_is_quantized_once(checkpoints: Path, tmp_path: Path, where: list[str]) -> None:
    command = ["quantize", checkpoints, "--models", tmp_path, "--bits", 4, "--json", *where]
    code, out, _ = done(personalq(*command))
    first = json.loads(out)
    assert code == 1
    [(failed, why)] = first["failed"]
    assert Path(failed).stem == "broken"
    assert "cannot be read" in why
    assert sorted(Path(one["checkpoint"]).stem for one in first["quantized"]) == ["a", "b", "c"]
    assert all(one["made"] for one in first["quantized"])
    assert {Path(one).stem for one in first["left_out"]} == {"lora", "vae"}
    files = {Path(one["file"]): Path(one["file"]).stat().st_mtime_ns for one in first["quantized"]}
    assert len(files) == 3
    next(iter(files)).unlink()  # as if it had been stopped before this one
    _, out, _ = done(personalq(*command))
    assert sum(one["made"] for one in json.loads(out)["quantized"]) == 1
    assert {file for file, time in files.items() if file.stat().st_mtime_ns == time} == set(
        list(files)[1:]
    )


def test_one_file_gives_the_same_as_a_library(checkpoints: Path, tmp_path: Path) -> None:
    one, many = tmp_path / "one", tmp_path / "many"
    file = checkpoints / "a.safetensors"
    assert main(["quantize", str(file), "--models", str(one)]) == 0
    assert main(["quantize", str(checkpoints / "more"), str(file), "--models", str(many)]) == 0
    [made] = (one / "personalq").iterdir()
    other = many / "personalq" / made.name
    assert read_metadata(made) == read_metadata(other)
    tensors, others = load_file(made), load_file(other)
    assert tensors.keys() == others.keys()
    assert all(torch.equal(tensor, others[name]) for name, tensor in tensors.items())


def test_a_file_that_went_away_fails_alone(tmp_path: Path, ray_address: str) -> None:
    """Ray has to know how much memory each takes before it begins."""
    (tmp_path / "there").touch()
    program = (
        "import os, sys; from pathlib import Path; from personalq.batch import with_ray; "
        "from personalq.cli.quantize_library import memory; "
        "from personalq.ray_cluster import connected\n"
        "with connected(sys.argv[1], Path(sys.argv[2])) as ray:\n"
        "    for one in with_ray(ray)(os.path.getsize, sys.argv[3:], memory):\n"
        "        print(type(one.error).__name__, one.result)"
    )
    paths = [str(tmp_path / name) for name in ("gone", "there")]
    command = [sys.executable, "-P", "-c", program, ray_address, str(tmp_path / "import"), *paths]
    said = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert sorted(said.stdout.splitlines()) == ["FileNotFoundError None", "NoneType 0"], said.stderr


def test_a_file_that_is_named_and_has_no_unet_failed(
    checkpoints: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    named = [str(checkpoints / f"{name}.safetensors") for name in ("vae", "b")]
    assert main(["quantize", *named, "--models", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert "1 quantized" in said.out
    assert "no text cross-attention" in said.err


def test_a_folder_is_no_address(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["describe", "--ray", str(tmp_path)])
    assert "put --ray at the end" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["index", ".", "--ray"], "--ray is for --hash"),
        (["describe", "--server", "http://127.0.0.1:1", "--ray"], "leave out --ray"),
        (["quantize", ".", "--models", ".", "--out", "x"], "are for one checkpoint"),
        (["quantize", "nowhere", ".", "--models", "."], "nowhere is not there"),
    ],
)
def test_what_does_not_go_together(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert sentence in capsys.readouterr().err
