"""Test requests that list several people."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from personalq.bench.libraries.files import write
from personalq.checkin import Repository, check_in
from personalq.tests.checkin.own_loras import own

NOW = datetime(2026, 9, 20, 19, tzinfo=UTC)
PEOPLE = ("beth", "zosia", "adam", "poppy", "trevor", "maureen")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("models")
    for day, name in enumerate(PEOPLE):
        own(folder, f"{name}_xl", day, f"{name[::-1]} woman")
    own(folder, "railposter_xl", 20, "rlpster poster style")
    own(folder, "lantern_xl", 20, "lntrn lantern")
    return Repository.open(folder, embedder=None)


@pytest.mark.parametrize(
    ("request_text", "names", "left"),
    [
        ("the family at the sea: Beth, Zosia, Adam and Poppy with ice creams", PEOPLE[:4], ""),
        ("beth, zosia and adam by the sea in my railposter look", (*PEOPLE[:3], "railposter"), ""),
        (", ".join(PEOPLE) + " at the party", PEOPLE[:5], "maureen_xl"),
        ("beth, zosia and adam by the sea with my lantern", PEOPLE[:3], "lantern_xl"),
        ("beth, zosia and adam in front of the lantern", PEOPLE[:3], "lantern_xl"),
        (
            "beth telling zosia about the lantern, as a railposter",
            ("beth", "zosia", "railposter"),
            "lantern_xl",
        ),
    ],
)
def test_a_list_of_people_may_be_longer_than_three(repository, request_text, names, left) -> None:
    decision = check_in(request_text, repository, now=NOW)
    assert [card.name for card in decision.cards] == [f"{name}_xl" for name in names]
    said = [notice for notice in decision.notices if notice.startswith("Left out")]
    assert [one.split(". ")[0] for one in said] == ([f"Left out: {left}"] if left else [])


def test_a_bare_name_that_is_joined_with_one_is_a_model(tmp_path) -> None:
    """Also where it is an English word, and the likeliest models are for several base models."""
    made = [
        ("graham_beard_v1", "sdxl", "2024-11-02", "gr4ham man"),
        ("graham-flux", "flux", "2026-02-11", "gr4ham"),
        ("biscuit_dog_v1", "sdxl", "2024-12-20", "b1scuit dog"),
        ("biscuit_dog_v2", "sdxl", "2025-05-20", "b1scuit dog"),
        ("biscuit_step2000", "zimage", "2026-09-01", "b1scuit"),
    ]
    lines = [
        {
            "path": f"loras/{name}.safetensors",
            "kind": "lora",
            "base": base,
            "mtime": f"{day}T10:00:00+00:00",
            "header": {
                "ss_network_module": "networks.lora",
                "ss_training_started_at": "1750000000",
                "ss_dataset_dirs": {f"10_{words}": {"n_repeats": 10, "img_count": 30}},
                "ss_tag_frequency": {f"10_{words}": {words: 30 if " " in words else 5}},
            },
            "sidecars": [],
            "broken": None,
            "same_bytes_as": None,
        }
        for name, base, day, words in made
    ]
    write(lines, tmp_path)
    library = Repository.open(tmp_path, embedder=None)
    for request_text, names in (
        ("graham and biscuit", ["graham_beard_v1", "biscuit_dog_v2"]),
        ("biscuit and graham on the beach", ["biscuit_dog_v2", "graham_beard_v1"]),
    ):
        decision = check_in(request_text, library, now=NOW)
        assert [card.name for card in decision.cards] == names, request_text
