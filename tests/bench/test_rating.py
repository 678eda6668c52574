"""Pairs of pictures, the page on which people rate them, and the table of their answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from personalq.bench import cli
from personalq.bench.rating.answers import read, report, summarize
from personalq.bench.rating.pairs import Pair, digest, pairs_in
from personalq.tests.browser.conftest import browser  # noqa: F401

COLOURS = {"full precision": (0, 128, 0), "TAQ, W8A8": (128, 0, 0), "TAQ, W4A4": (0, 0, 128)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six prompts in full precision and in two other ways, one of which has five."""
    for name, colour in COLOURS.items():
        (tmp_path / name).mkdir()
        for n in range(5 if name == "TAQ, W4A4" else 6):
            Image.new("RGB", (8, 8), colour).save(tmp_path / name / f"{n:04}.png")
    prompts = {f"{n:04}.png": f"a sks dog </script> {n}" for n in range(6)}
    (tmp_path / "prompts.json").write_text(json.dumps(prompts), "utf-8")
    return tmp_path


def test_pairs_are_in_random_order_and_sides(folder):
    pairs = pairs_in(folder)
    assert len(pairs) == 11
    assert {pair.full_is for pair in pairs} == {"left", "right"}
    assert [pair.variant for pair in pairs] != sorted(pair.variant for pair in pairs)
    assert all(pair.prompt == f"a sks dog </script> {int(pair.file[:4])}" for pair in pairs)
    assert pairs == pairs_in(folder)
    assert pairs != pairs_in(folder, seed=1)
    assert {pair.variant for pair in pairs_in(folder, ["TAQ, W4A4"])} == {"TAQ, W4A4"}
    assert len(pairs_in(folder, count=4)) == 4


def test_folders_that_have_no_pairs(folder, tmp_path_factory):
    empty = tmp_path_factory.mktemp("empty")
    with pytest.raises(ValueError, match="has no folder 'full precision'"):
        pairs_in(empty)
    (empty / "full precision").mkdir()
    with pytest.raises(ValueError, match="no two pictures of the same name"):
        pairs_in(empty)
    with pytest.raises(ValueError, match="has no folder 'x'; it has TAQ, W4A4, TAQ, W8A8"):
        pairs_in(folder, ["x"])


PAIRS = [
    Pair("001", "", "A", "0.png", "left"),
    Pair("002", "", "A", "1.png", "right"),
    Pair("003", "", "B", "0.png", "left"),
]


def answer(pair: str, asked: str, full: str) -> dict[str, str]:
    return {"pair": pair, "asked": asked, "full": full}


def test_answers_by_hand():
    raters = [
        [answer("001", "left", "left"), answer("002", "left", "left")],
        [answer("001", "same", "unsure"), answer("003", "right", "unsure")],
    ]
    found = summarize(PAIRS, raters)
    assert (found["raters"], found["pairs"]) == (2, 3)
    assert found["rows"]["A"] == {
        "ratings": 3,
        "asked": {"quantized": 1, "full precision": 1, "same": 1},
        "told": 2,
        "found": 1,
    }
    assert found["rows"]["B"]["asked"] == {"quantized": 1, "full precision": 0, "same": 0}
    text = report(found)
    assert "33% (6% to 79%)" in text
    assert "50% (9% to 91%)" in text
    assert "nobody could tell" in text


def test_answers_of_other_pairs_are_refused(tmp_path):
    file = tmp_path / "answers.json"
    file.write_text(json.dumps({"page": "other", "answers": []}))
    with pytest.raises(ValueError, match=r"is of another page \(other\)"):
        read(file, PAIRS)
    file.write_text(json.dumps({"page": digest(PAIRS), "answers": []}))
    assert read(file, PAIRS) == []
    file.write_text("[]")
    with pytest.raises(ValueError, match="no file of answers"):
        read(file, PAIRS)


def test_the_page_does_not_say_which_is_which(folder, capsys):
    assert cli.main(["rate", str(folder), "--pairs", "6"]) == 0
    assert "6 pairs. Send it to raters" in capsys.readouterr().out
    text = (folder / "rate.html").read_text("utf-8")
    assert "W8A8" not in text
    assert "full_is" not in text
    assert text.count("</script>") == 2  # a prompt cannot end the page's own
    assert len(json.loads((folder / "key.json").read_text("utf-8"))) == 6


def test_answers_need_the_key(folder, capsys):
    assert cli.main(["rate", str(folder), "--answers", str(folder / "x.json")]) == 1
    assert "make the page first" in capsys.readouterr().err


def test_a_person_rates_every_pair(folder, browser, capsys):  # noqa: F811
    """By keyboard, with a look back and a reload; the table counts what was answered."""
    cli.main(["rate", str(folder), "--pairs", "3", "--variants", "TAQ, W8A8"])
    key = {one["id"]: one for one in json.loads((folder / "key.json").read_text("utf-8"))}
    page = browser.new_context(accept_downloads=True).new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((folder / "rate.html").as_uri())
    for number in range(1, 4):
        full = key[f"{number:03}"]["full_is"]
        assert page.locator("#place").inner_text() == f"Pair {number} of 3"
        assert "a sks dog </script>" in page.locator("#prompt").inner_text()
        assert page.get_by_alt_text("The left picture").evaluate("it => it.naturalWidth") == 8
        assert page.get_by_role("button", name="Next").is_disabled()
        group = page.get_by_role("group", name="Which is more what was asked for?")
        group.get_by_label("Left", exact=True).focus()
        page.keyboard.press("Space")
        other = page.get_by_role("group", name="Which one did the full-precision model draw?")
        other.get_by_label(full.capitalize(), exact=True).check()
        if number < 3:
            page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Back").click()
    assert page.get_by_label("Left", exact=True).first.is_checked()
    page.reload()
    assert page.locator("#place").inner_text() == "Pair 3 of 3"
    page.evaluate("localStorage.clear()")  # as Chromium shows it now and then after a reload
    page.reload()
    assert page.locator("#place").inner_text() == "Pair 3 of 3"
    with page.expect_download() as download:
        page.get_by_role("button", name="Save my answers").click()
    saved = folder / "answers.json"
    download.value.save_as(saved)
    page.context.close()
    assert not errors
    capsys.readouterr()
    assert cli.main(["rate", str(folder), "--answers", str(saved), "--json"]) == 0
    row = json.loads(capsys.readouterr().out)["rows"]["TAQ, W8A8"]
    left = sum(one["full_is"] == "left" for one in key.values())
    assert row == {
        "ratings": 3,
        "asked": {"quantized": 3 - left, "full precision": left, "same": 0},
        "told": 3,
        "found": 3,
    }
