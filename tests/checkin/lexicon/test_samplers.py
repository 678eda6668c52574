"""Test the names of samplers and schedulers that other programs write."""

from __future__ import annotations

import pytest

from personalq.checkin.lexicon.samplers import sampler_and_scheduler, scheduler


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("DPM++ 2M Karras", ("dpmpp_2m", "karras")),
        ("DPM++ 2M SDE", ("dpmpp_2m_sde", None)),
        ("DPM++ 2M SDE Karras", ("dpmpp_2m_sde", "karras")),
        ("DPM++ 3M SDE Exponential", ("dpmpp_3m_sde", "exponential")),
        ("DPM++ 2S a Karras", ("dpmpp_2s_ancestral", "karras")),
        ("DPM2 a", ("dpm_2_ancestral", None)),
        ("Euler a", ("euler_ancestral", None)),
        ("Euler", ("euler", None)),
        ("Euler Simple", ("euler", "simple")),
        ("UniPC", ("uni_pc", None)),
        ("LCM", ("lcm", None)),
        ("DDIM", ("ddim", None)),
        ("euler_ancestral", ("euler_ancestral", None)),
        ("dpmpp_sde_karras", ("dpmpp_sde", "karras")),
        ("er_sde_beta", ("er_sde", "beta")),
        ("res_multistep", ("res_multistep", None)),
        ("Undefined", (None, None)),
        ("", (None, None)),
        (None, (None, None)),
    ],
)
def test_sampler_and_scheduler(name, expected):
    assert sampler_and_scheduler(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Karras", "karras"), ("SGM Uniform", "sgm_uniform"), ("Automatic", None), ("", None)],
)
def test_scheduler(name, expected):
    assert scheduler(name) == expected
