"""Test which values stay exact in the attention processors."""

from __future__ import annotations

import pytest
import torch

from personalq.bench.baselines.activations import Dynamic, MinMax
from personalq.bench.baselines.attention import RowAttention, except_at, point_attention
from personalq.bench.baselines.points import Context
from personalq.taq_kernels import AttentionSpec, cross_attention
from personalq.tests.tiny_unet import DIFFUSERS


@pytest.fixture
def attn():
    models = pytest.importorskip("diffusers.models.attention_processor", reason=DIFFUSERS)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return models.Attention(32, 24, heads=4, dim_head=8).eval().requires_grad_(False)


@pytest.fixture
def image_and_text():
    generator = torch.Generator().manual_seed(0)
    return torch.randn(2, 10, 32, generator=generator), torch.randn(2, 9, 24, generator=generator)


def test_points_that_only_record_are_ordinary_attention(attn, image_and_text):
    context = Context(recording=True)
    processor = point_attention(MinMax, MinMax, "attn2", 8, context)
    torch.testing.assert_close(
        processor(attn, *image_and_text), attn(*image_and_text), atol=1e-5, rtol=1e-5
    )
    assert [point.name for point in context.points] == ["attn2.q", "attn2.k", "attn2.v", "attn2.a"]
    assert all(point.seen for point in context.points)


def test_everything_protected_is_ordinary_attention(attn, image_and_text):
    context = Context(protected=torch.zeros(2, 9, dtype=torch.bool))
    processor = RowAttention(AttentionSpec(None, 4, 4), context, "all")
    torch.testing.assert_close(
        processor(attn, *image_and_text), attn(*image_and_text), atol=1e-5, rtol=1e-5
    )


@pytest.mark.parametrize(
    ("protect", "rows"),
    [("none", []), ("BOS", [0]), ("trigger", [3, 4]), ("trigger + BOS", [0, 3, 4])],
)
def test_the_rows_that_are_named_are_protected(attn, image_and_text, protect, rows):
    """Both entries are marked alike here. The reference gets the rows themselves."""
    image, text = image_and_text
    marks = torch.zeros(2, 9, dtype=torch.bool)
    marks[:, 3:5] = True
    spec = AttentionSpec(4, 4, 4)
    found = RowAttention(spec, Context(protected=marks), protect)(attn, image, text)
    protected = torch.zeros(2, 9, dtype=torch.bool)
    protected[:, rows] = True
    expected = cross_attention(
        attn.to_q(image), attn.to_k(text), attn.to_v(text), 4, protected, spec
    )
    torch.testing.assert_close(found, attn.to_out[0](expected))


def test_end_and_padding_must_be_marked(attn, image_and_text):
    context = Context(protected=torch.zeros(2, 9))
    processor = RowAttention(AttentionSpec(4, 4, 4), context, "EOS")
    with pytest.raises(ValueError, match="no end rows are marked"):
        processor(attn, *image_and_text)
    context.protected[:, 6:] = -1
    assert not torch.equal(
        processor(attn, *image_and_text),
        RowAttention(AttentionSpec(4, 4, 4), context)(attn, *image_and_text),
    )


def test_marks_of_another_text_are_refused(attn, image_and_text):
    processor = RowAttention(
        AttentionSpec(4, 4, 4), Context(protected=torch.zeros(2, 8)), "trigger"
    )
    with pytest.raises(ValueError, match=r"row marks must be \(2, 9\).*; got \(2, 8\)"):
        processor(attn, *image_and_text)


def test_places_left_exact_do_not_count_for_the_range():
    x = torch.tensor([[[1500.0, 0.0, 1.0, 3.0]]])
    exact = torch.tensor([True, False, False, False])
    assert except_at(lambda rest: Dynamic(4)(rest, 0), x, exact, -1).tolist() == x.tolist()
    assert except_at(lambda rest: Dynamic(4)(rest, 0), x, ~exact, -1).tolist() == x.tolist()
    assert Dynamic(4)(x, 0)[0, 0].tolist() == pytest.approx([1500, 0, 0, 0])


def test_the_start_tokens_key_and_column_stay_exact(attn, image_and_text):
    """Neither passes a point: the points get the other rows and columns alone."""
    seen = {}

    class Zero(Dynamic):
        def __call__(self, x, step):
            seen.setdefault(tuple(x.shape), x.clone())
            return torch.zeros_like(x)

    context = Context()
    processor = point_attention(Zero, Zero, "attn2", 8, context, keep_start=True)
    processor(attn, *image_and_text)
    assert (2, 8, 32) in seen, "the key point gets eight of the nine rows"
    weights = seen[2, 4, 10, 8]
    assert weights.sum(-1).max() < 1, "the start token's column is apart"
