"""The tables end to end on a tiny UNet."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import torch
from PIL import Image

from personalq.bench.baselines import METHODS
from personalq.bench.baselines.method import Bits
from personalq.bench.baselines.taq import TAQ
from personalq.bench.baselines.weights import round_weights
from personalq.bench.evidence import coupling, methods_table, sensitivity, sensitivity_table, tables
from personalq.bench.evidence.agreement import eps_errors
from personalq.bench.evidence.calibration import record
from personalq.bench.evidence.compare import Variant, compare, key, packed, unpacked
from personalq.bench.evidence.drawn import FULL, Drawn
from personalq.bench.evidence.resumable_run import ResumableRun
from personalq.bench.evidence.sampler import FullPrecision, draw
from personalq.bench.evidence.sensitivity import RowQuantized, row_choices
from personalq.bench.evidence.summary import rows_of
from personalq.bench.evidence.trial import Reference, Source
from personalq.demo.world.sample import ddim

VARIANTS = (
    Variant(METHODS["per tensor"], Bits(8, 8)),
    Variant(TAQ(), Bits(4, 4)),
    Variant(TAQ("all", "all", "uniform", True, True), Bits(None, 8)),
)


@pytest.fixture(scope="module")
def run(tmp_path_factory, source) -> ResumableRun:
    made = ResumableRun(tmp_path_factory.mktemp("run") / "out.json", {"seed": 0})
    compare(made, [source], VARIANTS)
    return made


def test_full_precision_samples_as_the_world_does(make_subject, cases):
    subject = make_subject()
    prompts, empty = subject.encode([cases[0].prompt]), subject.encode([""])
    drawn = draw(subject, FullPrecision(subject.unet), prompts, empty, subject.noise(cases[:1]))
    latents = ddim(
        subject.unet,
        subject.noise(cases[:1]),
        prompts.rows,
        empty.rows,
        subject.steps,
        subject.guidance,
    )
    assert torch.allclose(drawn, subject.decode(latents).clamp(0, 1), atol=1e-5)


def test_batches_do_not_change_pictures(make_subject, cases):
    pictures = []
    for batch in (8, 1):
        subject = make_subject(batch=batch)
        prompts = subject.encode([case.prompt for case in cases])
        noise = subject.noise(cases)
        pictures.append(
            draw(subject, FullPrecision(subject.unet), prompts, subject.encode([""]), noise)
        )
    assert torch.allclose(*pictures, atol=1e-4)


def test_without_guidance_only_the_prompt_is_called(make_subject, cases):
    calls = record(make_subject(guidance=1.0), cases[:2]).calls
    assert [len(call.latents) for call in calls] == [2, 2]
    assert all(call.conditional.all() for call in calls)


def test_calibration_holds_both_branches_of_every_step(make_subject, cases):
    calibration = record(make_subject(), cases)
    assert [call.step for call in calibration.calls] == [0, 1]
    call = calibration.calls[0]
    assert call.conditional.tolist() == [True] * 3 + [False] * 3
    assert (call.protected[:3] > 0).sum(1).tolist() == [6, 6, 6]
    assert not (call.protected[3:] > 0).any()


def test_eps_errors_by_hand(make_subject, cases):
    """A model that answers twice full precision's noise in the conditional entries."""
    subject = make_subject()
    calls = record(subject, cases[:1]).calls[:1]

    class Doubled(FullPrecision):
        def eps(self, latents, *rest):
            eps = super().eps(latents, *rest)
            return torch.cat([2 * eps[:1], eps[1:]])

    found = eps_errors(Doubled(subject.unet), calls, 4.0)
    cond, uncond = calls[0].eps
    guided = 4 * cond.norm() / (uncond + 4 * (cond - uncond)).norm()
    assert found["cond"].item() == pytest.approx(1, rel=1e-4)
    assert found["uncond"].item() == pytest.approx(0, abs=1e-5)
    assert found["guided"].item() == pytest.approx(guided.item(), rel=1e-4)
    with pytest.raises(ValueError, match="no recorded call"):
        eps_errors(Doubled(subject.unet), [], 4.0)


def test_more_bits_come_closer_to_full_precision(run):
    eight, four, exact_rows = (
        run.measurements[key("tiny", variant.name)]["figures"] for variant in VARIANTS
    )
    for branch in ("cond", "uncond", "guided"):
        assert sum(eight[f"eps {branch}"]) < sum(four[f"eps {branch}"])
        assert sum(exact_rows[f"eps {branch}"]) < sum(eight[f"eps {branch}"])
    assert set(four) >= {"PSNR", "SSIM", "subject", "trigger"}
    assert len(four["PSNR"]) == 3


def test_rows_have_intervals_and_costs(run):
    rows = {row.name: row for row in rows_of(run, ["tiny"], [variant.name for variant in VARIANTS])}
    full, four = rows[FULL], rows["TAQ, W4A4"]
    assert four.bytes < rows["per tensor, W8A8"].bytes < full.bytes
    assert four.bops < full.bops
    assert four.key_value_bytes < full.key_value_bytes
    assert [four.exact_rows, full.exact_rows, rows["per tensor, W8A8"].exact_rows] == [7, 77, 0]
    assert four.metrics["PSNR"].low <= four.metrics["PSNR"].value <= four.metrics["PSNR"].high
    assert four.metrics["Fréchet"].value > 0
    assert "Fréchet" not in full.metrics
    assert full.metrics["Fréchet, real"].value > 0
    assert full.metrics["Fréchet, real"] != four.metrics["Fréchet, real"]
    assert "PSNR" not in full.metrics


def test_resuming_measures_only_what_is_missing(run, source):
    loads = []

    def load():
        loads.append(1)
        return source.load()

    counted = Source(source.name, load)
    compare(run, [counted], VARIANTS)
    assert not loads
    removed = run.measurements.pop(key("tiny", VARIANTS[1].name))
    compare(run, [counted], VARIANTS)
    assert len(loads) == 1
    again = run.measurements[key("tiny", VARIANTS[1].name)]
    assert again["figures"] == removed["figures"]


def test_markdown_and_plot(run, tmp_path):
    rows = rows_of(run, ["tiny"], [variant.name for variant in VARIANTS])
    text = methods_table.text([*rows, replace(rows[0], name="last")])
    assert text.startswith("|  | PSNR | SSIM |")
    assert len({line.count("|") for line in text.splitlines()}) == 1
    methods_table.plot(rows, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 5000


def test_features_survive_being_kept():
    features = torch.randn(3, 5)
    assert torch.allclose(torch.from_numpy(unpacked(packed(features))).float(), features, atol=2e-3)


def test_what_ships_is_rows_of_the_table_of_methods():
    """So both tables have the same measurements, and no published method is among these."""
    table, whole = tables.shipped(), tables.methods()
    names = [variant.name for variant in table.variants]
    assert set(table.variants) < set(whole.variants)
    assert len(names) == 4 * 5
    assert all(name.startswith(("TAQ", "per row", "per tensor")) for name in names)
    assert table.against["per row, W4A4"] == "TAQ, W4A4"


def test_a_table_at_some_bits():
    table = tables.methods().at(["W8A8", "W4A4"])
    assert len(table.variants) == 2 * len(METHODS)
    assert set(table.against) < {variant.name for variant in table.variants}
    assert tables.methods().at([]) == tables.methods()
    with pytest.raises(ValueError, match="no row of W2A8; it has W8A8, W4A8"):
        tables.methods().at(["W2A8"])


def test_a_table_of_some_methods():
    table = tables.methods().at(["W8A8"], ["DGQ", "MixDQ + DGQ"])
    assert [variant.name for variant in table.variants] == ["DGQ, W8A8", "MixDQ + DGQ, W8A8"]
    assert not table.against  # TAQ is not in it
    with pytest.raises(ValueError, match="no row of dgq; it has per tensor"):
        tables.methods().at([], ["dgq"])


def test_a_row_has_a_rounding_of_its_own(tmp_path, source):
    asked = []

    def round_(unet, bits, calibration, rounding="nearest", text=True):
        asked.append((rounding, text))
        return round_weights(unet, bits, calibration)

    made = ResumableRun(tmp_path / "out.json", {})
    variants = tables.roundings(quick=True).variants
    others = Variant(TAQ(), Bits(8, 8)), Variant(METHODS["per row"], Bits(8, 8))
    compare(made, [source], (*variants, *others), round_)
    names = [name for name, _ in asked]
    assert names == ["nearest", "adaround", "brecq", "nearest", "nearest"]
    assert [text for _, text in asked] == [False] * 4 + [True], "TAQ's keys and values are exact"
    assert {key("tiny", variant.name) for variant in variants} < set(made.measurements)


def test_rows_of_some_roundings():
    table = tables.roundings().at(["W4A8"], rounded=["nearest", "adaround"])
    assert [row.name for row in table.variants] == ["TAQ, W4A8, nearest", "TAQ, W4A8, adaround"]
    assert table.against == {"TAQ, W4A8, adaround": "TAQ, W4A8, nearest"}
    with pytest.raises(ValueError, match="no row of brecq"):
        tables.methods().at(rounded=["brecq"])


def test_what_a_row_is_compared_with():
    assert tables.methods().against["DGQ, W4A8"] == "TAQ, W4A8"
    found = tables.control_grid().against
    assert (
        found["BOS + trigger, per tensor, everything, W8A8"]
        == "nothing, per tensor, everything, W8A8"
    )
    assert (
        found["random rows, per row, attention only, W32A4"]
        == "nothing, per row, attention only, W32A4"
    )
    found = tables.quantizers().against
    assert found["log, trigger kept, per row, W8A4"] == "log, nothing kept, per row, W8A4"


def test_gain_is_of_each_picture(tmp_path):
    """Pictures differ by 10 dB among themselves, and by 1 dB between the rows: the gain has no
    doubt in it.
    """
    cost = {"bytes": 1, "K/V bytes": 1, "bops": 1, "exact rows": 0}
    made = ResumableRun(tmp_path / "out.json", {})
    for name, values in ((FULL, None), ("ours", [21.0, 31.0]), ("theirs", [20.0, 30.0])):
        metrics = {"PSNR": values} if values else {}
        made.measurement(key("model", name), lambda metrics=metrics: {"figures": metrics} | cost)
    rows = {
        row.name: row for row in rows_of(made, ["model"], ["ours", "theirs"], {"ours": "theirs"})
    }
    assert rows["ours"].metrics["PSNR gain"].as_list() == [1, 1, 1]
    assert rows["ours"].metrics["PSNR"].low == 21
    assert "PSNR gain" not in rows["theirs"].metrics


def test_a_single_picture_has_no_frechet_distance(tmp_path, source):
    trial = source.load()
    one = replace(trial, cases=trial.cases[:1], real=lambda: [trial.real()[0][:1]])
    made = ResumableRun(tmp_path / "out.json", {})
    compare(made, [Source("tiny", lambda: one)], VARIANTS[:1])
    for row in rows_of(made, ["tiny"], [VARIANTS[0].name]):
        assert not any(label.startswith("Fréchet") for label in row.metrics)
        assert row.pictures == 1


def test_tables_have_a_name_for_each_row():
    for make in (*tables.TABLES.values(), coupling.table):
        for quick in (True, False):
            table = make(quick)
            names = [variant.name for variant in table.variants]
            assert len(set(names)) == len(names)
            compared, others = set(table.against), set(table.against.values())
            assert compared | others <= set(names)
            assert not compared & others
    assert len(tables.methods().variants) == 4 * len(METHODS)


def test_row_choices_of_a_prompt():
    """BOS, a word, two trigger tokens, the end, padding."""
    marks = torch.tensor([0, 0, 1, 1, -1, -1, -1, -1, -1.0])
    found = [(rows.group, rows.chosen) for rows in row_choices(marks)]
    assert found == [
        ("BOS", (0,)),
        ("other words", (1,)),
        ("trigger", (2,)),
        ("trigger", (3,)),
        ("end token", (4,)),
        ("padding", (5,)),
        ("padding", (6,)),
        ("padding", (7,)),
        ("whole trigger", (2, 3)),
        ("all padding", (5, 6, 7, 8)),
        ("all rows", tuple(range(9))),
    ]


def test_only_the_chosen_rows_are_quantized(make_subject, cases):
    subject = make_subject()
    encoded, seen = subject.encode([cases[0].prompt, ""]), {}
    layer = subject.unet.mid_block.attentions[0].transformer_blocks[0].attn2.to_k
    rows = torch.zeros(1, 77, dtype=torch.bool)
    rows[0, 5] = True
    model = RowQuantized(subject.unet, rows, 2)
    hidden = torch.zeros(2, 4, 4, 4)
    exact = layer(encoded.rows)
    inner = subject.unet.mid_block.attentions[0].transformer_blocks[0].attn2
    original = inner.processor

    def watched(attn, hidden_states, encoder_hidden_states=None, **rest):
        seen["k"] = attn.to_k(encoder_hidden_states)
        return original(attn, hidden_states, encoder_hidden_states, **rest)

    inner.processor = watched
    try:
        model.eps(hidden, torch.tensor(5), encoded.rows, None, 0, encoded.marks)
    finally:
        inner.processor = original
    changed = (seen["k"] != exact).any(-1)
    assert changed.nonzero().tolist() == [[0, 5]]
    assert not layer._forward_hooks


def test_sensitivity_end_to_end(tmp_path, source):
    made = ResumableRun(tmp_path / "out.json", {"seed": 0})
    sensitivity.measure(made, [source], 1, (8, 2))
    sensitivity.measure(
        made, [Source(source.name, lambda: pytest.fail("measured twice"))], 1, (8, 2)
    )
    found = sensitivity_table.deltas(made, ["tiny"], 1, (8, 2))
    by = {(delta.group, delta.bits): delta for delta in found}
    assert ("trigger of several tokens", 2) in by
    assert ("trigger of one token", 2) not in by
    for group in ("BOS", "trigger of several tokens", "other words", "end token", "all rows"):
        assert by[group, 8].eps.value < by[group, 2].eps.value
    assert by["padding", 2].eps.value < by["all padding", 2].eps.value
    assert by["other words", 2].times.as_list() == [1, 1, 1]
    assert by["BOS", 2].times.value == pytest.approx(
        by["BOS", 2].eps.value / by["other words", 2].eps.value
    )
    text = sensitivity_table.text(found)
    assert "| 2 | BOS |" in text
    assert "drop of subject | drop of trigger" in text
    assert set(by["all rows", 2].drops) == {"subject", "trigger"}
    assert all(-1 <= drop.value <= 1 for delta in found for drop in delta.drops.values())
    shown = sensitivity_table.first_prompts(made, ["tiny"], (8, 2))
    assert list(shown) == ["tiny, 8 bits"]
    sensitivity_table.plot(found, shown, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 5000


def test_reference_compares_three_steps_of_every_batch(make_subject, source):
    trial = replace(source.load(), subject=replace(make_subject(batch=2), steps=5))
    reference = Reference(trial)
    found = reference.metrics(FullPrecision(trial.subject.unet), reference.pictures)
    assert found["eps guided"] == pytest.approx([0, 0, 0], abs=1e-6)
    assert found["SSIM"] == pytest.approx([1, 1, 1])
    assert [[call.step for call in calls] for calls in reference._calls.values()] == [
        [0, 2, 4],
        [0, 2, 4],
    ]


def test_drawn_pictures_and_sheets(tmp_path, source):
    """They are drawn again where only the measurement is there; what is there stays."""
    made = ResumableRun(tmp_path / "out.json", {})
    compare(made, [source], VARIANTS[:2])
    drawn = Drawn(tmp_path / "drawn")
    compare(made, [source], VARIANTS[:2], drawn=drawn)
    names = [FULL, *(variant.name for variant in VARIANTS[:2])]
    assert all(drawn.has("tiny", name) for name in names)
    folder = tmp_path / "drawn" / "tiny"
    assert sorted(file.name for file in (folder / FULL).iterdir()) == [
        f"{n:04}.png" for n in range(3)
    ]
    prompts = json.loads((folder / "prompts.json").read_text("utf-8"))
    assert prompts["0001.png"].endswith("on snow")
    unloaded = Source("tiny", lambda: pytest.fail("drawn twice"))
    compare(made, [unloaded], VARIANTS[:2], drawn=drawn)
    sheets = drawn.sheets(["tiny"], names[1:])
    assert [sheet.name for sheet in sheets] == ["sheet_W8A8.png", "sheet_W4A4.png"]
    with Image.open(sheets[0]) as sheet:
        assert sheet.width > 2 * 256
        assert sheet.height > 3 * 256
