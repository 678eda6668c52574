"""Test which rivals are left where a request says the name of one of them word for word."""

from __future__ import annotations

import pytest

from personalq.checkin import Card, Repository
from personalq.checkin.decision.candidates.said_outright import as_names_say
from personalq.checkin.language.intent import Intent


@pytest.mark.parametrize(
    ("request_", "names", "left"),
    [
        ("lena schmidt in a park", ["lena_schmidt_v1", "lena_park_v1"], ["lena_schmidt_v1"]),
        ("lena at a cafe", ["lena_schmidt", "lena_park"], ["lena_schmidt", "lena_park"]),
        ("a highland cow", ["HighlandCow", "highlandcow_xl"], ["HighlandCow", "highlandcow_xl"]),
        ("a cow of the highland", ["highland_cow", "cow_xl"], ["highland_cow", "cow_xl"]),
        ("moss in the rain", ["moss_v2", "moss_beach"], ["moss_v2", "moss_beach"]),
    ],
)
def test_who_lacks_a_name_that_is_said_is_none(
    request_: str, names: list[str], left: list[str]
) -> None:
    cards = [Card(name, path=f"/m/{name}.safetensors", kind="lora") for name in names]
    catalogue = Repository(cards, embedder=None).catalogue()
    positions = [catalogue.position_of[name] for name in names]
    found = as_names_say(positions, catalogue.columns, Intent(request_))
    assert [catalogue.cards[one].name for one in found] == left
