"""Test opening a repository from folders, a cards.jsonl, or both.

Also what is left out, and what is refused.
"""

from __future__ import annotations

import json
import ntpath
import os
import posixpath
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from personalq.checkin.catalog.cards import Card
from personalq.checkin.index.build_index import _ids
from personalq.checkin.index.folders import Listed
from personalq.checkin.index.repository import EmptyRepository, Repository, RepositoryError
from personalq.checkin.index.store import StoredModel
from personalq.checkin.readers import header
from personalq.tests.checkin import make_files as make


def opened(*folders: Path, **kwargs: Any) -> Repository:
    return Repository.open(*folders, embedder=None, **kwargs)


def lines(path: Path, *cards: dict[str, Any] | str) -> Path:
    path.write_text(
        "\n".join(card if isinstance(card, str) else json.dumps(card) for card in cards)
    )
    return path


def test_same_name_in_two_folders_is_two_cards(tmp_path: Path) -> None:
    for place in ("a", "b", "c/a"):
        make.make_lora(tmp_path / place / "Bear v4.safetensors")
    make.make_lora(tmp_path / "a-bear-v4.safetensors")
    ids = [card.id for card in opened(tmp_path).cards]
    assert ids[0] == "a-bear-v4"
    assert {"b-bear-v4", "c-a-bear-v4"} < set(ids)
    assert len(set(ids)) == 4
    assert ids == [card.id for card in opened(tmp_path).cards]


def test_two_folders_and_a_folder_within_another(tmp_path: Path) -> None:
    make.make_lora(tmp_path / "one" / "bear.safetensors")
    make.make_lora(tmp_path / "two" / "bear.safetensors")
    assert len(opened(tmp_path / "one", tmp_path / "two").cards) == 2
    assert len(opened(tmp_path, tmp_path / "one").cards) == 2


def test_names_differing_in_case_are_all_kept(tmp_path: Path) -> None:
    make.make_lora(tmp_path / "bear.safetensors")
    make.make_lora(tmp_path / "Bear.safetensors", "sdxl")
    if len(list(tmp_path.iterdir())) < 2:
        pytest.skip("this disk does not tell the cases of a name apart")
    assert {card.base_model for card in opened(tmp_path).cards} == {"sd15", "sdxl"}


def test_links_are_followed_and_loops_end(tmp_path: Path) -> None:
    make.make_lora(tmp_path / "library" / "bear.safetensors")
    models = tmp_path / "models"
    models.mkdir()
    try:
        (models / "linked").symlink_to(tmp_path / "library")
    except OSError:
        pytest.skip("this account may not make symbolic links")
    (tmp_path / "library" / "loop").symlink_to(tmp_path / "library")
    (models / "file.safetensors").symlink_to(tmp_path / "library" / "bear.safetensors")
    (models / "gone.safetensors").symlink_to(tmp_path / "nowhere")
    repository = opened(models)
    assert {card.id for card in repository.cards} == {"file", "linked-bear"}
    assert repository.notices == ("gone.safetensors: a link to a file that is not there",)


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    make.make_lora(tmp_path / "bear.safetensors")
    make.make_vae(tmp_path / "sub" / "vae.safetensors")
    cut = make.make_lora(tmp_path / "sub" / "cut.safetensors")
    cut.write_bytes(cut.read_bytes()[:-10])
    (tmp_path / "evil.ckpt").write_bytes(b"cos\nsystem\n(S'touch evil'\ntR.")
    (tmp_path / "evil.PT").write_bytes(b"")
    (tmp_path / "lost.personalq.yaml").write_text("version: 1")
    repository = opened(tmp_path)
    said = dict(notice.split(": ", 1) for notice in repository.notices)
    assert [card.id for card in repository.cards] == ["bear"]
    assert len(said) == 5
    assert said["evil.ckpt"] == said["evil.PT"]
    assert (
        said["evil.ckpt"]
        == "left out: a pickle, never opened because it can run code; convert it to safetensors"
    )
    assert "left out: truncated" in said["sub/cut.safetensors"]
    assert "left out: neither checkpoint nor LoRA" in said["sub/vae.safetensors"]
    assert (
        said["lost.personalq.yaml"] == "the model that it describes (lost.safetensors) is not there"
    )


def test_kind_can_be_said_where_the_file_does_not_show_it(tmp_path: Path) -> None:
    make.beside(make.make_vae(tmp_path / "odd.safetensors"), ".personalq.yaml", "kind: checkpoint")
    assert opened(tmp_path).cards[0].kind == "checkpoint"


def test_cards_alone(tmp_path: Path) -> None:
    cards = lines(
        tmp_path / "cards.jsonl",
        {
            "id": "bear-v4",
            "name": "ignored",
            "anything": {"else": 1},
            "triggers": "<bear-v4>",
            "subjects": ["bear", "teddy bear"],
            "styles": "sketch",
            "description": "A plush bear",
            "created_at": "2025-04-11T09:30:00+02:00",
            "base_model": "SD 1.5",
            "lineage": None,
        },
        "",
        '{"id": "bear-v1.10", "version": 1.10, "path": "models/gone.safetensors", "previews": '
        '["p.png"]}',
    )
    repository = opened(cards=cards)
    bear, other = repository.cards
    assert bear.triggers == ("<bear-v4>",)
    assert bear.styles == ("sketch",)
    assert bear.base_model == "sd15"
    assert bear.created_at == datetime.fromisoformat("2025-04-11T09:30:00+02:00")
    assert bear.sources["styles"] == "cards.jsonl"
    assert bear.kind == "checkpoint"
    assert other.version == "1.10"
    assert other.path == str(tmp_path / "models" / "gone.safetensors")
    assert other.previews == (str(tmp_path / "p.png"),)
    assert "1 of 2 cards name a file that is not there" in repository.notices[0]
    assert repository.get("bear-v4") == bear


def test_cards_go_before_what_the_files_say(tmp_path: Path) -> None:
    for name in ("bear", "dog"):
        make.beside(
            make.make_lora(tmp_path / "models" / f"{name}.safetensors"), ".json", make.A1111
        )
    cards = lines(
        tmp_path / "cards.jsonl",
        {"id": "mine", "path": "models/bear.safetensors", "triggers": ["<mine>"]},
    )
    mine, dog = opened(tmp_path / "models", cards=cards).cards
    assert (mine.id, mine.kind, mine.triggers, mine.strength) == ("mine", "lora", ("<mine>",), 0.7)
    assert mine.sources["triggers"] == "cards.jsonl"
    assert mine.sources["strength"] == "a1111"
    assert (dog.id, dog.triggers) == ("dog", ("sks bear", "plush"))
    assert opened(cards=cards).cards == (mine,), "a file that only the line names is read too"


def test_version_of_cards_alone(tmp_path: Path) -> None:
    one = opened(cards=lines(tmp_path / "cards.jsonl", {"id": "bear", "version": "1"}))
    same = opened(cards=lines(tmp_path / "cards.jsonl", '{"id":   "bear", "version": 1}'))
    other = opened(cards=lines(tmp_path / "cards.jsonl", {"id": "bear", "version": "2"}))
    assert one.version == same.version != other.version


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "{broken",
            r"cards.jsonl line 2: .*; expected one JSON object per line with an id, like \{",
        ),
        ("[1]", "cards.jsonl line 2: expected one JSON object"),
        (
            '{"triggers": ["<bear>"]}',
            "cards.jsonl line 2: expected one JSON object per line with an id",
        ),
        ('{"id": null}', "cards.jsonl line 2: expected one JSON object per line with an id"),
        ('{"id": "ok"}', "cards.jsonl line 2: id 'ok' is already in line 1"),
        (
            '{"id": "b", "created_at": "April"}',
            "line 2: created_at: 'April' is no date: expected a date like",
        ),
        (
            '{"id": "b", "subjects": {"a": 1}}',
            "line 2: subjects: expected a text or a list of texts",
        ),
        ('{"id": "b", "description": ["a"]}', "line 2: description: expected a text"),
        ("[" * 100_000, "cards.jsonl line 2: "),
    ],
)
def test_broken_line_hides_no_other(tmp_path: Path, line: str, message: str) -> None:
    repository = opened(cards=lines(tmp_path / "cards.jsonl", {"id": "ok"}, line, {"id": "too"}))
    assert [card.id for card in repository.cards] == ["ok", "too"]
    (notice,) = repository.notices
    assert re.match(f"left out: (cards.jsonl )?{message}", notice)


def test_bad_trigger_in_a_line_is_dropped_and_said(tmp_path: Path) -> None:
    repository = opened(
        cards=lines(tmp_path / "cards.jsonl", {"id": "bear", "triggers": ["<lora:x:1>", "<bear>"]})
    )
    assert repository.cards[0].triggers == ("<bear>",)
    assert "cards.jsonl line 1: trigger '<lora:x:1>' dropped" in repository.notices[0]


def test_card_of_a_pickle_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "evil.ckpt").write_bytes(b"")
    cards = lines(tmp_path / "cards.jsonl", {"id": "evil", "path": "evil.ckpt"}, {"id": "bear"})
    repository = opened(cards=cards)
    assert [card.id for card in repository.cards] == ["bear"]
    assert "evil.ckpt: left out: a pickle" in repository.notices[0]


def test_cards_that_are_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "cards.jsonl").write_bytes(b'{"id": "\xff"}')
    with pytest.raises(RepositoryError, match=r"cards\.jsonl: not UTF-8 text"):
        opened(cards=tmp_path / "cards.jsonl")


def test_missing_places(tmp_path: Path) -> None:
    with pytest.raises(RepositoryError, match="nowhere does not exist: name a folder with models"):
        opened(tmp_path / "nowhere")
    with pytest.raises(RepositoryError, match=r"cards\.jsonl does not exist: name a cards.jsonl"):
        opened(cards=tmp_path / "cards.jsonl")
    file = lines(tmp_path / "some.jsonl", {"id": "bear"})
    with pytest.raises(RepositoryError, match=r"is a file, not a folder; a cards\.jsonl is given"):
        opened(file)


def test_empty_repository_says_where_it_looked_and_what_it_takes(tmp_path: Path) -> None:
    (tmp_path / "old.ckpt").write_bytes(b"")
    with pytest.raises(EmptyRepository) as error:
        opened(tmp_path)
    said = str(error.value)
    assert f"No model found in {tmp_path}." in said
    assert ".safetensors" in said
    assert "cards.jsonl" in said
    assert "Found: old.ckpt" in said
    with pytest.raises(EmptyRepository, match="no folder"):
        opened()
    with pytest.raises(EmptyRepository, match=r"cards\.jsonl\."):
        opened(cards=lines(tmp_path / "cards.jsonl", ""))


def test_unreadable_folder_is_said(tmp_path: Path) -> None:
    make.make_lora(tmp_path / "bear.safetensors")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    if os.access(closed, os.R_OK):
        pytest.skip("this account may read any folder")
    assert opened(tmp_path).notices == ("closed/: left out: cannot be read (Permission denied)",)


BASES = [
    Card("personal", "/m/personal.safetensors", triggers=("<x>",), base_model="sd15"),
    Card("plain15", "/m/v1-5-Pruned.safetensors", base_model="sd15"),
    Card("other15", "/m/other.safetensors", base_model="sd15"),
    Card("plainxl", "/m/xl.safetensors", base_model="sdxl"),
]


@pytest.mark.parametrize(
    ("base", "base_model", "expected"),
    [
        ("other.safetensors", "sd15", "other15"),
        ("OTHER", "sd15", "other15"),
        ("D:\\models\\other.safetensors", "sd15", "other15"),
        ("sd15/other.safetensors", "sd15", "other15"),
        ("v1-5-pruned", None, "plain15"),
        ("personal", "sd15", "personal"),
        ("not here", "sd15", "plain15"),
        (None, "sdxl", "plainxl"),
        (None, "sd2", None),
        (None, None, None),
    ],
)
def test_base_of_a_lora(base: str | None, base_model: str | None, expected: str | None) -> None:
    lora = Card("lora", "/m/lora.safetensors", "lora", base=base, base_model=base_model)
    found = Repository([*BASES, lora], embedder=None).base_for(lora)
    assert (found.id if found else None) == expected


def test_checkpoint_needs_no_base() -> None:
    assert Repository(BASES, embedder=None).base_for(BASES[0]) is None


def test_opening_and_ranking_one_card_imports_nothing_heavy(tmp_path: Path) -> None:
    make.make_lora(tmp_path / "bear.safetensors")
    program = (
        "import sys; from personalq.checkin.index.repository import Repository; "
        f"r = Repository.open({str(tmp_path)!r}); r.rank('bear', r.cards); "
        "print([name for name in ('torch', 'sentence_transformers') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("join", [ntpath.join, posixpath.join])
@pytest.mark.parametrize(
    "home", ["D:\\ComfyUI\\models", "/srv/models", "\\\\server\\share\\models"]
)
def test_ids_are_the_same_on_every_machine(home: str, join: Callable[..., str]) -> None:
    """Models of one name in two folders: what tells their ids apart is no place on one machine."""
    names = ["checkpoints/Bear.safetensors", "loras/Bear.safetensors", "loras/a b/Bär.safetensors"]
    listed = []
    for name in names:
        root, _, relative = name.partition("/")
        path = join(home, root, *relative.split("/"))
        listed.append(Listed(path, relative, {}, (), ((path, 1, 1),)))
    rows = {model.path: StoredModel("", "{}", ()) for model in listed}
    assert list(_ids(listed, rows, set()).values()) == ["bear", "bear-97c8ffe4", "a-b-bär"]


def test_ids_differ_where_folders_of_one_name_lie_on_two_drives() -> None:
    listed = [
        Listed(f"{drive}:\\loras\\Bear.safetensors", "Bear.safetensors", {}, (), (("Bear", 1, 1),))
        for drive in "CDE"
    ]
    ids = _ids(listed, {model.path: StoredModel("", "{}", ()) for model in listed}, set())
    assert len(set(ids.values())) == 3


def test_a_path_that_windows_cannot_open_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ("x" * 200) / ("y" * 100)
    make.make_lora(folder / "far.safetensors")
    make.make_lora(tmp_path / "near.safetensors")
    opened = Path.stat

    def as_windows_does(path: Path, **how: bool) -> os.stat_result:
        if len(str(path)) > header.MAX_PATH_CHARS:
            raise FileNotFoundError(2, "The system cannot find the path specified")
        return opened(path, **how)

    monkeypatch.setattr(Path, "stat", as_windows_does)
    monkeypatch.setattr(header, "LIMITED", True)
    repository = Repository.open(tmp_path, embedder=None)
    assert [card.id for card in repository.cards] == ["near"]
    (said,) = repository.notices
    assert (
        f"left out: its path has {len(str(folder / 'far.safetensors'))} characters, and Windows "
        "opens 259" in said
    )


def test_a_broken_index_that_another_process_has_open_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.make_lora(tmp_path / "models" / "bear.safetensors")
    cache = tmp_path / "index.sqlite"
    cache.write_bytes(b"no index" * 1000)

    def held(*_: object, **__: object) -> None:
        raise PermissionError(13, "The process cannot access the file")

    monkeypatch.setattr(Path, "unlink", held)
    assert len(Repository.open(tmp_path / "models", cache=cache, embedder=None).cards) == 1
