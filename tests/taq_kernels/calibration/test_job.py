"""Test the whole calibration.

It is nearer than round-to-nearest, resumes to the same bits, and refuses other arguments.
"""

from __future__ import annotations

from copy import deepcopy

import pytest
import torch
from comfy_kitchen.tensor import QuantizedTensor

from personalq.taq_kernels import quantize_
from personalq.taq_kernels.calibration import calibrate
from personalq.taq_kernels.layouts import conv_int4, conv_int8
from personalq.tests.taq_kernels.calibration.cases import relative_error, small_calls, small_unet

QUICK = {
    "preset": "W4A8",
    "method": "brecq",
    "iterations": 4,
    "learning_rate": 0.1,
    "batch_size": 2,
}


class _Stopped(Exception):
    pass


def stop_after(count):
    def progress(done, *_):
        if done == count:
            raise _Stopped

    return progress


def tensors(model):
    return {
        key: tensor
        for name, weight in model.named_parameters()
        if isinstance(weight, QuantizedTensor)
        for key, tensor in weight.state_dict(name).items()
    }


@pytest.mark.parametrize("method", ["brecq", "adaround"])
def test_4_bit_output_error_on_unseen_calls_is_lower_than_to_nearest(method, tmp_path):
    original, unseen = small_unet(64), small_calls(8, seed=2)
    nearest, learned = deepcopy(original), deepcopy(original)
    quantize_(nearest, "W4A8")
    result = calibrate(
        learned,
        small_calls(16, seed=1),
        "W4A8",
        method,
        tmp_path,
        iterations=60,
        learning_rate=2e-2,
    )
    assert relative_error(learned, original, unseen) < 0.85 * relative_error(
        nearest, original, unseen
    )
    assert all(block.error_after < block.error_before for block in result.blocks)
    for name, weight in nearest.named_parameters():
        if isinstance(weight, QuantizedTensor):
            assert learned.get_parameter(name)._layout_cls == weight._layout_cls
    assert result.report.bytes_after == quantize_(deepcopy(original), "W4A8").bytes_after


def test_blocks_of_a_diffusers_unet(tiny_diffusers, diffusers_calls, tmp_path):
    calls, seen = diffusers_calls(2, 1), []
    original = deepcopy(tiny_diffusers)
    settings = {"folder": tmp_path, "iterations": 12, "learning_rate": 5e-2}
    calibrate(
        tiny_diffusers, calls, "W4A8", "brecq", progress=lambda *step: seen.append(step), **settings
    )
    assert [step[:2] for step in seen] == [(done, 22) for done in range(1, 23)]
    nearest = deepcopy(original)
    quantize_(nearest, "W4A8")
    with torch.no_grad():
        (args, kwargs), *_ = calls
        target, near, learned = (
            m(*args, **kwargs).sample for m in (original, nearest, tiny_diffusers)
        )
    assert (learned - target).norm() < 0.95 * (near - target).norm()


@pytest.mark.parametrize("method", ["brecq", "adaround"])
def test_a_continued_job_ends_with_the_same_bits(method, tmp_path):
    batches = small_calls(3, seed=1)
    whole, stopped, continued = (small_unet() for _ in range(3))
    settings = QUICK | {"method": method}
    calibrate(whole, batches, folder=tmp_path / "whole", **settings)
    with pytest.raises(_Stopped):
        calibrate(stopped, batches, folder=tmp_path / "parts", progress=stop_after(3), **settings)
    first = tmp_path / "parts" / "block-000.safetensors"
    written = first.stat().st_mtime_ns
    (tmp_path / "parts" / "block-003.safetensors").write_bytes(b"written, but not finished")
    steps = []
    calibrate(
        continued,
        batches,
        folder=tmp_path / "parts",
        progress=lambda *step: steps.append(step),
        **settings,
    )
    expected, got = tensors(whole), tensors(continued)
    assert expected.keys() == got.keys()
    assert all(
        torch.equal(expected[key].view(torch.uint8), got[key].view(torch.uint8)) for key in expected
    )
    assert first.stat().st_mtime_ns == written
    assert [step[0] for step in steps] == list(range(1, len(steps) + 1))
    for file in (tmp_path / "whole").iterdir():
        assert (tmp_path / "parts" / file.name).read_bytes() == file.read_bytes()


@pytest.mark.parametrize("preset", ["W4A8", "W8A4", "W4"])
def test_a_finished_job_is_read_back(preset, tmp_path):
    batches, models = small_calls(2, seed=1), (small_unet(), small_unet())
    results = [
        calibrate(model, batches, folder=tmp_path, **(QUICK | {"preset": preset}))
        for model in models
    ]
    assert results[0].blocks == results[1].blocks
    (args, kwargs) = batches[0]
    with torch.no_grad():
        assert torch.equal(models[0](*args, **kwargs), models[1](*args, **kwargs))


def test_other_arguments_in_the_same_folder_are_refused(tmp_path):
    batches = small_calls(2, seed=1)
    with pytest.raises(_Stopped):
        calibrate(small_unet(), batches, folder=tmp_path, progress=stop_after(1), **QUICK)
    for change, said in (
        ({"seed": 1}, "seed is 0, not 1"),
        ({"iterations": 5}, "iterations is 4, not 5"),
        ({"preset": "W8A8"}, "preset is 'W4A8', not 'W8A8'; weight_bits is 4, not 8"),
        ({"method": "adaround"}, "method is 'brecq', not 'adaround'"),
        (
            {"overrides": {"*.emb_layers.1": 8}},
            r"overrides is \[\], not \[\['\*.emb_layers.1', 8\]\]",
        ),
    ):
        with pytest.raises(ValueError, match=said):
            calibrate(small_unet(), batches, folder=tmp_path, **(QUICK | change))
    with pytest.raises(ValueError, match="other arguments: batches is"):
        calibrate(small_unet(), small_calls(2, seed=2), folder=tmp_path, **QUICK)
    other = small_unet()
    other.input_blocks[1][0].emb_layers[1].bias.data += 1
    with pytest.raises(ValueError, match="other arguments: weights is"):
        calibrate(other, batches, folder=tmp_path, **QUICK)


def _flip_a_bit(path):
    broken = bytearray(path.read_bytes())
    broken[-3] ^= 4
    path.write_bytes(broken)


@pytest.mark.parametrize(
    ("damage", "again"),
    [
        (lambda folder: _flip_a_bit(folder / "block-001.safetensors"), {1}),
        (lambda folder: (folder / "block-000.safetensors").unlink(), {0}),
        (
            lambda folder: (folder / "block-001.safetensors").rename(
                folder / "block-000.safetensors"
            ),
            {0, 1},
        ),
        (lambda folder: (folder / "calibration.json").write_text("{"), {0, 1, 2}),
        (lambda folder: (folder / "calibration.json").write_text('{"blocks": []}'), {0, 1, 2}),
    ],
)
def test_a_broken_block_is_made_again_and_no_other(tmp_path, damage, again):
    batches = small_calls(2, seed=1)
    calibrate(small_unet(), batches, folder=tmp_path / "whole", **QUICK)
    folder = tmp_path / "parts"
    with pytest.raises(_Stopped):
        calibrate(small_unet(), batches, folder=folder, progress=stop_after(3), **QUICK)
    before = {path.name: path.stat().st_mtime_ns for path in folder.glob("block-*")}
    damage(folder)
    calibrate(small_unet(), batches, folder=folder, **QUICK)
    for number in range(3):
        made = (folder / f"block-00{number}.safetensors").stat().st_mtime_ns
        assert (made != before[f"block-00{number}.safetensors"]) == (number in again)
    for file in (tmp_path / "whole").iterdir():
        assert (folder / file.name).read_bytes() == file.read_bytes()


def test_a_block_that_learning_does_not_bring_closer_stays_nearest(tmp_path):
    model, nearest = small_unet(), small_unet()
    quantize_(nearest, "W4A8")
    settings = QUICK | {"iterations": 1, "learning_rate": 1e3}
    result = calibrate(model, small_calls(2, seed=1), folder=tmp_path, **settings)
    expected, got = tensors(nearest), tensors(model)
    kept = [block for block in result.blocks if block.error_after == block.error_before]
    assert kept
    for block in kept:
        for layer in block.layers:
            assert torch.equal(got[f"{layer}.weight"], expected[f"{layer}.weight"])


def test_overrides_and_a_given_reference(tmp_path):
    model, reference = small_unet(), small_unet()
    calibrate(
        model,
        small_calls(2, seed=1),
        folder=tmp_path,
        overrides={"input_blocks.2.0": 8, "input_blocks.1.0.*": None},
        reference=reference,
        **QUICK,
    )
    assert not isinstance(model.input_blocks[1][0].in_layers[2].weight, QuantizedTensor)
    assert model.input_blocks[2][0].weight._layout_cls == conv_int8.NAME
    assert model.input_blocks[1][1].proj_in.weight._layout_cls == conv_int4.NAME
    assert not any(isinstance(weight, QuantizedTensor) for weight in reference.parameters())


def test_under_inference_mode(tmp_path):
    """As a host runs it: weights and calls are inference tensors."""
    with torch.inference_mode():
        model, batches = small_unet(), small_calls(2, seed=1)
        result = calibrate(model, batches, folder=tmp_path / "host", **QUICK)
    usual = calibrate(small_unet(), small_calls(2, seed=1), folder=tmp_path / "usual", **QUICK)
    assert result.blocks == usual.blocks


def test_bad_input_is_refused(tmp_path):
    batches = small_calls(1, seed=1)
    with pytest.raises(ValueError, match="no calibration batches"):
        calibrate(small_unet(), [], folder=tmp_path, **QUICK)
    with pytest.raises(
        ValueError, match=r"time_embed.0.weight is torch.float16; calibrate in float32"
    ):
        calibrate(small_unet().half(), batches, folder=tmp_path, **QUICK)
    quantized = small_unet()
    quantize_(quantized, "W8A8")
    with pytest.raises(ValueError, match=r"input_blocks.*quantized already"):
        calibrate(quantized, batches, folder=tmp_path, **QUICK)
    args, kwargs = batches[0]
    with pytest.raises(ValueError, match=r"must hold tensors, numbers.*found object"):
        calibrate(
            small_unet(),
            [((*args, kwargs["text"]), {}), (args, {"text": object()})],
            folder=tmp_path,
            **QUICK,
        )
