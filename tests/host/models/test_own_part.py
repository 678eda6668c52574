"""Test LoRAs on parts of a picture: hooks, areas, text encoders and token masks."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

from node_helpers import conditioning_set_values
from safetensors.torch import load_file, save_file

from personalq.checkin import Card, Decision, Repository, check_in
from personalq.checkin.catalog.connected import ConnectedModel
from personalq.checkin.catalog.pinned import PinnedModel
from personalq.checkin.catalog.reference import Reference
from personalq.nodes.host.models.connected import Connected, apply
from personalq.nodes.host.models.load import load_with
from personalq.nodes.host.models.own_part import GROUND, in_parts, parts_or_whole, with_parts
from personalq.nodes.host.models.pool import POOL
from personalq.nodes.host.text.token_mask import KEY
from personalq.nodes.sockets import Selection
from personalq.nodes.trigger_rewrite import TriggerRewrite
from personalq.taq_kernels.attention.protected_tokens import TRIGGER
from personalq.tests.host.sampling import encode, quantized, relative_error, sample
from personalq.tests.host.taq.dynamic import dynamic_vram  # noqa: F401 - a fixture


@pytest.fixture(scope="module")
def cards(base_file: Path, lora: Path, tmp_path_factory) -> tuple[Card, ...]:
    """A base, LoRAs of a dog and a cat, and a style."""
    folder = tmp_path_factory.mktemp("parts")
    places = {name: str(shutil.copy(lora, folder / f"{name}.safetensors")) for name in "dsc"}
    return (
        Card("base", str(base_file), base_model="sd15"),
        Card("dog", places["d"], "lora", ("<dog>",), subjects=("dog",), base_model="sd15"),
        Card("cat", places["c"], "lora", ("<cat>",), subjects=("cat",), base_model="sd15"),
        Card("ink", places["s"], "lora", ("ink style",), styles=("ink",), base_model="sd15"),
    )


def decided(
    cards: tuple[Card, ...], request: str = "the cat and the dog on grass", *more: str
) -> Decision:
    repository = Repository(cards, version=request, embedder=None)
    chosen = [PinnedModel(Reference(id=one)) for one in ("cat", "dog", *more)]
    decision = check_in(request, repository, chosen=chosen, each_in_its_place=True)
    return dataclasses.replace(decision, base=cards[0])


def loaded_parts(decision: Decision):
    return in_parts(decision, lambda loras: load_with(decision.card, decision.base, loras))


def test_the_model_has_the_loras_of_the_whole_picture_alone(cards):
    loaded, (left, right) = loaded_parts(decided(cards))
    assert not loaded.model.patches
    assert [one.region.card_ids for one in (left, right)] == [("cat",), ("dog",)]
    assert left.area == ("percentage", 1.0, 0.5, 0.0, 0.0)
    assert right.area == ("percentage", 1.0, 0.5, 0.0, 0.5)
    styled, parts = loaded_parts(decided(cards, "cat and dog in ink style", "ink"))
    only_style = load_with(cards[0], None, [dataclasses.replace(cards[3], strength=0.85)])
    assert styled.model.patches.keys() == only_style.model.patches.keys()
    assert all(len(found) == 1 for found in styled.model.patches.values())
    assert len(parts) == 2


def test_a_hook_is_the_lora_at_its_strength(cards, base):
    """With the hook on both prompts and the whole picture as its part, nothing differs from the
    LoRA on the model.
    """
    weak = tuple(dataclasses.replace(card, strength=0.6) for card in cards)
    decision = decided(weak)
    loaded, (left, _) = loaded_parts(decision)
    prompts = [encode(base[1], "a cat"), encode(base[1], "")]
    hooked = [conditioning_set_values(one, {"hooks": left.hooks}) for one in prompts]
    wanted = load_with(weak[0], None, [weak[2]]).model
    assert relative_error(sample(loaded.model, *hooked), sample(wanted, *prompts)) < 1e-5
    assert relative_error(sample(loaded.model, *prompts), sample(wanted, *prompts)) > 1e-3


@pytest.mark.parametrize("preset", [None, "W8A8", "W4A8"])
def test_each_part_is_drawn_with_its_own_lora(cards, preset):
    decision = decided(cards)
    loaded, parts = loaded_parts(decision)
    model = quantized(loaded.model, preset) if preset else loaded.model
    negative = encode(loaded.clip, "")

    def drawn(used) -> torch.Tensor:
        whole = encode(loaded.clip, decision.prompt)
        return sample(model, with_parts(whole, used, loaded.clip, ["<cat>", "<dog>"]), negative)

    def without_lora(part):
        return dataclasses.replace(part, hooks=type(part.hooks)(), text=())

    both = drawn(parts)
    no_cat = drawn((without_lora(parts[0]), parts[1]))
    assert not torch.equal(both, no_cat)
    change = (both - no_cat).abs().mean(dim=(0, 1, 2))
    assert change[:4].mean() > 2 * change[4:].mean()  # the cat's LoRA acts on the left
    assert not torch.equal(both, drawn(()))


def test_every_conditioning_has_its_text_and_the_mask_of_its_triggers(cards):
    decision = decided(cards)
    loaded, parts = loaded_parts(decision)
    whole = encode(loaded.clip, decision.prompt)
    ground, left, right = with_parts(whole, parts, loaded.clip, ["<cat>", "<dog>"])
    assert ground[1]["strength"] == GROUND
    assert "area" not in ground[1]
    for conditioning, part in ((left, parts[0]), (right, parts[1])):
        assert conditioning[1]["area"] == part.area
        assert conditioning[1]["hooks"] is part.hooks
        assert (conditioning[1][KEY] == TRIGGER).sum() == 3  # "<", "cat", ">"
    assert parts[0].region.prompt == "the <cat> on grass"
    assert parts[1].region.prompt == "the <dog> on grass"


def test_a_part_has_the_text_encoder_of_its_lora(cards, base):
    _, (left, _) = loaded_parts(decided(cards))
    if left.text[0][0]:
        pytest.skip("this LoRA changes the text encoder already")
    name = "clip_l.transformer.text_model.encoder.layers.0.mlp.fc1.weight"
    change = (name, None, None), ("diff", (torch.ones(3072, 768),))
    changed = dataclasses.replace(left, text=((dict([change]), 0.5),))
    plain, other = (one.encode(base[1], ["<cat>"])[0][0] for one in (left, changed))
    assert not torch.equal(plain, other)
    assert not base[1].patcher.patches


def test_a_connected_model_gets_parts_too(cards, base):
    decision = decided(cards)
    about = ConnectedModel(cards[0], "sd15", frozenset())
    loaded, parts = in_parts(decision, lambda loras: apply(Connected(*base), about, loras)[0])
    assert isinstance(loaded, Connected)
    assert loaded.model.patches == base[0].patches
    assert all(part.hooks.hooks[0].weights for part in parts)


def test_video_is_cut_in_its_width(cards, monkeypatch):
    decision = decided(cards)
    video = load_with(cards[0], None, []).model.model.latent_format
    monkeypatch.setattr(video, "latent_dimensions", 3, raising=False)
    _, (_, right) = loaded_parts(decision)
    assert right.area == ("percentage", 1.0, 1.0, 0.5, 0.0, 0.0, 0.5)


def test_parts_or_what_they_need_is_said(cards, base):
    decision = decided(cards)
    same, said = parts_or_whole(decision, Connected(*base), True)
    assert same is decision
    assert said == ["Each in its own part of the picture: c left, d right."]
    whole, said = parts_or_whole(decision, Connected(base[0], None, None), True)
    assert whole.regions == ()
    assert [card.strength for card in whole.cards] == [0.85, 0.85]
    assert said == [
        "c and d act on the whole picture. To draw each in its own part of it, connect `clip` too."
    ]
    whole, said = parts_or_whole(decision, None, False)
    assert whole.regions == ()
    assert "use the output `conditioning`" in said[0]
    assert parts_or_whole(whole, None, True) == (whole, [])


def test_trigger_rewrite_draws_each_in_its_part_of_another_text(cards, base):
    decision = decided(cards)
    _, parts = loaded_parts(decision)
    selection = Selection(decision.card, decision.serving, decision.further, parts)

    def rewritten(text: str) -> tuple[list, str]:
        return TriggerRewrite.execute(base[1], selection, text).args

    (_, left, right), prompt = rewritten("a dog next to a cat in the snow")
    assert prompt == "a <dog> next to a <cat> in the snow"
    dog, cat = parts[1], parts[0]
    assert (left[1]["hooks"], left[1]["area"]) == (cat.hooks, dog.area)
    assert (right[1]["hooks"], right[1]["area"]) == (dog.hooks, cat.area)
    (_, left, right), prompt = rewritten("in the snow")
    assert {"<dog>", "<cat>"} <= {*prompt.split()}
    assert left[1]["hooks"] is cat.hooks


@pytest.fixture
def float_base(base_file: Path, tmp_path: Path) -> Iterator[Card]:
    """The base in float32, in which a CPU computes: the emulated dynamic VRAM casts nothing."""
    weights = {name: tensor.float() for name, tensor in load_file(base_file).items()}
    save_file(weights, tmp_path / "base32.safetensors")
    yield Card("base", str(tmp_path / "base32.safetensors"), base_model="sd15")
    POOL.forget(lambda key: True)


def test_parts_are_drawn_under_dynamic_vram(float_base, cards, base, dynamic_vram):  # noqa: F811
    POOL.forget(lambda key: True)
    decision = decided((float_base, *cards[1:]))
    loaded, parts = loaded_parts(decision)
    assert loaded.model.is_dynamic()
    whole = encode(base[1], decision.prompt)
    positive = with_parts(whole, parts, base[1], ["<cat>", "<dog>"])
    negative = encode(base[1], "")
    exact = sample(loaded.model, positive, negative)
    assert relative_error(exact, sample(loaded.model, whole, negative)) > 1e-3
    drawn = sample(quantized(loaded.model, "W8A8"), positive, negative)
    assert relative_error(drawn, exact) < 0.1
    loaded.model.cached_patcher_init = None
    whole_decision, said = parts_or_whole(decision, Connected(loaded.model, base[1], None), True)
    assert whole_decision.regions == ()
    assert "use one of ComfyUI's own loaders" in said[0]
