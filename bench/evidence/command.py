"""`personalq bench evidence`: measure tables by name.

They are measured on the miniature world, or on a user's checkpoint.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from . import coupling, methods_table, sensitivity, sensitivity_table, tables, world_trials
from .checkpoint_trials import sources as checkpoint_sources
from .compare import compare
from .drawn import Drawn
from .options import Options, add_arguments, options_of, settings
from .provenance import about
from .resumable_run import ResumableRun
from .summary import MethodRow, rows_of
from .table_result import TableResult
from .trial import Source
from .world_trials import Size

__all__ = ["TABLES", "add_arguments", "keep", "measure", "run"]
RESULTS = Path(__file__).resolve().parents[1] / "results"
TABLES = (
    "sensitivity",
    "methods",
    "shipped",
    "quantizers",
    "coupling",
    "controls",
    "allocation",
    "roundings",
)
BY_NAME = ("shipped", "roundings")
_MAX_PROMPTS = 2
"""Number of prompts of each model whose tokens are quantized one at a time."""


def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Return the requested tables, as data and as text."""
    options = options_of(arguments)
    results = measure(arguments.tables, options)
    if arguments.keep:
        keep(results, options)
    text = "\n".join(one.markdown() for one in results)
    return {one.name: one.as_dict() for one in results}, text


def measure(names: Sequence[str], options: Options) -> list[TableResult]:
    """Return the named tables, in that order; without names, all that can be measured.

    "shipped" has rows of "methods" and "roundings" learns for hours, so they are measured by name
    only.

    Raises ValueError for an unknown table, and for "coupling" on a user's checkpoint.
    """
    unknown = [name for name in names if name not in TABLES]
    if unknown:
        raise ValueError(f"there is no table {', '.join(unknown)}; there are {', '.join(TABLES)}")
    if options.seeds > 1 and "coupling" in names:
        raise ValueError("the table coupling is measured with one seed: leave --seeds out")
    if options.checkpoint and "coupling" in names:
        raise ValueError(
            "the table coupling selects among the models of the miniature world: leave "
            "--checkpoint out"
        )
    left_out = {*BY_NAME, *(["coupling"] if options.checkpoint or options.seeds > 1 else [])}
    chosen = names or [name for name in TABLES if name not in left_out]
    return [_measure(name, options) for name in chosen]


def keep(results: Sequence[TableResult], options: Options, folder: Path = RESULTS) -> list[Path]:
    """Write JSON, Markdown and plot of each table; return the paths of the Markdown files."""
    on = options.checkpoint.file.stem if options.checkpoint else "world"
    parts = [
        on,
        *([] if options.rounding == "nearest" else [options.rounding]),
        *([f"{options.size.calibration}_captions"] if options.captions else []),
        *([f"{options.seeds}_seeds"] if options.seeds > 1 else []),
        *options.bits,
        *(["some"] if options.methods else []),
        *options.roundings,
        *([] if options.base else ["no_base"]),
        *(["quick"] if options.quick else []),
    ]
    written = []
    for one in results:
        name = "_".join(["evidence", one.name, *parts])
        (folder / f"{name}.json").write_text(json.dumps(one.as_dict(), indent=1) + "\n", "utf-8")
        one.plot(folder / f"{name}.png")
        (folder / f"{name}.md").write_text(one.markdown(f"{name}.png"), "utf-8")
        written.append(folder / f"{name}.md")
    return written


def _measure(name: str, options: Options) -> TableResult:
    resumable = ResumableRun(options.out, settings(name, options), about())
    if name == "sensitivity":
        return _sensitivity(resumable, options)
    if name == "coupling":
        return _coupling(resumable, options)
    found = _sources(options)
    if name == "methods" and options.base and not (options.checkpoint or options.quick):
        found += _seeded(options, lambda size: [world_trials.base_source(size)])
    table = tables.TABLES[name](options.quick).at(options.bits, options.methods, options.roundings)
    drawn = Drawn(options.draw / name) if options.draw else None
    compare(resumable, found, table.variants, options.round_, drawn)
    if drawn:
        drawn.sheets([s.name for s in found], [v.name for v in table.variants])
    rows = _rows(resumable, found, table)
    text, plot = methods_table.text(rows), partial(methods_table.plot, rows)
    return TableResult(
        name, table.title, table.note, resumable, [row.as_dict() for row in rows], text, plot
    )


def _sensitivity(resumable: ResumableRun, options: Options) -> TableResult:
    found = _sources(options, rare_word=True)
    prompts = 1 if options.quick else min(_MAX_PROMPTS, options.size.pictures)
    bits = sensitivity.BITS[:2] if options.quick else sensitivity.BITS
    sensitivity.measure(resumable, found, prompts, bits)
    deltas = sensitivity_table.deltas(resumable, [source.name for source in found], prompts, bits)
    note = (
        "Only the conditional prompt's rows of K and V are quantized, each row with a scale of its "
        'own. Of a trigger such as "sks dog" the rare word is the trigger of one token, and the '
        "noun one of the other words."
    )
    shown = sensitivity_table.first_prompts(resumable, [source.name for source in found], bits)
    text, plot = sensitivity_table.text(deltas), partial(sensitivity_table.plot, deltas, shown)
    rows = [delta.as_dict() for delta in deltas]
    return TableResult(
        "sensitivity", "Sensitivity of the text's rows", note, resumable, rows, text, plot
    )


def _coupling(resumable: ResumableRun, options: Options) -> TableResult:
    table = coupling.table(options.quick)
    asked = replace(options.size, pictures=options.size.models * options.size.pictures)
    rows, notes = [], [table.note]
    for selection, selected in coupling.selections(asked).items():
        found = coupling.sources(selection, selected, asked)
        compare(resumable, found, table.variants, options.round_)
        right = coupling.right_share(selected)
        notes.append(
            f"{selection}: the model that was meant for {sum(right)} of {len(right)} requests."
        )
        rows += [row.named(f"{selection}: {row.name}") for row in _rows(resumable, found, table)]
    text, plot = methods_table.text(rows), partial(methods_table.plot, rows)
    return TableResult(
        "coupling",
        table.title,
        " ".join(notes),
        resumable,
        [row.as_dict() for row in rows],
        text,
        plot,
    )


def _rows(resumable: ResumableRun, found: Sequence[Source], table: tables.Table) -> list[MethodRow]:
    names = [variant.name for variant in table.variants]
    return rows_of(resumable, [source.name for source in found], names, table.against)


def _sources(options: Options, rare_word: bool = False) -> list[Source]:
    own = options.checkpoint
    if own:
        return _seeded(options, partial(checkpoint_sources, own))
    return _seeded(options, lambda size: world_trials.personal_sources(size, rare_word))


def _seeded(options: Options, make: Callable[[Size], list[Source]]) -> list[Source]:
    """Return the sources of every seed; those after the first name it."""
    return [
        source if not number else replace(source, name=f"{source.name}, seed {size.seed}")
        for number, size in enumerate(options.sizes)
        for source in make(size)
    ]
