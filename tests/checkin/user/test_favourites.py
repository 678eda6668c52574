"""Test the file with the user's favourite models."""

from __future__ import annotations

from pathlib import Path

import pytest

from personalq.checkin.user.favourites import FILE, favourites, mark, unmark


def test_models_are_marked_once_and_unmarked_by_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    assert favourites(folder) == frozenset()
    mark(folder, "bear")
    mark(folder, "dog")
    mark(folder, "a" * 64, {"bear"})  # its hash is known now
    assert favourites(folder) == {"dog", "a" * 64}
    unmark(folder, "a" * 64, {"bear"})
    unmark(folder, "dog")
    assert favourites(folder) == frozenset()


def test_comments_of_the_owner_stay(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("# mine\nfavourites: [bear]\n")
    mark(tmp_path, "dog")
    assert (tmp_path / FILE).read_text().startswith("# mine\n")
    assert favourites(tmp_path) == {"bear", "dog"}


def test_a_broken_file_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("favourites: bear\n")
    with pytest.raises(ValueError, match=FILE):
        mark(tmp_path, "dog")
    assert (tmp_path / FILE).read_text() == "favourites: bear\n"
