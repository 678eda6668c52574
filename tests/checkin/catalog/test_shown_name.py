"""Test that people read the names of models whole."""

from __future__ import annotations

import pytest

from personalq.checkin.catalog.file_names import read_file_name
from personalq.checkin.catalog.shown_name import shown_name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("char_nieR_sdxl_v2", "char nieR"),
        ("nieR_automata_XL", "nieR automata"),
        ("the_old_house-000010", "the old house"),
        ("my_mt_bike_flux", "my mt bike"),
        ("blackfive_45157_v3_2025-03-29", "blackfive 45157"),
        ("a_cats_toys", "cats toys"),
        ("storybookXL_v2", "storybook"),
        ("pip_xl_terrier", "pip terrier"),
        ("bear_v2_anime", "bear anime"),
        ("carys_age_16", "carys age 16"),
        ("age16_carys", "age16 carys"),
        ("dmd2_8_steps", "dmd 8 steps"),
        ("o'brien_pub", "o'brien pub"),
        ("小雪_v3", "小雪"),
    ],
)
def test_a_name_is_shown_without_version_and_base_model(name, shown):
    assert shown_name(name, read_file_name(name).words) == shown
