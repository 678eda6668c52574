"""Test the noun phrases of a request, and the part that each plays."""

from __future__ import annotations

import pytest

from personalq.checkin.catalog.vocabulary import Vocabulary
from personalq.checkin.language.parse import parse
from personalq.checkin.language.segments import segments_of
from personalq.tests.checkin.world import NOW, cards


@pytest.mark.parametrize(
    ("request_", "parts"),
    [
        ("my dog, the watercolour one, in the rain", ["head: dog watercolour", "second: rain"]),
        ("my dog (the watercolour one) in the rain", ["head: dog watercolour", "second: rain"]),
        ("my dog, that watercolour look", ["head: dog", "second: watercolour"]),
    ],
)
def test_what_tells_which_one_is_meant_is_of_the_head(request_, parts) -> None:
    found = segments_of(parse(request_, Vocabulary(cards()), NOW).mentions)
    said = [f"{one.part}: {' '.join(word.words for word in one.words)}" for one in found]
    assert said == parts
