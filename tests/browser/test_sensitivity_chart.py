"""TAQ Sensitivity shows its measurement in the node. In both renderers."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.browser.page import FIND

SMALL = {"text": "<bear-v4>", "bits": "2", "steps": 1, "width": 64, "height": 64}


def test_a_bar_for_each_token(editor):
    editor.set_value("PersonalQCheckIn", "request", "my latest realistic bear on forest grass")
    editor.page.evaluate(
        f"""(values) => {{
            {FIND}
            const [checkIn, sampler] = [find("PersonalQCheckIn"), find("KSampler")];
            const node = LiteGraph.createNode("PersonalQSensitivity");
            node.pos = [checkIn.pos[0], checkIn.pos[1] + 700];
            app.graph.add(node);
            for (const name of ["model", "clip", "vae", "selection"]) {{
                checkIn.connect(checkIn.findOutputSlot(name), node, name);
            }}
            sampler.getInputNode(sampler.findInputSlot("negative")).connect(0, node, "negative");
            for (const widget of node.widgets)
                if (widget.name in values) widget.value = values[widget.name];
            app.graph.remove(find("SaveImage")); // nothing else has to run
            app.canvas.centerOnNode(node);
        }}""",
        SMALL,
    )
    entry = editor.run()
    said = next(
        out["personalq"][0]
        for out in entry["outputs"].values()
        if "tokens" in out.get("personalq", [{}])[0]
    )
    table = editor.page.get_by_role("table", name="Error of the picture")
    rows = table.get_by_role("row")
    expect(rows).to_have_count(len(said["tokens"]))
    largest = max(token["error"] for token in said["tokens"])
    for row, token in zip(rows.all(), said["tokens"], strict=True):
        expect(row.locator(".personalq-name")).to_have_text(token["label"])
        assert float(row.get_by_role("cell").last.inner_text()) == pytest.approx(
            token["error"], rel=0.06
        )
        bar = row.locator(".personalq-marked" if token["trigger"] else ".personalq-after")
        width = bar.evaluate(
            "(bar) => bar.getBoundingClientRect().width / "
            "bar.parentElement.getBoundingClientRect().width"
        )
        assert width == pytest.approx(token["error"] / largest, abs=0.02)
    expect(table.get_by_role("row").filter(has_text="trigger").first).to_be_visible()
    editor.page.wait_for_timeout(1000)  # the page saves its draft half a second after a change
    editor.reload()
    expect(rows).to_have_count(len(said["tokens"]))
