"""Test `personalq bench evidence` on a tiny checkpoint, and the input that it refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from personalq.bench import cli
from personalq.bench.evidence import command, world_trials
from personalq.bench.evidence.checkpoint import Loading
from personalq.bench.evidence.options import QUICK, Checkpoint, Options
from personalq.demo.world import library

from .test_checkpoint import TINY, write


@pytest.fixture(scope="module")
def options(tmp_path_factory) -> Options:
    folder = tmp_path_factory.mktemp("command")
    loading = Loading("sks", "dog", steps=1, side=16, architecture=TINY["sd15"])
    own = Checkpoint(write(folder / "tiny.safetensors", "sd15"), loading)
    return Options(
        replace(QUICK, pictures=1, steps=1, calibration=1),
        True,
        folder / "out.json",
        checkpoint=own,
    )


def test_tables_on_a_checkpoint_are_kept_and_not_measured_again(options, tmp_path: Path):
    first = command.measure(["sensitivity", "quantizers"], options)
    kept = options.out.read_text()
    again = command.measure(["sensitivity", "quantizers"], options)
    assert options.out.read_text() == kept
    assert [one.as_dict() for one in again] == [one.as_dict() for one in first]
    written = command.keep(first, options, tmp_path)
    assert [path.name for path in written] == [
        f"evidence_{n}_tiny_quick.md" for n in ("sensitivity", "quantizers")
    ]
    assert len(list(tmp_path.iterdir())) == 6
    found = json.loads(written[1].with_suffix(".json").read_text())
    assert len(found["rows"]) == 17
    assert found["settings"]["trigger"] == "sks"
    assert set(found["about"]) >= {"machine", "torch", "code"}
    assert "log, trigger kept, per row, W8A4" in written[1].read_text()
    assert "trigger of one token" in written[0].read_text()


def test_tables_with_learned_rounding_have_names_of_their_own(options, tmp_path: Path):
    learned = replace(options, rounding="brecq", iterations=1)
    written = command.keep(command.measure(["quantizers"], learned), learned, tmp_path)
    assert [path.name for path in written] == ["evidence_quantizers_tiny_brecq_quick.md"]
    assert "weights brecq, iterations 1" in written[0].read_text()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nothing"], "there is no table nothing; there are sensitivity, methods"),
        (["coupling", "--checkpoint", "x", "--class", "dog"], "leave --checkpoint out"),
        (["--checkpoint", "x"], "give --class"),
        (["shipped", "--scores", "clip", "--side", "512"], "--side, --scores: for a checkpoint"),
        (
            ["methods", "--checkpoint", "x", "--class", "dog", "--scores", "is"],
            "there is no score 'is'",
        ),
        (
            ["methods", "--checkpoint", "x.safetensors", "--class", "dog"],
            "there is no checkpoint x.safetensors",
        ),
    ],
)
def test_refusals(arguments, complaint, tmp_path, capsys):
    assert cli.main(["evidence", *arguments, "--out", str(tmp_path / "out.json")]) == 1
    assert complaint in capsys.readouterr().err


def test_a_trial_of_the_trained_world():
    """A personal model that comes with the package: its prompt has trigger rows, its latents become
    pictures.
    """
    if not (library.FOLDER / "base_unet.xz").is_file():
        pytest.skip("the miniature world's trained models are not here")
    trial = world_trials.personal_sources(
        replace(QUICK, models=1, pictures=1, steps=2, calibration=1)
    )[0].load()
    encoded = trial.subject.encode([trial.cases[0].prompt])
    assert (encoded.marks > 0).sum() >= 1
    assert trial.subject.decode(trial.subject.noise(trial.cases)).shape == (1, 3, 128, 128)


def test_seeds_add_pictures(options, tmp_path: Path):
    """Two seeds are two pictures of each row, with names of their own where results are kept."""
    twice = replace(options, seeds=2, bits=("W8A4",), out=tmp_path / "out.json")
    measured = command.measure(["quantizers"], twice)
    full, *rows = measured[0].rows
    assert full["name"] == "full precision"
    assert {row["pictures"] for row in rows} == {2}
    assert all("W8A4" in row["name"] for row in rows)
    written = command.keep(measured, twice, tmp_path)
    assert [path.name for path in written] == ["evidence_quantizers_tiny_2_seeds_W8A4_quick.md"]
    with pytest.raises(ValueError, match="leave --seeds out"):
        command.measure(["coupling"], replace(twice, checkpoint=None))


def test_captions_of_calibration():
    """With 64 captions, 44 have the trigger, and the others are of any scene."""
    size = replace(QUICK, models=1, calibration=64, trigger_share=0.7)
    own = world_trials.personal_sources(size)[0].load()
    prompts = [case.prompt for case in own.calibration_cases]
    assert sum(own.subject.trigger in prompt for prompt in prompts) == 44


@pytest.mark.parametrize(("arguments", "last"), [([], "base"), (["--no-base"], "anna")])
def test_the_base_draws_methods_too_unless_it_is_left_out(arguments, last, tmp_path, monkeypatch):
    drawn = []

    def compare(_, sources, *__):
        drawn.extend(source.name for source in sources)
        raise ValueError("that is enough")

    monkeypatch.setattr(command, "compare", compare)
    given = ["methods", "--models", "2", *arguments, "--out", str(tmp_path / "out.json")]
    assert cli.main(["evidence", *given]) == 1
    assert len(drawn) == 2 + (not arguments)
    assert drawn[-1].endswith(last)


def test_what_learns_for_hours_is_measured_by_name_alone(options, monkeypatch):
    monkeypatch.setattr(command, "_measure", lambda name, _: name)
    everything = command.measure([], options)
    assert {"sensitivity", "methods", "quantizers", "controls"} <= set(everything)
    assert not {"roundings", "shipped", "coupling"} & set(everything)
    assert command.measure(["roundings"], options) == ["roundings"]
