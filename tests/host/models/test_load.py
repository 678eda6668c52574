"""Test loading a card's model: what is shared, what is cached, and the message on failure."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

from safetensors.torch import load_file, save_file

from personalq.checkin import Card, Repository
from personalq.nodes.host.models.load import load, source_key
from personalq.nodes.host.models.pool import POOL, Pool


@pytest.fixture(scope="module")
def repository(demo_repository: Path) -> Repository:
    return Repository.open(
        demo_repository / "checkpoints", demo_repository / "loras", embedder=None
    )


def card_of(repository: Repository, name: str) -> Card:
    return next(card for card in repository.cards if card.name == name)


def test_lora_is_its_base_with_patches(repository):
    card = card_of(repository, "bear_realistic_v4")
    base = repository.base_for(card)
    assert base.name == "demo_base"
    loaded, plain = load(card, base), load(base, None)
    assert loaded.model.patches
    assert not plain.model.patches
    assert loaded.model.model is plain.model.model  # the weights are there once


def test_two_loads_are_one(repository):
    card = card_of(repository, "bear_realistic_v4")
    first, second = (load(card, repository.base_for(card)) for _ in range(2))
    assert first.model is not second.model  # what a node changes on one is not on the other
    assert first.model.model is second.model.model
    assert source_key(first.model) == source_key(second.model)


def test_loras_and_patches_share_the_key_of_their_base(repository):
    """TAQ quantizes the base once for all of them."""
    card = card_of(repository, "bear_realistic_v4")
    base = repository.base_for(card)
    weak = dataclasses.replace(card, strength=0.5)
    models = [load(card, base).model, load(weak, base).model, load(base, None).model]
    assert len({source_key(model) for model in models}) == 1
    assert len({model.patches_uuid for model in models}) == 3


def test_strengths_of_a_lora_share_the_tensors_of_its_file(repository):
    card = card_of(repository, "bear_realistic_v4")
    base = repository.base_for(card)
    first = load(dataclasses.replace(card, strength=0.41), base)
    before = POOL.bytes
    second = load(dataclasses.replace(card, strength=0.42), base)
    assert POOL.bytes == before
    key = next(iter(first.model.patches))
    [[old], [new]] = first.model.patches[key], second.model.patches[key]
    assert (old[0], new[0]) == (0.41, 0.42)
    assert old[1].weights[0].data_ptr() == new[1].weights[0].data_ptr()


def test_a_lora_is_counted_once_and_its_file_is_dropped_after_it(repository):
    POOL.forget(lambda key: key[0] in ("loras", "lora file"))
    card = card_of(repository, "bear_realistic_v4")
    base = repository.base_for(card)
    load(base, None)
    before = POOL.bytes
    load(card, base)
    weights = load_file(card.path).values()
    assert POOL.bytes - before == sum(tensor.nbytes for tensor in weights)
    load(card, base)
    kinds = [key[0] for key in POOL.keys()]  # noqa: SIM118
    assert kinds.index("loras") < kinds.index("lora file")


def test_file_that_is_gone(repository):
    card = dataclasses.replace(card_of(repository, "anna"), path="/nowhere/anna.safetensors")
    with pytest.raises(
        FileNotFoundError, match=r"The file of 'anna' is gone \(anna.safetensors\). Put it back"
    ):
        load(card, None)


def test_card_without_a_file():
    with pytest.raises(FileNotFoundError, match="its card names none"):
        load(Card("somewhere"), None)


def test_lora_without_its_base(repository):
    card = card_of(repository, "bear_realistic_v4")
    with pytest.raises(
        FileNotFoundError,
        match=r"LoRA 'bear_realistic_v4' needs a SD 1.5 model to be loaded on, and none is here. "
        r"Put demo_base.safetensors into checkpoints. .* sidecar with `base:`",
    ):
        load(card, None)
    with pytest.raises(FileNotFoundError, match=r"Put v1-5-pruned-emaonly.safetensors into check"):
        load(dataclasses.replace(card, base=None), None)


def test_lora_of_another_model(repository, tmp_path):
    save_file(
        {"lora_unet_elsewhere.lora_up.weight": torch.zeros(4, 4)}, tmp_path / "other.safetensors"
    )
    card = Card("other", path=str(tmp_path / "other.safetensors"), kind="lora")
    with pytest.raises(ValueError, match="fits no layer of its base 'demo_base'"):
        load(card, card_of(repository, "demo_base"))


def test_file_that_is_no_whole_checkpoint(repository, tmp_path):
    whole = load_file(card_of(repository, "demo_base").path)
    unet = {
        key: tensor
        for key, tensor in whole.items()
        if key.startswith(("model.", "first_stage_model."))
    }
    save_file(unet, tmp_path / "unet.safetensors")
    with pytest.raises(
        ValueError, match=r"'unet\.safetensors' is not a whole checkpoint: it has no text encoder"
    ):
        load(Card("unet", path=str(tmp_path / "unet.safetensors")), None)


def test_checkpoint_without_a_vae_of_a_base_whose_vae_is_not_known(repository, tmp_path):
    whole = load_file(card_of(repository, "demo_base").path)
    parts = {key: one for key, one in whole.items() if not key.startswith("first_stage_model.")}
    save_file(parts, tmp_path / "kolors.safetensors")
    card = Card("kolors", path=str(tmp_path / "kolors.safetensors"), base_model="kolors")
    with pytest.raises(ValueError, match=r"it has no VAE, and .* which files go with kolors"):
        load(card, None)


def test_pool_drops_the_least_recently_used():
    pool = Pool(budget=10)
    made = []

    def get(key: str, size: int) -> str:
        return pool.get(key, lambda: made.append(key) or key, lambda _: size)

    get("a", 4), get("b", 4), get("a", 4), get("c", 4)
    assert made == ["a", "b", "c"]
    assert "b" not in pool
    assert ("a" in pool, "c" in pool, pool.bytes) == (True, True, 8)


def test_pool_keeps_the_newest_whatever_its_size():
    pool = Pool(budget=1)
    assert pool.get("big", lambda: "model", lambda _: 100) == "model"
    assert "big" in pool


def test_touched_entry_stays():
    pool = Pool(budget=8)
    pool.get("a", lambda: "a", lambda _: 4)
    pool.get("b", lambda: "b", lambda _: 4)
    pool.touch("a")
    pool.get("c", lambda: "c", lambda _: 4)
    assert ("a" in pool, "b" in pool) == (True, False)


def test_pooled_bytes_are_counted(repository):
    card = card_of(repository, "bear_realistic_v4")
    load(card, repository.base_for(card))
    assert POOL.bytes > 100e6  # the base's text encoder alone
