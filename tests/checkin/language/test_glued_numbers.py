"""Test numbers of a request that stand in names as one word."""

from __future__ import annotations

from personalq.checkin.language.glued_numbers import glued_numbers

NOWHERE = frozenset[str]().__contains__


def test_numbers_that_are_no_versions_become_one_word() -> None:
    assert glued_numbers("Carys at four years old", NOWHERE) == "Carys at age4"
    assert glued_numbers("haruki, 4 sai", NOWHERE) == "haruki, age4"
    assert glued_numbers("Carys, 4yo, and Nora 12 y", NOWHERE) == "Carys, age4, and Nora 12 y"
    assert glued_numbers("tara 5 yrs old, on a swing", NOWHERE) == "tara age5, on a swing"
    assert glued_numbers("a two-colour print", NOWHERE) == "a 2-colour print"
    assert glued_numbers("a two-colour print", {"2colour"}.__contains__) == "a 2colour print"
    assert glued_numbers("lightning 4 step lora", NOWHERE) == "lightning 4step lora"
    assert glued_numbers("sokje at 1000 steps", NOWHERE) == "sokje at 1000 steps"
