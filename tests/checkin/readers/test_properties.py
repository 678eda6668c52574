"""Test properties of any text from strangers: no crash, and nothing unsafe is stored."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personalq.checkin.lexicon.base_models import family, known_family
from personalq.checkin.readers import READERS
from personalq.checkin.readers.fields import FIELDS, clean
from personalq.checkin.readers.file_name import stem_of, version_in
from personalq.checkin.readers.header import Header
from personalq.checkin.readers.markup import text_of
from personalq.checkin.readers.merge import merge
from personalq.checkin.readers.model_file import ModelFile
from personalq.checkin.readers.modelspec import trigger_in
from personalq.tests.checkin import make_files as make

RUNS = settings(max_examples=200, deadline=None)
TEXT = st.one_of(
    st.text(max_size=200),
    st.sampled_from("<p>|<!--|&#0;|![a](|---\n|v1.2|-000010|<lora:x:1>".split("|")),
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXT, inner, max_size=4)),
    max_leaves=12,
)
KEYS = sorted(
    {
        *make.KOHYA,
        *make.MODELSPEC,
        *make.ONETRAINER,
        *make.AI_TOOLKIT,
        *make.ADDITIONAL_NETWORKS,
        "ss_datasets",
    }
)
HEADERS = st.dictionaries(
    st.sampled_from(KEYS), st.one_of(TEXT, st.from_type(str), JSON.map(str)), max_size=12
)
IN_HEADER = [reader for reader in READERS if not reader.endings]


@RUNS
@given(TEXT)
def test_texts(text: str) -> None:
    words = text_of(text)
    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co") for char in words)
    assert stem_of(text) == stem_of(text).casefold()
    for found in (version_in(text), trigger_in(text), known_family(text)):
        assert found is None or found
    name = family(text)
    assert name is None or family(name) == name


@RUNS
@given(st.sampled_from(sorted(FIELDS)), JSON)
def test_clean_gives_a_card_s_value_or_says_why_not(name: str, value: Any) -> None:
    try:
        cleaned = clean(name, value, lambda said: None)
    except ValueError as error:
        assert str(error).startswith(f"{name}: ")  # noqa: PT017 - most values are no error
        return
    assert cleaned is None or clean(name, cleaned, pytest.fail) == cleaned, (
        "cleaning twice changes nothing"
    )


@RUNS
@given(HEADERS)
def test_any_header(metadata: dict[str, str]) -> None:
    model = ModelFile(Path("/m/bear_v3.safetensors"), Header(metadata, {}), modified=1.7e9)
    found = {}
    for reader in IN_HEADER:
        try:
            found[reader.name] = reader.read(model, lambda said: None)
        except ValueError:
            continue
    values = merge(found, lambda reader, said: None).values
    assert values["version"] == "3"
    assert values["created_at"]
    assert not any(
        "<lora" in trigger or len(trigger) > 120 for trigger in values.get("triggers", ())
    )
