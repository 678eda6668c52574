"""Products of integers on every CPU that runs the tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from personalq.checkin.decision.serving.plan import NATIVE, STORED
from personalq.taq_kernels.backends import machine, registry


@pytest.fixture(scope="module", autouse=True)
def multiplied_in_int8() -> Iterator[None]:
    """As on a CPU that multiplies int8 quicker than float32; others take longer to the same."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(machine, "_slower_in_int8", lambda: False)
        yield


def presets_here() -> tuple[str, str]:
    """The serving plan's larger preset and its smaller one, for the CPU of this machine."""
    at = registry.machine("cpu")
    return STORED if registry.int8_products(at).name == registry.FLOAT else NATIVE
