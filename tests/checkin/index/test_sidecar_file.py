"""Test how our sidecar is written.

Edits preserve the rest of the file; there is a generated block; some input is refused.
"""

from __future__ import annotations

import os
import re
import unicodedata
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from personalq.checkin.catalog.cards import Card
from personalq.checkin.index.repository import Repository
from personalq.checkin.index.sidecar_file import write_generated, write_sidecar
from personalq.tests.checkin import make_files as make

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

NOTES = """\
# My bear. Do not delete!
version: 4   # the good one

# how it looks
styles:
  - no
  # a comment inside
  - ink
# below the list

description: >
  A plush
  bear

lineage: 'plush: bear'
mood: cosy
created_at: 2025-04-11
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return make.make_lora(tmp_path / "Bear.safetensors")


def card_of(model: Path) -> Card:
    (card,) = Repository.open(model.parent, embedder=None).cards
    return card


def test_new_sidecar(model: Path) -> None:
    path = write_sidecar(
        model, {"triggers": ["<bear-v4>", "plush"], "version": "1.10", "strength": 0.5}
    )
    assert path.name == "Bear.personalq.yaml"
    assert path.read_text() == "triggers:\n- <bear-v4>\n- plush\nversion: '1.10'\nstrength: '0.5'\n"
    card = card_of(model)
    assert (card.triggers, card.version, card.strength) == (("<bear-v4>", "plush"), "1.10", 0.5)
    assert sorted(entry.name for entry in model.parent.iterdir()) == [
        "Bear.personalq.yaml",
        "Bear.safetensors",
    ]


@pytest.mark.parametrize(
    "fields",
    [
        {"triggers": "<bear-v4>"},
        {
            "description": (
                "colon: here # and no comment, 'quotes' \"both\" \\ é 🐻 - @ ` % {a: b} [c]"
            )
        },
        {"styles": ["no", "null", "~", "1.10", "- x", "012"], "subjects": "teddy bear"},
        {"version": "v3", "base_model": "SDXL 1.0", "kind": "LoRA", "base": "my base.safetensors"},
        {"created_at": datetime(2025, 4, 11, tzinfo=UTC), "sha256": "AB" * 32, "strength": "-0.5"},
        {"strength": 1e-5},
    ],
)
def test_what_is_written_is_read_again(model: Path, fields: dict[str, Any]) -> None:
    write_sidecar(model, fields)
    first = card_of(model)
    assert all(first.sources[name] == "sidecar" for name in fields)
    write_sidecar(model, {name: first.as_dict().get(name) for name in fields})
    assert card_of(model) == first


def test_names_are_written_once_each_beside_what_the_user_wrote(model: Path) -> None:
    path = make.beside(model, ".personalq.yaml", NOTES)
    write_sidecar(model, {"names": ["Pickle", "old boot", "pickle", " Pickle "]})
    assert path.read_text() == f"{NOTES}names:\n- Pickle\n- old boot\n"
    card = card_of(model)
    assert (card.names, card.sources["names"]) == (("Pickle", "old boot"), "sidecar")
    write_sidecar(model, {"names": None})
    assert path.read_text() == NOTES
    assert card_of(model).names == ()


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["x" * 41], "longer than 40 characters"),
        (["<lora:pickle:1>"], "'<lora:pickle:1>' is no name"),
        (["pickle", "!?"], "'!?' is no name"),
        ([f"pickle {number}" for number in range(21)], "more than 20"),
        (["\u200b"], "says nothing"),
        ({"pickle": 1}, "expected a text or a list of texts"),
    ],
)
def test_what_is_no_name_is_refused_and_nothing_is_written(
    model: Path, names: Any, said: str
) -> None:
    path = make.beside(model, ".personalq.yaml", NOTES)
    with pytest.raises(ValueError, match=re.escape(said)):
        write_sidecar(model, {"names": names})
    assert path.read_text() == NOTES


def test_edit_keeps_the_users_comments_and_order(model: Path) -> None:
    path = make.beside(model, ".personalq.yaml", NOTES)
    write_sidecar(
        model, {"version": "5", "styles": ["anime"], "description": "A bear", "triggers": "<bear>"}
    )
    assert (
        path.read_text()
        == "# My bear. Do not delete!\nversion: '5'  # the good one\n\n# how it looks\nstyles:\n-"
        " anime\n# below the list\n\ndescription: A bear\n\nlineage: 'plush: bear'\nmood: "
        "cosy\ncreated_at: 2025-04-11\ntriggers:\n- <bear>\n"
    )


def test_removing_a_field(model: Path) -> None:
    path = make.beside(model, ".personalq.yaml", NOTES)
    write_sidecar(
        model, {"version": None, "description": None, "strength": None, "created_at": None}
    )
    expected = NOTES.replace("version: 4   # the good one\n", "").replace(
        "description: >\n  A plush\n  bear\n", ""
    )
    assert path.read_text() == expected.replace("created_at: 2025-04-11\n", "")


@pytest.mark.parametrize(
    "text",
    [
        "version: 4",
        "---\nversion: 4\n",
        "version: 4\r\nstyles: [a, b]\r\n",
        "\ufeffversion: 4\n",
        "version:\nstyles: [a,\n  b]\n",
        '"version": "4"\n',
        "# nothing yet\n",
        "",
        "version: 4\ndescription: |\n  text\n\n\n",
        "version: |\n  4\n# end",
        "styles:\n- a\n\n\n",
    ],
)
def test_edit_of_any_way_to_write_it(model: Path, text: str) -> None:
    path = make.beside(model, ".personalq.yaml", text)
    before = card_of(model)
    write_sidecar(model, {"version": "5"})
    after = card_of(model)
    assert after.version == "5"
    assert (after.styles, after.description) == (
        before.styles,
        before.description,
    )
    write_sidecar(model, {"version": None})
    assert (card_of(model).styles, "version" in path.read_text()) == (before.styles, False)
    assert b"\r\n" not in path.read_bytes() or b"\n" not in path.read_bytes().replace(b"\r\n", b"")


def test_generated_block(model: Path) -> None:
    path = make.beside(model, ".personalq.yaml", "version: 4\n\n# mine\nsubjects: [bear]\n")
    write_generated(
        model, {"description": "old", "subjects": ["toy"], "styles": ["ink"]}, "some-model", AT
    )
    write_generated(
        model, {"description": "A plush bear", "subjects": ["teddy bear"]}, "some-model", AT
    )
    assert (
        path.read_text()
        == "version: 4\n\n# mine\nsubjects: [bear]\ngenerated:\n  by: some-model\n  at:"
        " '2026-01-02T03:04:05+00:00'\n  description: A plush bear\n  subjects:\n  - teddy "
        "bear\n"
    )
    card = card_of(model)
    assert card.subjects == ("bear",)
    assert card.description == "A plush bear"
    assert card.styles == ()
    assert (card.sources["subjects"], card.sources["description"]) == ("sidecar", "generated")

    write_sidecar(model, {"description": "my words"})
    assert card_of(model).description == "my words"
    assert "A plush bear" in path.read_text()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"triger": "x"}, "'triger' is no field of a card; the fields are triggers, subjects"),
        ({"generated": {}}, "'generated' is no field of a card"),
        ({"triggers": ["ok", "<lora:evil:1>"]}, "trigger '<lora:evil:1>' dropped"),
        ({"triggers": []}, "triggers: .* says nothing; None removes the field"),
        ({"description": ""}, "description: '' says nothing"),
        ({"description": "x" * 3000}, "longer than 2,048 bytes; shorten it"),
        ({"created_at": "April"}, "created_at: 'April' is no date: expected a date like"),
        ({"styles": {"a": "b"}}, "styles: expected a text or a list of texts"),
        ({"styles": [1]}, "styles: expected a text or a list of texts"),
        ({"previews": "../secret.png"}, "preview '../secret.png' not used"),
        ({"previews": ["gone.png"]}, "preview 'gone.png' is not there"),
        ({"previews": 5}, "previews: expected a text"),
        ({"kind": "vae"}, "kind: 'vae' is neither checkpoint nor lora"),
        ({"version": "5", "strength": "nan"}, "strength: 'nan' is no number"),
    ],
)
def test_what_a_card_cannot_hold_is_refused(
    model: Path, fields: dict[str, Any], message: str
) -> None:
    path = make.beside(model, ".personalq.yaml", NOTES)
    with pytest.raises(ValueError, match=message):
        write_sidecar(model, fields)
    assert path.read_text() == NOTES


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("triggers: [a\nversion: 2", "broken YAML in line 2"),
        ("version: 1\nversion: 2", "a key is there twice"),
        ("a: &a [x]\nb: *a", "aliases"),
        ("styles: " + "[" * 30 + "]" * 30, "nested too deep"),
        ("just words", "expected lines of `key: value`"),
        ("{version: 4}", "not written as one `key: value` per line"),
        ("version: 4\n...\n", "cannot be edited safely"),
        (b"version: \xff", "not UTF-8 text"),
        ("description: " + "x" * 70_000, "larger than 65,536 bytes"),
        ("- a\n- b\n", "expected lines of `key: value`"),
    ],
)
def test_broken_sidecar_is_never_overwritten(
    model: Path, content: str | bytes, message: str
) -> None:
    path = make.beside(model, ".personalq.yaml", content)
    before = path.read_bytes()
    for write in (
        lambda: write_sidecar(model, {"version": "5", "subjects": "bear"}),
        lambda: write_generated(model, {"subjects": "bear"}, "x", AT),
    ):
        with pytest.raises(
            ValueError, match=r"Bear.personalq.yaml was left as it is: .*Correct it or move it away"
        ) as raised:
            write()
        assert message in str(raised.value)
        assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("fields", "at", "message"),
    [
        (
            {"triggers": "x"},
            AT,
            "'triggers' is never generated, only description, subjects, styles are",
        ),
        ({"description": "x"}, AT.replace(tzinfo=None), "has no time zone"),
        ({"subjects": 5}, AT, "subjects: expected a text or a list of texts"),
    ],
)
def test_what_is_never_generated(
    model: Path, fields: dict[str, Any], at: datetime, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        write_generated(model, fields, "x", at)
    assert not model.with_name("Bear.personalq.yaml").exists()


def test_sidecar_in_other_letters_is_the_one_that_is_edited(model: Path) -> None:
    path = model.with_name("bear.PersonalQ.YAML")
    path.write_text("version: 4\n")
    assert write_sidecar(model, {"version": "5"}) == path
    assert card_of(model).version == "5"


def test_link_and_missing_model_are_refused(model: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.write_text("version: 4\n")
    model.with_name("Bear.personalq.yaml").symlink_to(target)
    with pytest.raises(ValueError, match="is a link"):
        write_sidecar(model, {"version": "5"})
    assert target.read_text() == "version: 4\n"
    with pytest.raises(ValueError, match=r"gone.safetensors is not there"):
        write_sidecar(tmp_path / "gone.safetensors", {"version": "5"})


@pytest.mark.parametrize("make", ["mkfifo", "mkdir"])
def test_what_is_no_file_is_refused_and_not_waited_for(model: Path, make: str) -> None:
    if not hasattr(os, make):
        pytest.skip("the system has no pipes")
    getattr(os, make)(model.with_name("Bear.personalq.yaml"))
    with pytest.raises(ValueError, match=r"it is a folder or a pipe\. Correct it"):
        write_sidecar(model, {"version": "5"})


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps a file's rights elsewhere")
def test_rights_of_the_file_stay(model: Path) -> None:
    path = make.beside(model, ".personalq.yaml", "version: 4\n")
    path.chmod(0o640)
    write_sidecar(model, {"version": "5"})
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(model.parent).count("Bear.personalq.yaml") == 1
    assert len(os.listdir(model.parent)) == 2


def test_key_in_an_odd_form_is_left_alone(model: Path) -> None:
    path = make.beside(model, ".personalq.yaml", "? version\n: 4\n")
    with pytest.raises(ValueError, match="cannot be edited safely"):
        write_sidecar(model, {"version": "5"})
    write_sidecar(model, {"subjects": "bear"})
    assert path.read_text() == "? version\n: 4\nsubjects:\n- bear\n"
    assert card_of(model).version == "4"


def held_by_another_program(*_: object) -> None:
    """What Windows answers to `os.replace` while another program has the target open."""
    raise PermissionError(
        13, "The process cannot access the file because it is being used by another process"
    )


def test_a_sidecar_that_another_program_has_open_stays_as_it_is(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make.beside(model, ".personalq.yaml", "version: 4\n")
    monkeypatch.setattr(os, "replace", held_by_another_program)
    with pytest.raises(
        PermissionError, match=r"^Bear\.personalq\.yaml is open in another program.* try again"
    ):
        write_sidecar(model, {"version": "5"})
    assert path.read_text() == "version: 4\n"
    assert sorted(os.listdir(model.parent)) == ["Bear.personalq.yaml", "Bear.safetensors"]


def test_a_sidecar_that_is_held_for_a_moment_is_written(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a virus scanner, which looks at every new file."""
    replace, calls = os.replace, []

    def held_twice(*paths: Any) -> None:
        calls.append(paths)
        held_by_another_program() if len(calls) < 3 else replace(*paths)

    monkeypatch.setattr(os, "replace", held_twice)
    write_sidecar(model, {"version": "5"})
    assert card_of(model).version == "5"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16-le-bom", "utf-16-be-bom"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_edit_keeps_the_encoding_and_the_line_ends(
    model: Path, encoding: str, newline: str
) -> None:
    text = newline.join(["# Größe", "version: 4", "styles: [墨]", "description: a bear", ""])
    mark = "\N{ZERO WIDTH NO-BREAK SPACE}" if encoding.endswith("-bom") else ""
    codec = encoding.removesuffix("-bom")
    path = make.beside(model, ".personalq.yaml", (mark + text).encode(codec))
    assert card_of(model).styles == ("墨",)
    write_sidecar(model, {"version": "5", "subjects": ["熊"], "description": None})
    after = newline.join(["# Größe", "version: '5'", "styles: [墨]", "subjects:", "- 熊", ""])
    assert path.read_bytes() == (mark + after).encode(codec)
    assert (card_of(model).version, card_of(model).subjects) == ("5", ("熊",))


def test_what_a_program_found_is_read_from_utf_16_too(model: Path) -> None:
    path = write_generated(model, {"description": "a bear", "subjects": ["bear"]}, "tests", AT)
    path.write_bytes(path.read_text("utf-8").encode("utf-16"))
    assert (card_of(model).description, card_of(model).subjects) == ("a bear", ("bear",))


def test_models_whose_names_differ_in_case_alone_have_a_sidecar_each(model: Path) -> None:
    other = make.make_lora(model.with_name("bear.safetensors"))
    if len(os.listdir(model.parent)) == 1:
        pytest.skip("this file system takes both names for one")
    assert write_sidecar(model, {"version": "1"}).name == "Bear.personalq.yaml"
    write_sidecar(other, {"version": "2"})
    make.beside(other, ".txt", "the small one")
    found = {
        Path(str(card.path)).name: card
        for card in Repository.open(model.parent, embedder=None).cards
    }
    assert {name: card.version for name, card in found.items()} == {
        "Bear.safetensors": "1",
        "bear.safetensors": "2",
    }
    assert found["bear.safetensors"].description == "the small one"
    assert not found["Bear.safetensors"].description
    assert len({card.id for card in found.values()}) == 2


@pytest.mark.parametrize(("named", "written"), [("NFD", "NFC"), ("NFC", "NFD")])
def test_a_sidecar_whose_accents_are_written_in_another_way_is_edited(
    tmp_path: Path, named: str, written: str
) -> None:
    model = make.make_lora(tmp_path / f"{unicodedata.normalize(named, 'Zoë')}.safetensors")
    sidecar = tmp_path / f"{unicodedata.normalize(written, 'zoë')}.personalq.yaml"
    sidecar.write_text("names: my cat\n", "utf-8")
    write_sidecar(model, {"version": "2"})
    write_generated(model, {"description": "a cat"}, "tests", AT)
    assert len(list(tmp_path.iterdir())) == 2
    card = card_of(model)
    assert (card.names, card.version, card.description) == (("my cat",), "2", "a cat")


def test_of_several_sidecars_the_one_that_is_read_is_edited(model: Path) -> None:
    for name in ("BEAR", "bear", "bEAR"):
        make.beside(model.with_name(f"{name}.safetensors"), ".personalq.yaml", f"title: {name}\n")
    if len(os.listdir(model.parent)) < 4:
        pytest.skip("this file system takes these names for one")
    title = card_of(model).title
    assert write_sidecar(model, {"version": "2"}).read_text("utf-8").startswith(f"title: {title}")
    assert (card_of(model).title, card_of(model).version) == (title, "2")
