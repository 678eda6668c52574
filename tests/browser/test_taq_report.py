"""TAQ Quantize Model shows what it did to each group of layers. In both renderers."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect


def test_a_bar_for_each_of_the_largest_groups(editor):
    editor.set_value("PersonalQCheckIn", "request", "my latest realistic bear on forest grass")
    entry = editor.run()
    report = next(out["personalq"][0]["report"] for out in entry["outputs"].values() if "report" in out["personalq"][0])
    bars = editor.page.locator(".personalq-bar")
    expect(bars).to_have_count(min(6, len(report["groups"])))
    largest = max(report["groups"], key=lambda group: group["bytes_before"])
    first = bars.nth(0)
    expect(first.locator(".personalq-name")).to_have_text(largest["group"])
    assert largest["backends"][0] in first.get_attribute("title")
    before, after = (first.locator(f".personalq-{name}").bounding_box()["width"] for name in ("before", "after"))
    assert after / before == pytest.approx(largest["bytes_after"] / largest["bytes_before"], abs=0.02)
    expect(editor.page.get_by_text(f"{report['precision']['kind']} on cpu")).to_be_visible()
    assert editor.errors == []
