"""Test how the page writes and reads the text that Clarify stores."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


@pytest.fixture(scope="module")
def answers(browser, host):
    """Calls a function of web/answers.js."""
    page = browser.new_page()
    page.goto(
        f"{host.url}/system_stats"
    )  # any page of the server: modules load from the same origin

    def call(function: str, *arguments):
        script = (
            "async ([name, args]) => (await "
            "import('/extensions/personalq/answers.js'))[name](...args)"
        )
        return page.evaluate(script, [function, list(arguments)])

    yield call
    page.close()


@pytest.mark.parametrize(
    ("saved", "expected"),
    [
        ("", "for: a bear\ncartoon"),
        ("for: a bear\nnewest", "for: a bear\nnewest\ncartoon"),
        ("for: a  bear \n\n newest ", "for: a bear\nnewest\ncartoon"),
        ("for: a dog\nnewest", "for: a bear\ncartoon"),
        ("newest", "for: a bear\nnewest\ncartoon"),
    ],
    ids=["first answer", "second answer", "edited by hand", "another request", "no request named"],
)
def test_adding_an_answer(answers, saved, expected):
    assert answers("addAnswer", saved, "a bear", "cartoon") == expected


def test_an_answer_is_one_line(answers):
    assert (
        answers("addAnswer", "", "a bear\nin the snow", "the\ncartoon  one")
        == "for: a bear in the snow\nthe cartoon one"
    )


@pytest.mark.parametrize(
    ("text", "request_", "lines"),
    [
        ("for: a bear\ncartoon\nMay", "a bear", ["cartoon", "May"]),
        ("FOR:a bear", "a bear", []),
        ("cartoon", None, ["cartoon"]),
        ("for the cartoon one", None, ["for the cartoon one"]),
    ],
)
def test_reading_a_text(answers, text, request_, lines):
    assert answers("parseAnswers", text) == {"request": request_, "answers": lines}
