"""Test what makes ComfyUI run a node again; it writes that into pictures."""

from __future__ import annotations

import pytest

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

from personalq.nodes.fingerprint import fingerprint


def test_every_value_counts_and_none_is_told():
    profile = {"name": "mine", "base_url": "http://private.example"}
    said = {fingerprint(1, profile), fingerprint(2, profile), fingerprint(1, None)}
    assert len(said) == 3
    assert fingerprint(1, profile) in said
    assert all(int(one, 16) for one in said)
