"""Test the README: it is short, its requests give what it says, and links work."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from personalq.checkin import Repository, check_in

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    *sorted(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")),
)
MAX_WORDS = 900
RECORDED = "docs/personalq.webp"
"""Recorded from a real canvas, and not needed by any test."""
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
REQUESTS = re.findall(
    r"^\| (.+?) \| (.+?) \|$",
    README.partition("## Ten requests")[2].partition("\n## ")[0],
    re.MULTILINE,
)[1:]


@pytest.fixture(scope="module")
def repository(demo_repository: Path) -> Repository:
    return Repository.open(
        demo_repository / "checkpoints", demo_repository / "loras", embedder=None
    )


def test_it_is_short() -> None:
    assert len(README.split()) <= MAX_WORDS


def test_it_shows_ten_requests() -> None:
    assert len(REQUESTS) == 10


@pytest.mark.parametrize(("request_text", "said"), REQUESTS)
def test_a_request_gives_what_the_readme_says(
    repository: Repository, request_text: str, said: str
) -> None:
    decision = check_in(request_text.strip("`"), repository, now=NOW)
    if decision.card:
        named = re.findall("`(.+?)`", said)
        assert decision.card.name == named[0]
        assert named[1:] in ([], [decision.prompt])
        notices = " ".join(decision.notices)
        assert all(word in notices for word in re.findall('"(.+?)"', said))
    elif decision.question:
        asked = re.fullmatch(r"it asks: (\w+) or (\w+)(?: 2026)?\?", said)
        assert asked
        assert {choice.label.split()[0] for choice in decision.question.choices[:2]} == set(
            asked.groups()
        )
    else:
        assert said.startswith("nothing;")


def test_every_rule_that_the_code_cites_is_written_down() -> None:
    code = " ".join(path.read_text(encoding="utf-8") for path in (ROOT / "checkin").rglob("*.py"))
    cited = {
        int(number)
        for text in re.findall(r"\brules? ([\d, to]+)", code)
        for number in re.findall(r"\d+", text)
    }
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    written = {int(number) for number in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)}
    assert {1, 8, 10} <= cited <= written


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_file(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = [link for link in LINK.findall(text) if not link.startswith("https://")]
    missing = [target for target in targets if not (ROOT / page).parent.joinpath(target).exists()]
    assert [
        target for target in missing if (Path(page).parent / target).as_posix() != RECORDED
    ] == []
