"""TAQ Quantize Model shows what it did to each group of layers. In both renderers."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

SHOWN = 5


def quantize(editor) -> dict:
    """Runs a request that quantizes; returns what TAQ Quantize Model said."""
    editor.set_value("PersonalQCheckIn", "request", "my latest realistic bear on forest grass")
    entry = editor.run()
    return next(
        out["personalq"][0]
        for out in entry["outputs"].values()
        if "report" in out.get("personalq", [{}])[0]
    )


def test_a_bar_for_each_of_the_largest_groups(editor):
    report = quantize(editor)["report"]
    table = editor.page.get_by_role("table", name="Size in fp16 → now")
    rows = table.locator(".personalq-bar")
    expect(rows).to_have_count(1 + min(SHOWN, len(report["groups"])))
    groups = sorted(report["groups"], key=lambda group: -group["bytes_before"])[:SHOWN]
    for row, total in zip(rows.all(), [report, *groups], strict=True):
        before, after = (
            row.locator(f".personalq-{name}").bounding_box()["width"]
            for name in ("before", "after")
        )
        assert after / before == pytest.approx(
            total["bytes_after"] / total["bytes_before"], abs=0.02
        )
    largest = table.get_by_role("row").nth(1)
    expect(largest.get_by_role("rowheader")).to_contain_text(groups[0]["group"])
    expect(largest.get_by_role("rowheader")).to_contain_text(groups[0]["backends"][0])
    expect(largest.get_by_role("cell").last).to_have_text(
        " → ".join(figure(groups[0][side]) for side in ("bytes_before", "bytes_after"))
    )


def figure(size: int) -> str:
    """Bytes as the page writes them."""
    unit, of = ("kB", 1e3) if size < 1e6 else ("MB", 1e6)
    return f"{size / of:.1f}".removesuffix(".0") + f" {unit}"


def test_it_says_what_computes_and_how_long_it_took(editor):
    said = quantize(editor)
    line = editor.page.locator(".personalq-precision")
    expect(line).to_contain_text(
        f"{said['report']['precision']['kind']} on cpu: {said['report']['precision']['why']}"
    )
    expect(line).to_contain_text(f"in {said['report']['seconds']:.1f} s")
    editor.bring_into_view("PersonalQTAQ")  # the bars made the node taller than the page
    editor.page.locator(".personalq-more summary").click()
    for note in said["notes"]:
        expect(editor.page.get_by_text(note)).to_be_visible()
    more = editor.page.locator(".personalq-more .personalq-bar")
    expect(more).to_have_count(max(0, len(said["report"]["groups"]) - SHOWN))


def test_a_reload_keeps_the_report(editor):
    why = quantize(editor)["why"]
    bars = editor.page.locator(".personalq-precision")
    expect(bars).to_be_visible()
    before = editor.page.locator(".personalq-why-text").filter(has_text=why).inner_text()
    editor.page.wait_for_timeout(1000)  # the page saves its draft half a second after a change
    editor.reload()
    expect(bars).to_be_visible()
    assert editor.page.locator(".personalq-why-text").filter(has_text=why).inner_text() == before
