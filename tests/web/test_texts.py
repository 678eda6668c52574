"""Check that what people read in the front end is in the locales, not in the scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "web"
SCRIPTS = sorted(one for one in WEB.glob("*.js") if one.name != "texts.js")
COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'`\w])//[^\n]*", re.DOTALL)
SETTING = re.compile(r"\bsetting\(\"\w+\"")
"""The id of a setting, whose texts are in settings.json of the locales."""
LITERAL = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|`(?:[^`\\]|\\.)*`")
PLACE = re.compile(r"\$\{[^{}]*\}")
READ = re.compile(r"[A-Za-z']{2,}[ :,.…]+[A-Za-z$]|^.[A-Z][a-z]+(?: |.$)")
"""What people read: several words, or one with a capital letter."""
NO_TEXT = re.compile(
    r"^.(?:PersonalQ[.\w]*|Content-Type|Accept-Language|Comfy[.\w]+|Arrow\w+|Enter|Escape|Tab|"
    r"Home|End|LoRA|Models|Repo Check-in|Sensitivity|Calibrate|Describe|Settings|"
    r"[a-z][\w.-]*(?: [a-z][\w.-]*)?|[./][\w./-]*|\..*|.*, \..*|.*[\[\]{}()=].*)$"
)
"""Names that the host gives, one or two classes, paths, selectors and code."""
USED = re.compile(r"\bsay\(\s*\"(\w+)\"")


def literals(script: Path) -> Iterator[str]:
    """The texts in a script's code, without what stands in their places."""
    code = SETTING.sub("", COMMENT.sub("", script.read_text("utf-8")))
    for found in LITERAL.findall(code):
        yield PLACE.sub("", found)


def is_read(literal: str) -> bool:
    """Whether a text is one for people."""
    return bool(READ.search(literal)) and not NO_TEXT.match(literal[:-1])


@pytest.mark.parametrize(
    "script",
    SCRIPTS,
    ids=lambda script: script.name,
)
def test_texts_for_people_are_in_the_locales(script: Path) -> None:
    found = [one for one in literals(script) if is_read(one)]
    assert not found


@pytest.mark.parametrize(
    "literal", ['"Not run yet."', "`Made with ${made}.`", '"Close"', '"or type an answer"']
)
def test_texts_for_people_would_be_found(literal: str) -> None:
    assert is_read(PLACE.sub("", literal))


def test_every_text_is_there_and_those_of_the_panels_are_used() -> None:
    own = json.loads((ROOT / "locales/en/main.json").read_text("utf-8"))
    panel, tab = own["personalqPanel"], own["personalqTab"]
    assert not panel.keys() & tab.keys()
    scripts = "".join(script.read_text("utf-8") for script in SCRIPTS)
    assert set(USED.findall(scripts)) <= panel.keys() | tab.keys()
    assert [key for key in panel if not re.search(rf"[\"']{key}[\"']", scripts)] == []
