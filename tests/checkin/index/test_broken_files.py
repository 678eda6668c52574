"""Test that a broken thing affects nothing else and is named with the reason.

It is a model, sidecar, picture, date or file time.
"""

from __future__ import annotations

import json
import math
import os
import re
import struct
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from personalq.checkin import check_in
from personalq.checkin.readers import READERS, file_time
from personalq.checkin.readers.header import Header
from personalq.checkin.readers.model_file import ModelFile
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.index.opening import names, opened

A_TENSOR = {"dtype": "F16", "shape": [1, 768], "data_offsets": [0, 1536]}
LAYER = "lora_unet_down_blocks_1_attentions_0_transformer_blocks_0_attn2_to_k.lora_down.weight"


def safetensors(header: bytes, length: int | None = None) -> bytes:
    return struct.pack("<Q", len(header) if length is None else length) + header + bytes(1536)


def header_of(**changes: Any) -> bytes:
    """A file with one tensor, in which some values are others."""
    return safetensors(json.dumps({LAYER: A_TENSOR | changes}).encode())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00",
        bytes(8),
        b"\xff" * 8,
        safetensors(b"{}", 2**63),
        safetensors(b"{}", 10**9),
        safetensors(b"not json"),
        safetensors(b"\xff\xfe{}"),
        safetensors(b"[1, 2]"),
        safetensors(b"null"),
        safetensors(b"[" * 200_000),
        safetensors(b'{"a":' * 200_000),
        safetensors(b'{"a": {"shape": [1e999], "data_offsets": [0, 4]}}'),
        safetensors(b'{"a": {"shape": [1], "data_offsets": [0, Infinity]}}'),
        safetensors(b'{"a": {"shape": [NaN], "data_offsets": [0, 4]}}'),
        safetensors(b'{"a": {"shape": [1], "data_offsets": [0, ' + b"9" * 5000 + b"]}}"),
        header_of(shape=None),
        header_of(shape=5),
        header_of(shape={"a": 1}),
        header_of(data_offsets=[]),
        header_of(data_offsets=[0, 10**30]),
        header_of(data_offsets=["a", "b"]),
        safetensors(json.dumps({LAYER: [1]}).encode()),
        safetensors(json.dumps({LAYER: A_TENSOR, "__metadata__": [1]}).encode()),
        safetensors(json.dumps({LAYER: A_TENSOR, "__metadata__": "text"}).encode()),
    ],
    ids=lambda content: repr(content[:30]),
)
def test_a_broken_model_costs_itself(folder: Path, content: bytes) -> None:
    (folder / "broken.safetensors").write_bytes(content)
    repository = opened(folder)
    assert names(repository) == ["bear"]
    (said,) = repository.notices
    assert said.startswith("broken.safetensors: left out: ")
    assert "PersonalQ failed" not in said


@pytest.mark.parametrize(
    "value",
    [None, 1, 1e999, True, [1], {"a": {"b": []}}, "", "[" * 5000, "9" * 5000, "\ud800", "\0"],
)
def test_any_value_in_the_metadata_costs_itself(folder: Path, value: Any) -> None:
    keys = {*make.KOHYA, *make.MODELSPEC, *make.ONETRAINER, *make.AI_TOOLKIT, *make.SWARM_HEADER}
    make.make_raw_lora(
        folder / "odd.safetensors", dict.fromkeys(keys | {*make.ADDITIONAL_NETWORKS}, value)
    )
    repository = opened(folder)
    assert names(repository) == ["bear", "odd"]
    assert not any("PersonalQ failed" in said for said in repository.notices)


SIDECARS = sorted({ending for reader in READERS for ending in reader.endings})
BROKEN = {
    "nothing": b"",
    "zeros": bytes(300),
    "binary": bytes(range(256)) * 4,
    "a picture": b"\x89PNG\r\n\x1a\n" + b"\xff" * 100,
    "UTF-16": '{"description": "bear"}'.encode("utf-16"),
    "a list": b"[1, 2, 3]",
    "a number": b"12",
    "a text": b'"bear"',
    "null": b"null",
    "deep JSON": b'{"a":' * 100_000,
    "deep lists": b"[" * 100_000,
    "deep YAML": b"".join(b" " * depth + b"a:\n" for depth in range(300)),
    "a huge number": b'{"preferred weight": ' + b"9" * 5000 + b"}",
    "an alias": b"a: &a [x]\nb: *a",
    "no such character": b'description: "\\UFFFFFFFF"\n',
    "an odd section": (
        json.dumps({"description": "<![x ]>", "notes": "<![", "modelDescription": "<![a"}).encode()
    ),
    "half a surrogate": (
        b'{"description": "\\ud800", "notes": "\\udfff", "trainedWords": ["\\ud800"]}'
    ),
}
WRONG = [
    None,
    True,
    0,
    -1,
    10**30,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "\ud800",
    [],
    [[]],
    [None],
    {},
    {"a": [{}]},
]
TIMES = [
    "0000-01-01",
    "9999-12-31T23:59:59-23:59",
    "99999-01-01",
    "-1",
    "1e999",
    "253402300800",
    "Infinity",
    "2026-13-45",
]


@pytest.mark.parametrize("ending", SIDECARS)
def test_a_broken_sidecar_costs_itself(folder: Path, ending: str) -> None:
    keys = {
        *make.CIVITAI,
        *make.LORA_MANAGER,
        *make.A1111,
        *make.STABILITY_MATRIX,
        *make.RGTHREE,
        *make.SWARM,
    }
    contents = BROKEN | {
        f"wrong {value!r}": json.dumps(dict.fromkeys(keys, value)).encode() for value in WRONG
    }
    contents |= {f"time {time}": json.dumps(dict.fromkeys(keys, time)).encode() for time in TIMES}
    for number, (name, content) in enumerate(contents.items()):
        model = make.make_lora(
            folder / f"{number} {re.sub(r'[^a-zA-Z0-9]+', ' ', name).strip()}" / "owl.safetensors"
        )
        model.with_name("README.md" if ending == "readme.md" else "owl" + ending).write_bytes(
            content
        )
    repository = opened(folder)
    assert len(repository.cards) == len(contents) + 1
    assert not [
        said for said in repository.notices if "left out" in said or "PersonalQ failed" in said
    ]
    assert all(
        check_in(text, repository).why
        for text in ("a bear", "the newest owl", "the one from last week")
    )


@pytest.mark.parametrize(
    "seconds", [-(10**11), -1, 0, 2**31, 2**33, 10**11, 253402300800, 9 * 10**9]
)
def test_any_time_of_a_file_is_no_obstacle(folder: Path, seconds: int) -> None:
    owl = make.make_lora(folder / "owl.safetensors")
    try:
        os.utime(owl, (seconds, seconds))
    except (OSError, OverflowError):
        pytest.skip("this disk keeps no such time")
    repository = opened(folder)
    assert names(repository) == ["bear", "owl"]
    assert all(said.startswith("owl.safetensors: created_at") for said in repository.notices)
    assert check_in("the newest bear from last year", repository).why


@pytest.mark.parametrize(
    "name", ["gone.png", "熊" * 100 + ".png", "a" * 300, "\ud800.png", " ", ".", "a\nb"]
)
def test_a_picture_that_is_not_there_costs_itself(folder: Path, name: str) -> None:
    owl = make.make_lora(folder / "owl.safetensors")
    make.beside(owl, ".personalq.yaml", {"triggers": "hoot", "previews": [name, "owl.png"]})
    picture = make.beside(owl, ".png")
    repository = opened(folder)
    found = next(card for card in repository.cards if card.name == "owl")
    assert (found.triggers, found.previews) == (("hoot",), (str(picture),))
    assert all(said.startswith("owl.personalq.yaml: preview ") for said in repository.notices)


@pytest.mark.parametrize("seconds", [math.inf, -math.inf, math.nan, 1e20, -1e20, 253402300800.0])
def test_a_time_that_no_calendar_has_is_said(seconds: float) -> None:
    with pytest.raises(
        ValueError, match=r"s from 1970 is no time that a calendar has: set the file's date anew"
    ):
        file_time.read(
            ModelFile(Path("owl.safetensors"), Header({}, {}), modified=seconds), pytest.fail
        )


def test_a_date_in_the_future_is_not_used(folder: Path) -> None:
    for name, said in (
        ("owl", "9999-12-31T23:59:59-23:59"),
        ("fox", (datetime.now() + timedelta(days=3)).isoformat()),
    ):
        model = make.make_lora(folder / f"{name}.safetensors")
        make.beside(model, ".personalq.yaml", f"subjects: {name}\ncreated_at: {said}")
    repository = opened(folder)
    assert check_in("the newest one", repository).outcome
    dates = {card.name: card.created_at.year for card in repository.cards}
    assert len(set(dates.values())) == 1, "the files' own times"
    assert len(repository.notices) == 2
    assert all(
        "is in the future: a clock that was set wrong; not used" in notice
        for notice in repository.notices
    )
