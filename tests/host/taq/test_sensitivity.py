"""Test the sensitivity of single tokens in a real MODEL, and its pictures."""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

from personalq.nodes.host.taq.bar_chart import MARKED, bar_chart, strip
from personalq.nodes.host.taq.sensitivity import Sampling, Token, measure, tokens_of
from personalq.nodes.host.text.encode import encode

SMALL = Sampling(seeds=(0, 1), steps=2, width=64, height=64)


def test_tokens_of_a_prompt(base):
    tokens = tokens_of(base[1], "a photo of sks bear", "sks")
    labels = ["start", "a", "photo", "of", "sks", "bear", "end", "padding (70)"]
    assert [token.label for token in tokens] == labels
    assert [token.positions for token in tokens[:7]] == [(row,) for row in range(7)]
    assert tokens[7].positions == tuple(range(7, 77))
    assert [token.label for token in tokens if token.is_trigger] == ["sks"]


def test_every_row_once_in_a_long_prompt(base):
    tokens = tokens_of(base[1], " ".join(["tree"] * 90), None)
    assert sorted(row for token in tokens for row in token.positions) == list(range(154))


def test_measures_the_rows_it_quantizes(base):
    model, clip, vae = base
    positive, negative = encode(clip, "a bear", None)[0], encode(clip, "", None)[0]
    tokens = [Token("none", ()), Token("start", (0,)), Token("all", tuple(range(77)))]
    steps = []
    exact, measured = measure(
        model, vae, positive, negative, tokens, 2, SMALL, lambda *step: steps.append(step)
    )
    assert exact.shape == (64, 64, 3)
    assert steps[-1] == (8, 8)
    none, start, everything = (each.delta for each in measured)
    assert none == 0
    assert 0 < start < everything
    more_bits = measure(model, vae, positive, negative, tokens[2:], 8, SMALL, lambda *step: None)[
        1
    ][0].delta
    assert more_bits < everything / 100


def test_a_trigger_in_the_negative_prompt_stays_exact(base):
    """As Trigger Rewrite marks it: only the token under test is quantized."""
    model, clip, vae = base
    positive, plain = encode(clip, "a bear", None)[0], encode(clip, "an ugly bear", None)[0]
    with_trigger = encode(clip, "an ugly bear", "bear")[0]
    drawn = [
        measure(model, vae, positive, negative, [], 2, SMALL, lambda *step: None)[0]
        for negative in (plain, with_trigger, [*plain, *with_trigger], [*plain, *plain])
    ]
    assert torch.equal(drawn[0], drawn[1])
    assert torch.equal(drawn[2], drawn[3])


def test_the_model_is_left_alone(base):
    model, clip, vae = base
    positive, negative = encode(clip, "a bear", None)[0], encode(clip, "", None)[0]
    before = measure(model, vae, positive, negative, [], 4, SMALL, lambda *step: None)[0]
    measure(
        model,
        vae,
        positive,
        negative,
        [Token("all", tuple(range(77)))],
        2,
        SMALL,
        lambda *step: None,
    )
    assert not model.wrappers.get("apply_model")
    assert torch.equal(
        measure(model, vae, positive, negative, [], 4, SMALL, lambda *step: None)[0], before
    )


def test_longest_bar_and_the_trigger_in_its_colour():
    chart = bar_chart("title", [("a", 1.0, False), ("sks", 2.0, True)])
    assert chart.shape[0] == 1
    assert chart.shape[-1] == 3
    red = (chart[0] * 255).round() == torch.tensor(MARKED)
    columns = red.all(-1).any(0).nonzero().flatten()
    assert columns.max() > 0.8 * (chart.shape[2] - 120)
    bar_chart("nothing was measured", [("a", 0.0, False)])


def test_pictures_side_by_side():
    shown = strip([("one", torch.zeros(64, 64, 3)), ("two", torch.ones(64, 64, 3))], side=64)
    assert shown.shape == (1, 86, 128, 3)
    assert shown[0, 40, 32].max() == 0
    assert shown[0, 40, 96].min() == 1
