"""Test the translations of each node, input and output of a running ComfyUI.

Every language has all of them, and nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

LOCALES = Path(__file__).resolve().parents[1] / "locales"
LANGUAGES = ("de", "en", "es", "fr", "ja", "ko", "zh")
FILES = ("commands", "main", "nodeDefs", "settings")
MESSAGE_SYNTAX = re.compile(r"[{}@|]")
"""What the front end's translator takes for placeholders, links and plurals, and cannot show as it
is.
"""

Node = dict[str, Any]


def load(language: str, name: str = "nodeDefs") -> dict[str, Any]:
    """One file of one language; {} where there is none."""
    file = LOCALES / language / f"{name}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """(path, text) of every text in nested objects."""
    if isinstance(value, str):
        yield path, value
        return
    for key, inner in value.items():
        yield from texts(inner, f"{path}/{key}")


def inputs_of(node: Node) -> dict[str, Any]:
    """Name -> [type, options] of all inputs that a person sees."""
    return node["input"]["required"] | node["input"].get("optional", {})


def expected(node: Node) -> Node:
    """What a locale has to say of a node, in the node's own words."""
    outputs = zip(node["output_name"], node["output_tooltips"], strict=True)
    return {
        "display_name": node["display_name"],
        "description": node["description"],
        "inputs": {
            name: {"name": name, "tooltip": spec[1]["tooltip"]}
            for name, spec in inputs_of(node).items()
        },
        "outputs": {
            str(index): {"name": name, "tooltip": tip} for index, (name, tip) in enumerate(outputs)
        },
    }


@pytest.fixture(scope="module")
def nodes(host) -> dict[str, Node]:
    """Our nodes, as the host describes them."""
    everything = host.get("/object_info")
    return {
        name: node
        for name, node in everything.items()
        if node["python_module"].endswith(".personalq")
    }


def test_these_languages():
    assert sorted(folder.name for folder in LOCALES.iterdir()) == sorted(LANGUAGES)


def test_english_says_what_the_nodes_say(nodes):
    """A node's text that changes must be changed here too, and in the other languages."""
    assert load("en") == {name: expected(node) for name, node in nodes.items()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_id_has_an_entry_and_nothing_is_left_over(nodes, language):
    wanted = {path for path, _ in texts({name: expected(node) for name, node in nodes.items()})}
    assert {path for path, _ in texts(load(language))} == wanted


def test_every_setting_has_a_name_and_a_tooltip():
    script = (LOCALES.parent / "web" / "settings.js").read_text(encoding="utf-8")
    said = load("en", "settings")
    assert set(said) == {f"PersonalQ_{key}" for key in re.findall(r'\bsetting\("(\w+)"', script)}
    assert {tuple(one) for one in said.values()} == {("name", "tooltip")}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_entries(language, name):
    assert {path for path, _ in texts(load(language, name))} == {
        path for path, _ in texts(load("en", name))
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_of_the_tab_have_a_place_for_each_value(language):
    own, english = load(language, "main")["personalqTab"], load("en", "main")["personalqTab"]
    assert {key: text.count("%s") for key, text in own.items()} == {
        key: text.count("%s") for key, text in english.items()
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_are_there_and_can_be_shown(language):
    assert {file.stem for file in (LOCALES / language).glob("*")} <= set(FILES)
    for name in FILES:
        for path, text in texts(load(language, name)):
            assert text, path
            assert text.strip() == text, path
            assert not MESSAGE_SYNTAX.search(text), path


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_tooltips_are_translated_and_name_the_same_choices(nodes, language):
    """Choices are not translated by the host: a tooltip that explains them must name them as they
    stand there.
    """
    english, other = load("en"), load(language)
    for name, node in nodes.items():
        assert other[name]["description"] != english[name]["description"]
        for key, spec in inputs_of(node).items():
            tooltip = other[name]["inputs"][key]["tooltip"]
            assert tooltip != english[name]["inputs"][key]["tooltip"], f"{name}.{key}"
            explained = [
                f"{choice}:" for choice in spec[1].get("options", []) if isinstance(choice, str)
            ]
            for choice in explained:
                if choice in english[name]["inputs"][key]["tooltip"]:
                    assert choice.rstrip(":") in tooltip, f"{name}.{key}: {choice}"


def test_the_host_serves_them(host):
    served = host.get("/i18n")
    for language in LANGUAGES:
        assert served[language]["nodeDefs"]["PersonalQTAQ"] == load(language)["PersonalQTAQ"]
