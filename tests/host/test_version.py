"""Test that an older ComfyUI shows one clear sentence instead of the nodes."""

from __future__ import annotations

import pytest

from personalq.nodes.host.version import require_host


@pytest.mark.parametrize("version", ["0.33.0", "0.33.5", "0.38.1", "1.0"])
def test_new_enough(version):
    require_host((0, 33), version)


@pytest.mark.parametrize("version", ["0.32.9", "0.3.64"])
def test_too_old(version):
    with pytest.raises(RuntimeError) as error:
        require_host((0, 33), version)
    assert (
        str(error.value)
        == f"PersonalQ needs ComfyUI 0.33 or newer and this is {version}: update ComfyUI."
    )


def test_the_running_host_is_asked():
    pytest.importorskip("comfyui_version", reason="no ComfyUI here")
    require_host((0, 33))
    with pytest.raises(RuntimeError, match=r"needs ComfyUI 99\.0 or newer"):
        require_host((99, 0))
