"""Test the doctor's checks of operations: they find errors, and their reference is right."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from personalq.doctor import attention_checks, operations, shapes, timing
from personalq.doctor.operations import On
from personalq.doctor.rows import FAILED, OK, Check, NotHere, measured
from personalq.taq_kernels import quantized_ops
from personalq.taq_kernels.backends import registry

CPU = torch.device("cpu")
ON = On.of(CPU)
LINEAR = shapes.LinearShape("small", 40, 256, 96)
CONVS = [
    shapes.ConvShape("small", 2, 256, 256, 7, 5),
    shapes.ConvShape("strided", 2, 256, 256, 7, 6, 3, 2),
    shapes.ConvShape("1x1", 1, 512, 128, 5, 3, 1),
    shapes.ConvShape("in floating point", 1, 64, 64, 9, 7),
]
ATTENTION = shapes.AttentionShape("small", 2, 150, 2, 40, 20)


def row(run, shape, *arguments):
    return measured(Check("check", str(shape), lambda: run(shape, *arguments, ON)))


@pytest.fixture(autouse=True)
def few_calls(monkeypatch):
    monkeypatch.setitem(timing._CALLS, "cpu", 1)


@pytest.mark.parametrize("bits", [8, 4])
def test_linear_is_as_exact_as_its_codes(bits):
    found = row(operations.linear, LINEAR, bits)
    assert (found.result, found.reason) == (OK, "")
    assert found.error < (1e-6 if bits == 8 else 0.015)
    assert found.backend == registry.KITCHEN
    assert found.ms > 0
    assert found.float_ms > 0


@pytest.mark.parametrize("bits", [8, 4])
@pytest.mark.parametrize("shape", CONVS, ids=str)
def test_conv_is_as_exact_as_its_codes(shape, bits):
    found = row(operations.conv, shape, bits)
    assert (found.result, found.reason) == (OK, "")
    assert found.error < 1e-6
    assert found.backend == (registry.FLOAT if shape.inputs == 64 else registry.TAPS)


@pytest.mark.parametrize("spec", attention_checks.SPECS.values(), ids=attention_checks.SPECS)
def test_attention_agrees_with_its_definition(spec):
    found = row(attention_checks.attention, ATTENTION, spec)
    assert (found.result, found.reason) == (OK, "")


def test_other_bits_than_were_asked_for_are_told():
    found = row(operations.linear, shapes.LinearShape("small", 40, 320, 96), 4)
    assert (found.result, found.backend) == (OK, "comfy-kitchen (8-bit: 320 wide)")


def test_pixel_codes_are_exact():
    assert row(operations.pixel_codes, (1, 320, 4, 3)).error == 0


def test_pixel_codes_are_skipped_where_nothing_makes_any():
    with pytest.raises(NotHere, match="no convolution runs in int8"):
        operations.pixel_codes((1, 64, 4, 3), ON)


def spoil_last_row(product):
    def run(*arguments):
        out = product(*arguments)
        (out[-1] if out.ndim == 2 else out[-1, :, -1, -1]).mul_(1.01)
        return out

    return run


@pytest.mark.parametrize(
    ("name", "check", "shape"),
    [("linear", operations.linear, LINEAR), ("conv2d", operations.conv, CONVS[0])],
)
def test_one_wrong_row_is_found(monkeypatch, name, check, shape):
    monkeypatch.setattr(quantized_ops, name, spoil_last_row(getattr(quantized_ops, name)))
    found = row(check, shape, 8)
    assert (found.result, found.reason) == (FAILED, "the error is above its bound")


def test_a_rounded_code_is_found(monkeypatch):
    exact = operations.operators.conv2d_int8
    monkeypatch.setattr(
        operations.operators, "conv2d_int8", lambda x, *rest: exact(x * 1.01, *rest).div_(1.02)
    )
    assert row(operations.pixel_codes, (1, 320, 4, 3)).result == FAILED


def test_other_keys_than_were_stored_are_found(monkeypatch):
    attend = attention_checks.attend_stored
    monkeypatch.setattr(
        attention_checks,
        "attend_stored",
        lambda q, layer, *rest: attend(q, layer._replace(k=layer.v), *rest),
    )
    assert (
        row(attention_checks.attention, ATTENTION, attention_checks.SPECS["8-bit rows"]).result
        == FAILED
    )


def test_what_is_not_finite_fails(monkeypatch):
    monkeypatch.setattr(
        quantized_ops, "linear", lambda x, *rest: functional.linear(x, x[:96, :256]) * torch.inf
    )
    found = row(operations.linear, shapes.LinearShape("small", 96, 256, 96), 8)
    assert (found.result, found.error, found.reason) == (FAILED, None, "the result is not finite")


def test_a_backend_that_the_registry_did_not_name_is_found():
    with operations.dispatched() as chosen:
        operations.linear(LINEAR, 8, ON)
    assert chosen["int8_linear"] == "eager"
    with pytest.raises(
        RuntimeError, match="says comfy-kitchen cuda; comfy-kitchen took eager for int8_linear"
    ):
        operations.refuse_another("comfy-kitchen cuda", chosen)
    operations.refuse_another("comfy-kitchen eager", chosen)
    operations.refuse_another(registry.FLOAT, chosen)


def test_the_samples_are_of_the_whole_output():
    assert operations.sample(5).tolist() == [0, 1, 2, 3, 4]
    at = operations.sample(10_000)
    assert at[0] == 0
    assert at[-1] == 9_999
    assert len(at) == 128
    assert at.eq(at.sort().values).all()


def test_full_lists_hold_what_was_promised():
    """Both models, odd sizes, 2048 px and batches of 4 for each kind; little of it quickly."""
    for kind in (shapes.LINEAR, shapes.CONV, shapes.ATTENTION):
        said = " ".join(map(str, kind))
        assert all(
            part in said
            for part in ("SDXL 1024 px", "SD1.5 512 px", "120x136", "2048 px", "batch of 4")
        )
    quick = operations.checks(CPU, shapes.QUICK_WORK) + attention_checks.checks(
        CPU, shapes.QUICK_WORK
    )
    assert {check.name for check in quick} == {
        check.name for check in operations.checks(CPU, 1e99) + attention_checks.checks(CPU, 1e99)
    }
    assert len({check.key for check in quick}) == len(quick) < 25
