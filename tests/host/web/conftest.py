"""What the tests of our routes share."""

from __future__ import annotations

import pytest


@pytest.fixture
def read_anew(ask):
    """Other tests change the repository on the disk."""
    assert ask("POST", "/personalq/rescan", {})[0] == 200
