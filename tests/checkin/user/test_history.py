"""Test the history of choices: it is stored, bounded, erasable and private."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path

import pytest

from personalq.checkin.user.context import load_context, open_history
from personalq.checkin.user.history import MAX_USES, History, Use
from personalq.cli.main import main
from personalq.tests.checkin.world import NOW, cards


def test_uses_are_kept_in_order(tmp_path: Path):
    history = History(tmp_path / "deep" / "history.jsonl")
    assert history.uses() == ()
    uses = [Use(NOW + timedelta(minutes=n), f"m{n}", "W4A8" if n else None) for n in range(3)]
    for use in uses:
        history.add(use)
    assert History(history.path).uses() == tuple(uses)


def test_only_the_newest_stay(tmp_path: Path):
    history = History(tmp_path / "history.jsonl")
    lines = [
        json.dumps({"when": NOW.isoformat(), "model": f"m{n}", "preset": None})
        for n in range(MAX_USES + 50)
    ]
    history.path.write_text("\n".join(lines))
    history.add(Use(NOW, "last"))
    assert len(history.uses()) == MAX_USES
    assert history.uses()[-1].model == "last"


def test_lines_that_are_no_uses_are_skipped(tmp_path: Path):
    history = History(tmp_path / "history.jsonl")
    history.path.write_text(
        '{"when": "soon"}\nnonsense\n[1]\n{"when": "2025-01-01T00:00", "model": "no zone"}\n'
    )
    assert history.uses() == ()
    history.add(Use(NOW, "m"))
    assert [use.model for use in history.uses()] == ["m"]


def test_it_can_be_turned_off(tmp_path: Path):
    (tmp_path / "settings.yaml").write_text("history: off\n")
    assert open_history(tmp_path) is None
    assert load_context(tmp_path).history == ()


def test_a_setting_that_is_none_is_refused(tmp_path: Path):
    (tmp_path / "settings.yaml").write_text("prefer: luxury\n")
    with pytest.raises(ValueError, match="prefer is 'luxury'; it is speed, balanced, quality"):
        load_context(tmp_path)


def test_asking_records_the_model_and_not_the_request(tmp_path: Path, capsys):
    lines = tmp_path / "cards.jsonl"
    lines.write_text("\n".join(json.dumps(card.as_dict()) for card in cards()))
    arguments = ["--settings", str(tmp_path / "mine")]
    assert (
        main(
            [
                "ask",
                "my very secret latest cat",
                "--cards",
                str(lines),
                "--now",
                NOW.isoformat(),
                *arguments,
            ]
        )
        == 0
    )
    written = (tmp_path / "mine" / "history.jsonl").read_text()
    assert "cat-anime-3" in written
    assert "secret" not in written
    capsys.readouterr()
    assert main(["history", "--json", *arguments]) == 0
    assert [use["model"] for use in json.loads(capsys.readouterr().out)["uses"]] == ["cat-anime-3"]
    assert main(["history", "--erase", *arguments]) == 0
    assert "1 uses forgotten" in capsys.readouterr().out
    assert not (tmp_path / "mine" / "history.jsonl").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps a file's rights elsewhere")
def test_nobody_else_can_read_it(tmp_path):
    history = History(tmp_path / "deep" / "history.jsonl")
    for _ in range(2):
        history.add(Use(NOW, "bear"))
        assert history.path.stat().st_mode & 0o777 == 0o600
