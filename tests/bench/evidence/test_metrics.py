"""Test each metric against values known by hand, or against another program."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from personalq.bench.evidence import intervals
from personalq.bench.evidence.frechet import distance_to, frechet_distance
from personalq.bench.evidence.psnr import psnr, squared_error
from personalq.bench.evidence.ssim import ssim


def pictures(seed: int = 0, n: int = 2):
    return torch.rand(n, 3, 32, 32, generator=torch.Generator().manual_seed(seed))


def test_psnr_of_a_known_error():
    exact = torch.full((2, 3, 4, 4), 0.5)
    wrong = exact.clone()
    wrong[0] += 0.1
    found = psnr(wrong, exact)
    assert found[0].item() == pytest.approx(20.0, abs=1e-5)
    assert found[1].item() == math.inf


def test_squared_error_is_of_each_entry():
    assert squared_error(torch.tensor([[1.0, 3.0], [0.0, 0.0]]), torch.zeros(2, 2)).tolist() == [
        5.0,
        0.0,
    ]
    with pytest.raises(ValueError, match="shapes"):
        squared_error(torch.zeros(2, 3), torch.zeros(3, 3))


def test_ssim_of_the_same_picture_is_one():
    assert torch.allclose(ssim(pictures(), pictures()), torch.ones(2, dtype=torch.double))


def test_ssim_of_two_plain_pictures_is_the_luminance_term():
    """Without variance, structure is 1: (2 a b + C1) / (a^2 + b^2 + C1)."""
    a, b = 0.3, 0.7
    found = ssim(torch.full((1, 3, 16, 16), a), torch.full((1, 3, 16, 16), b))
    assert found.item() == pytest.approx((2 * a * b + 1e-4) / (a * a + b * b + 1e-4), rel=1e-6)


def test_ssim_of_a_constant_shift():
    """Structure is unchanged, so each window counts its luminance term: with means m and m +
    0.2.
    """
    x = pictures()[:1]
    plain = x.mean() + 0 * x
    near_plain = plain + 1e-4 * (x - x.mean())
    found = ssim(near_plain + 0.2, near_plain).item()
    m = x.mean().item()
    luminance = (2 * m * (m + 0.2) + 1e-4) / (m * m + (m + 0.2) ** 2 + 1e-4)
    assert found == pytest.approx(luminance, abs=1e-3)


def test_ssim_is_that_of_torchmetrics_on_whole_windows():
    package = pytest.importorskip(
        "torchmetrics.functional.image",
        reason="torchmetrics is not installed: pip install -e .[scores]",
    )
    options = {"sigma": 1.5, "data_range": 1.0, "reduction": "none", "return_full_image": True}
    _, everywhere = package.structural_similarity_index_measure(pictures(), pictures(1), **options)
    whole = everywhere[..., 5:-5, 5:-5].flatten(1).mean(1)
    assert torch.allclose(ssim(pictures(), pictures(1)).float(), whole, atol=1e-5)


def test_ssim_refuses_small_pictures():
    with pytest.raises(ValueError, match="smaller than the 11x11 window"):
        ssim(torch.zeros(1, 3, 8, 8), torch.zeros(1, 3, 8, 8))


def test_frechet_distance_of_the_same_features_is_zero():
    x = np.random.default_rng(0).standard_normal((40, 6))
    assert frechet_distance(x, x) == pytest.approx(0, abs=1e-9)


def test_frechet_distance_of_shifted_features_is_the_shift_squared():
    x = np.random.default_rng(0).standard_normal((40, 3))
    assert frechet_distance(x, x + np.array([3, 0, 4])) == pytest.approx(25)


def test_frechet_distance_of_two_gaussians_is_near_its_closed_form():
    """For diagonal covariances: |m1 - m2|^2 + sum (s1 - s2)^2."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((40_000, 3)) * [1, 2, 3]
    y = rng.standard_normal((40_000, 3)) * [2, 2, 1] + [1, 0, -1]
    assert frechet_distance(x, y) == pytest.approx(2 + 1 + 0 + 4, rel=0.03)


@pytest.mark.parametrize("count", [3, 6, 40])
def test_a_distance_made_ready_is_the_same(count):
    """For fewer rows than features, as many, and more; the other side has another number."""
    rng = np.random.default_rng(4)
    others, own = rng.normal(size=(15, 6)), 2 * rng.normal(size=(count, 6)) + 1
    assert distance_to(others)(own) == pytest.approx(frechet_distance(own, others))


def test_frechet_distance_with_fewer_rows_than_features():
    """In 50 dimensions of which two are used it is that of the two."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((8, 2)), rng.standard_normal((9, 2)) * 2 + 1
    turn = np.linalg.qr(rng.standard_normal((50, 50)))[0][:2]
    assert frechet_distance(x @ turn, y @ turn) == pytest.approx(frechet_distance(x, y))
    with pytest.raises(ValueError, match="two rows"):
        frechet_distance(x[:1], y)


def test_bootstrap_mean():
    values = list(range(100))
    found = intervals.mean(values)
    assert found.value == pytest.approx(49.5)
    spread = 1.96 * np.std(values) / 10
    assert found.low == pytest.approx(49.5 - spread, abs=1)
    assert found.high == pytest.approx(49.5 + spread, abs=1)
    assert intervals.mean(values) == found
    assert intervals.mean([2.0, 2.0]).as_list() == [2.0, 2.0, 2.0]
    with pytest.raises(ValueError, match="no picture"):
        intervals.mean([])


def test_ratio_of_the_same_pictures():
    """Each is three times the other, so there is nothing to doubt, however much they vary."""
    assert intervals.ratio([3.0, 300.0, 30.0], [1.0, 100.0, 10.0]).as_list() == pytest.approx(
        [3, 3, 3]
    )
    assert intervals.ratio([1.0, 5.0], [2.0, 1.0]).value == pytest.approx(2)


def test_share_has_wilsons_interval():
    """9 of 10: 0.596 to 0.982 (Wilson 1927)."""
    found = intervals.share([True] * 9 + [False])
    assert found.as_list() == pytest.approx([0.9, 0.596, 0.982], abs=1e-3)
    assert found.text(".2f") == "0.90 (0.60 to 0.98)"
