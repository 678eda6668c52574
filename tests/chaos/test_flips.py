"""Test that one flipped bit of a file of ours is noticed, and the file made again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
import torch
from comfy_kitchen.tensor import QuantizedTensor

from personalq.checkin import Repository
from personalq.checkin.user.history import History, Use
from personalq.checkin.user.recipes import FOLDER, recipes
from personalq.taq_kernels.calibration.reconstruct import BlockResult
from personalq.taq_kernels.calibration.store import LIST, Store
from personalq.taq_kernels.quantize import quantize_weight
from personalq.taq_kernels.storage.files import (
    FileMetadata,
    QuantizedFileError,
    read_quantized,
    write_quantized,
)
from personalq.tests.checkin import make_files as make
from personalq.tests.fuzz.attack import Attack

FLIPS = 200
NOW = datetime(2026, 5, 1, tzinfo=UTC)


def _flipped(attack: Attack, path: Path, check: Callable[[int], None]) -> None:
    whole = path.read_bytes()
    for number in attack.numbers(FLIPS):
        chance = attack.random(number)
        broken = bytearray(whole)
        broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
        path.write_bytes(broken)
        with attack.case(number):
            check(number)
    attack.finish()


def test_a_flipped_index_is_rebuilt(tmp_path: Path) -> None:
    for number in range(12):
        model = make.make_lora(tmp_path / "m" / f"a{number}.safetensors")
        make.beside(model, ".personalq.yaml", f"triggers: <a{number}>\ndescription: bear {number}")
    cache = tmp_path / "i.sqlite"
    told = list(Repository.open(tmp_path / "m", cache=cache, embedder=None).cards)
    (tmp_path / "m" / "a0.personalq.yaml").touch()  # so that rows are read, not only the snapshot
    Repository.open(tmp_path / "m", cache=cache, embedder=None)

    attack = Attack("bit flips: index", most_seconds=2)

    def check(number: int) -> None:
        for _ in range(2):
            if number % 2:
                make.beside(tmp_path / "m" / "a0.safetensors", ".txt", f"{number}")
            found = list(Repository.open(tmp_path / "m", cache=cache, embedder=None).cards)
            if found != told:
                attack.broke("stale_cards", number, "other cards than before")

    _flipped(attack, cache, check)


def test_flipped_weights_are_refused(tmp_path: Path) -> None:
    attack = Attack("bit flips: quantized weights", most_seconds=2)
    metadata = FileMetadata("f" * 64, 8, (("conv", 4),))
    path = tmp_path / "w.safetensors"
    state = {f"layer{n}.weight": torch.arange(16, dtype=torch.float16) + n for n in range(12)}
    write_quantized(path, state, metadata)

    def check(number: int) -> None:
        try:
            read_quantized(path, metadata)
        except QuantizedFileError:
            return
        attack.broke("wrong_tensors", number, "a broken file was loaded")

    _flipped(attack, path, check)


@pytest.mark.parametrize("file", ["block-001.safetensors", LIST])
def test_flipped_blocks_of_a_calibration_are_made_again(tmp_path: Path, file: str) -> None:
    attack = Attack(f"bit flips: calibration, {file}", most_seconds=2)
    arguments = {"weights": "f" * 64, "seed": 3}
    weights = [
        quantize_weight(torch.arange(2048, dtype=torch.float32).reshape(32, 64) / 99 - block, 8)
        for block in range(3)
    ]
    store = Store(tmp_path, arguments)
    for number, weight in enumerate(weights):
        store.put(number, BlockResult(f"{number}", ("layer",), 0.5, 0.25), {"layer": weight})
    blank = quantize_weight(torch.zeros(32, 64), 8)
    bytes_of = [_bytes(weight) for weight in weights]

    def check(number: int) -> None:
        for block, whole in enumerate(bytes_of):
            filled = quantize_weight(torch.zeros(32, 64), 8)
            if Store(tmp_path, arguments).fill(block, {"layer": filled}):
                if _bytes(filled) != whole:
                    attack.broke("wrong_tensors", number, "a broken block was loaded")
            elif _bytes(filled) != _bytes(blank):
                attack.broke("wrong_tensors", number, "weights were changed by a broken block")
            elif block == 0 and file != LIST:
                attack.broke("lost_writes", number, "a whole block is made again")

    _flipped(attack, tmp_path / file, check)


def _bytes(weight: QuantizedTensor) -> list[bytes]:
    parts = weight.state_dict("layer.weight").values()
    return [part.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() for part in parts]


def test_a_flipped_history_costs_a_line(tmp_path: Path) -> None:
    attack = Attack("bit flips: history", most_seconds=1)
    history = History(tmp_path / "history.jsonl")
    for number in range(20):
        history.add(Use(NOW, f"use {number}"))

    def check(number: int) -> None:
        if len(history.uses()) < 18:
            attack.broke("lost_writes", number, f"{len(history.uses())} of 20 uses")

    _flipped(attack, history.path, check)


@pytest.mark.parametrize("ending", [".personalq.yaml", ".civitai.info", ".safetensors"])
def test_a_flipped_file_of_a_model_costs_itself(tmp_path: Path, ending: str) -> None:
    attack = Attack(f"bit flips: {ending}", most_seconds=2)
    make.make_lora(tmp_path / "good.safetensors")
    model = make.make_lora(tmp_path / "broken.safetensors", metadata=make.KOHYA)
    make.beside(
        model, ".personalq.yaml", "triggers: <a>\nsubjects: [bear, dog]\ncreated_at: 2025-01-02"
    )
    make.beside(
        model, ".civitai.info", {"trainedWords": ["x"], "model": {"name": "Y", "type": "LORA"}}
    )

    def check(number: int) -> None:
        assert "good" in {card.name for card in Repository.open(tmp_path, embedder=None).cards}

    _flipped(attack, model.with_suffix(ending), check)


def test_a_flipped_recipe_costs_itself(tmp_path: Path) -> None:
    attack = Attack("bit flips: recipes", most_seconds=1)
    folder = tmp_path / FOLDER
    folder.mkdir()
    text = '{"name": "A bear", "request": "my bear", "models": ["bear_v1"]}'
    for name in ("good", "broken"):
        (folder / f"{name}.recipe.json").write_text(text)

    def check(number: int) -> None:
        assert "good" in {one.key for one in recipes(tmp_path)}

    _flipped(attack, folder / "broken.recipe.json", check)
