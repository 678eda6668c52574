"""Test files of quantized weights: bit-exact, never incomplete, and refused with a reason."""

from __future__ import annotations

import dataclasses

import pytest
import torch
from comfy_kitchen.tensor import QuantizedTensor
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file

from personalq.taq_kernels import quantize_
from personalq.taq_kernels.storage import files
from personalq.taq_kernels.storage.files import (
    PREFIX,
    FileMetadata,
    QuantizedFileError,
    file_name,
    read_metadata,
    read_quantized,
    write_quantized,
)
from personalq.taq_kernels.storage.state_dict import (
    entries,
    quantize_state,
    refuse_quantized,
    weights_fingerprint,
)
from personalq.tests.taq_kernels.unets import SmallUNet


@pytest.fixture(scope="module")
def unet() -> SmallUNet:
    torch.manual_seed(0)
    return SmallUNet().half().requires_grad_(False)


@pytest.fixture(scope="module")
def state(unet) -> dict[str, torch.Tensor]:
    return quantize_state(
        {name: lambda w=w: w for name, w in unet.state_dict().items()}, 4, {"*.attn1.*": 8}
    )


@pytest.fixture
def metadata(unet) -> FileMetadata:
    return FileMetadata(
        weights_fingerprint(unet.state_dict()), 4, (("*.attn1.*", 8), ("*.ff.*", None))
    )


@pytest.fixture
def path(tmp_path, state, metadata):
    write_quantized(tmp_path / "new" / "small.safetensors", state, metadata)
    return tmp_path / "new" / "small.safetensors"


def test_bit_exact(path, state, metadata):
    read = read_quantized(path, metadata)
    assert read.keys() == state.keys()
    assert all(
        read[name].dtype == tensor.dtype and torch.equal(read[name], tensor)
        for name, tensor in state.items()
    )
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_the_state_is_what_quantize_makes(unet, state):
    made = SmallUNet().half().requires_grad_(False)
    made.load_state_dict(unet.state_dict())
    quantize_(made, "W4A8", overrides={"*.attn1.*": 8})
    layers = {
        name: layer
        for name, layer in made.named_modules()
        if isinstance(getattr(layer, "weight", None), QuantizedTensor)
    }
    wanted = {
        key: tensor
        for name, layer in layers.items()
        for key, tensor in entries(name, layer.weight).items()
    }
    assert wanted.keys() <= state.keys()
    assert all(
        torch.equal(state[key].view(torch.uint8), tensor.view(torch.uint8))
        for key, tensor in wanted.items()
    )


def test_full_precision_parts_take_two_bytes_where_that_loses_nothing(tmp_path, metadata):
    exact, long = torch.tensor([0.5, 1.0]), torch.tensor([0.1, 1.0])
    write_quantized(tmp_path / "a.safetensors", {"norm.weight": exact, "norm.bias": long}, metadata)
    read = read_quantized(tmp_path / "a.safetensors", metadata)
    assert read["norm.weight"].dtype == torch.float16
    assert torch.equal(read["norm.bias"], long)


def test_content_and_not_precision_makes_the_fingerprint(unet):
    weights = unet.state_dict()
    as_float = {name: tensor.float() for name, tensor in weights.items()}
    assert (
        weights_fingerprint(as_float)
        == weights_fingerprint(weights)
        == weights_fingerprint(dict(reversed(list(weights.items()))))
    )
    changed = {**as_float, "out.2.bias": as_float["out.2.bias"] + 1e-3}
    assert weights_fingerprint(changed) != weights_fingerprint(weights)
    assert weights_fingerprint(weights, [("lora", torch.ones(2), 0.5)]) != weights_fingerprint(
        weights, [("lora", torch.ones(2), 0.6)]
    )


def test_the_order_of_overrides_is_told_apart(metadata):
    """The first that matches counts."""
    other = dataclasses.replace(metadata, overrides=metadata.overrides[::-1])
    assert file_name(other) != file_name(metadata)


def test_a_function_among_what_weights_depend_on_is_known_by_its_name(unet):
    """Merged models carry a function that is made anew each time."""

    def patches():
        return [((torch.ones(2), lambda weight: weight), 0.5)]

    assert weights_fingerprint({}, patches()) == weights_fingerprint({}, patches())


def test_no_room_leaves_nothing_behind(tmp_path, state, metadata, monkeypatch):
    def full(*_):
        raise SafetensorError("No space left on device")

    monkeypatch.setattr(files, "save_file", full)
    with pytest.raises(OSError, match="No space left"):
        write_quantized(tmp_path / "a.safetensors", state, metadata)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "change", [{"weights": "other"}, {"bits": 8}, {"overrides": ()}, {"rounding": "brecq"}]
)
def test_made_for_other_weights_or_settings(path, metadata, change):
    with pytest.raises(
        QuantizedFileError, match=rf"small.safetensors was made for other .*{next(iter(change))}"
    ):
        read_quantized(path, dataclasses.replace(metadata, **change))


def test_one_flipped_bit_is_noticed(path, metadata):
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(content)
    with pytest.raises(QuantizedFileError, match=r"checksum differs.*quantize again"):
        read_quantized(path, metadata)


def test_a_cut_file_is_refused(path, metadata):
    path.write_bytes(path.read_bytes()[:-1000])
    with pytest.raises(QuantizedFileError, match="is damaged"):
        read_quantized(path, metadata)


def test_a_flipped_bit_of_the_header_is_noticed(path, metadata):
    content = path.read_bytes()
    length = 8 + int.from_bytes(content[:8], "little")
    for place in range(0, length, 41):
        broken = bytearray(content)
        broken[place] ^= 1
        path.write_bytes(broken)
        with pytest.raises(QuantizedFileError):
            read_quantized(path, metadata)


def test_what_took_hours_to_make_is_read_in_the_older_format(path, state, metadata, monkeypatch):
    calibrated = dataclasses.replace(metadata, rounding="brecq")
    plain = files._checksum
    monkeypatch.setattr(files, "_checksum", lambda path, format=1: plain(path, 1))
    write_quantized(path, state, dataclasses.replace(calibrated, format=1))
    monkeypatch.undo()
    assert read_quantized(path, calibrated).keys() == state.keys()
    write_quantized(path, state, dataclasses.replace(metadata, format=1))
    with pytest.raises(QuantizedFileError, match="made for other"):
        read_quantized(path, metadata)


def test_a_file_of_others_is_refused(tmp_path):
    save_file({"a": torch.ones(1)}, tmp_path / "a.safetensors")
    with pytest.raises(QuantizedFileError, match="not written by PersonalQ"):
        read_metadata(tmp_path / "a.safetensors")


def test_a_file_of_a_newer_version_is_refused(path, state, metadata):
    write_quantized(path, state, dataclasses.replace(metadata, format=3))
    with pytest.raises(QuantizedFileError, match="newer PersonalQ"):
        read_metadata(path)


def test_any_reader_of_safetensors_reads_it(path):
    assert all(name.startswith(PREFIX) for name in load_file(path))
    with safe_open(path, "pt") as file:
        assert set(file.metadata()) == {"personalq", "sha256"}


def test_only_original_weights_are_quantized(unet, state):
    refuse_quantized(unet.state_dict())
    with pytest.raises(ValueError, match="quantized already"):
        refuse_quantized(state)
    with pytest.raises(ValueError, match="no text cross-attention"):
        refuse_quantized({"a.weight": torch.ones(2, 2)})
