"""Test that models with signs in their names, triggers and subjects are put into a request.

In both renderers.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.browser.asking import CHECK_IN
from personalq.tests.checkin import make_files as make

# (name of the file, its trigger, its subject, a request, what that becomes)
ODD = [
    ("odd & even #1 100%", "<r&b-50%#>", "r&b", "my r&b in snow", "my <r&b-50%#> in snow"),
    ("odd o'neil", "sks_o'neil", "o'neil", "my O'Neil, alone", "my sks_o'neil, alone"),
    ("-odd_", "_-odd-_", "-x_", "a -x_ here", "a _-odd-_ here"),
    ("odd, a; b", "abc def-7", "a%b", "an a%b", "an abc def-7"),
    ("odd {x} $1 [y]", "zq$1\\1", "c++", "some c++ now", "some zq$1\\1 now"),
    ("odd 100%25 ?a=b", "ohw%20x", "50%", "a 50% off", "a ohw%20x off"),
    ('odd "quoted" 熊²', "kuma熊²", "熊", "熊 in the sun", "kuma熊² in the sun"),
    ("odd plain", None, "ünïcode", "an ünïcode", "an ünïcode"),
]


@pytest.fixture(scope="module")
def odd(host, demo_repository: Path) -> Iterator[None]:
    """The models, in a folder of their own."""
    folder = demo_repository / "loras" / "odd"
    for name, trigger, subject, *_ in ODD:
        model = make.make_lora(folder / f"{name}.safetensors")
        said = {"triggers": [trigger] if trigger else [], "subjects": [subject]}
        make.beside(model, ".personalq.yaml", json.dumps({k: v for k, v in said.items() if v}))
    host.post("/personalq/rescan", {})
    yield
    shutil.rmtree(folder)
    host.post("/personalq/rescan", {})


def test_models_with_signs_are_used(odd, editor) -> None:
    editor.open_library()
    panel = editor.page.locator(".personalq-library")
    status = editor.page.locator(".personalq-decision").get_by_role("status")
    for name, _, _, before, after in ODD:
        panel.get_by_label("Search all models").fill(name)
        expect(panel.locator(".personalq-label").first).to_have_text(name)
        panel.locator(".personalq-open").first.click()
        editor.bring_into_view(CHECK_IN)
        editor.set_value(CHECK_IN, "request", before)
        use = panel.get_by_role("form").get_by_role("button", name="Use in request")
        use.click()
        editor.wait_for_value(CHECK_IN, "request", after)
        expect(status).to_have_text(re.compile(rf"^You chose {re.escape(name)}\."))
        use.click()  # a second time changes nothing
        editor.page.wait_for_timeout(300)
        assert editor.value(CHECK_IN, "request") == after
        panel.get_by_role("button", name="All models").click()
