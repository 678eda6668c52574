"""Test descriptions of models from captions and from pictures.

When the work is stopped, nothing is lost.
"""

from __future__ import annotations

import base64
import errno
import io
import json
from datetime import timedelta
from pathlib import Path

import pytest
from PIL import Image

from personalq.checkin import Repository
from personalq.checkin.describe import (
    describe_models,
    describer_named,
    evidence_of,
    from_tags,
    in_turn,
    needs_description,
)
from personalq.checkin.index.sidecar_file import write_generated, write_sidecar
from personalq.cli.main import main
from personalq.tests.checkin.llm.server import Reply, openai, serving
from personalq.tests.checkin.make_files import make_lora
from personalq.tests.checkin.world import NOW

TAGS = {
    "10_sks corgi": {
        "sks corgi": 12,
        "corgi": 12,
        "blue collar": 9,
        "watercolor": 12,
        "grass": 4,
        "simple background": 12,
        "best quality": 12,
        "once": 1,
    }
}


def trained(path: Path, tags: dict | str = TAGS) -> Path:
    frequency = tags if isinstance(tags, str) else json.dumps(tags)
    return make_lora(
        path, metadata={"ss_network_module": "networks.lora", "ss_tag_frequency": frequency}
    )


def card_of(path: Path):
    [card] = Repository.open(path.parent, embedder=None).cards
    return card


def run(folder: Path, describe=from_tags, by: str = "offline", **options):
    waiting = [
        card for card in Repository.open(folder, embedder=None).cards if needs_description(card)
    ]
    return describe_models(waiting, describe, by, now=NOW, **options)


def test_captions_say_what_most_pictures_show(tmp_path: Path):
    described = from_tags(evidence_of(card_of(trained(tmp_path / "a.safetensors"))))
    assert described.subjects == ("corgi",)
    assert described.styles == ("watercolor",)
    assert described.description == "Watercolor corgi: blue collar and grass."


def test_sentences_are_captions_too(tmp_path: Path):
    tags = {"1_x": {"a photo of a red car on a street": 3, "a photo of a red car at night": 3}}
    described = from_tags(evidence_of(card_of(trained(tmp_path / "a.safetensors", tags))))
    assert described.subjects == ("car",)


@pytest.mark.parametrize(
    "tags", ["", "{}", "nonsense", "[1]", '{"a": 1}', '{"a": {"b": "x"}}', '{"a": {"b": 0}}']
)
def test_without_captions_there_is_nothing_to_go_by(tmp_path: Path, tags: str):
    assert from_tags(evidence_of(card_of(trained(tmp_path / "a.safetensors", tags)))) is None


def test_a_description_becomes_part_of_the_card_marked_as_generated(tmp_path: Path):
    path = trained(tmp_path / "a.safetensors")
    assert run(tmp_path).written == (card_of(path).id,)
    card = card_of(path)
    assert card.description.startswith("Watercolor corgi")
    assert card.sources["description"] == "generated"
    assert card.styles == ("watercolor",)


def test_what_a_person_wrote_stays_and_is_not_described_again(tmp_path: Path):
    path = trained(tmp_path / "a.safetensors")
    write_sidecar(path, {"description": "My own words", "styles": ["sketch"]})
    assert not needs_description(card_of(path), again=True)
    write_sidecar(path, {"description": None})
    run(tmp_path)
    card = card_of(path)
    assert card.description.startswith("Watercolor corgi")
    assert card.styles == ("sketch",)


def test_a_run_that_is_stopped_goes_on_where_it_was(tmp_path: Path):
    for name in "abc":
        trained(tmp_path / f"{name}.safetensors")

    class Stopped(Exception):
        pass

    def stop(done: int, total: int) -> None:
        if done == 2:
            raise Stopped

    with pytest.raises(Stopped):
        run(tmp_path, progress=stop)
    assert len(run(tmp_path).written) == 1
    assert run(tmp_path).written == ()


@pytest.mark.parametrize(
    "tags", ['{"a": {"b": 1e999}}', '{"a": {"b": -Infinity}}', '{"a": {"b": NaN}}', "[" * 5000]
)
def test_impossible_numbers_of_captions_are_nothing_to_go_by(tmp_path: Path, tags: str):
    trained(tmp_path / "a.safetensors", tags)
    trained(tmp_path / "b.safetensors")
    outcome = run(tmp_path)
    assert len(outcome.written) == len(outcome.nothing_to_go_by) == 1


def test_a_name_too_long_for_a_sidecar_stops_no_other(tmp_path: Path):
    try:
        trained(tmp_path / f"{'a' * 243}.safetensors")
    except OSError:
        pytest.skip("this disk takes no such name")
    trained(tmp_path / "b.safetensors")
    outcome = run(tmp_path)
    assert outcome.written == ("b",)
    assert [why for _, why in outcome.failed] == ["File name too long"]


def test_a_long_name_with_a_picture_in_its_header_is_described(tmp_path: Path):
    header = {
        "ss_tag_frequency": json.dumps(TAGS),
        "modelspec.thumbnail": "data:image/png;base64,AAAA",
    }
    make_lora(tmp_path / f"{'a' * 226}.safetensors", metadata=header)
    assert len(run(tmp_path).written) == 1


def test_what_has_nothing_to_go_by_takes_no_place_of_the_limit(tmp_path: Path):
    for name in "ab":
        trained(tmp_path / f"{name}.safetensors", {})
    for name in "cde":
        trained(tmp_path / f"{name}.safetensors")
    shown = []
    outcome = run(tmp_path, limit=2, progress=lambda *at: shown.append(at))
    assert (outcome.written, outcome.nothing_to_go_by) == (("c", "d"), ("a", "b"))
    assert shown == [(1, 3), (2, 4), (3, 4), (4, 4)]
    assert run(tmp_path, limit=2).written == ("e",)
    assert run(tmp_path, limit=0).nothing_to_go_by == ()


def test_a_describer_is_asked_about_no_more_models_than_the_limit(tmp_path: Path):
    models = tmp_path / "models"
    for name in "abc":
        trained(models / f"{name}.safetensors")
        picture(models / f"{name}.png")
    with serving([Reply(status=401)]) as server:
        outcome = run(models, local(tmp_path, server.url), "eyes", limit=2)
    assert [card_id for card_id, _ in outcome.failed] == ["a", "b"]
    assert len(server.asked) == 2


def test_those_described_or_tried_longest_ago_come_first(tmp_path: Path):
    paths = {name: trained(tmp_path / f"{name}.safetensors") for name in "abcde"}
    for name, days in (("a", 1), ("b", 3), ("c", 2)):
        write_generated(paths[name], {"description": "A dog"}, "tests", NOW - timedelta(days=days))
    (tmp_path / "b.personalq.yaml").rename(tmp_path / "B.personalq.yaml")
    cards = Repository.open(tmp_path, embedder=None).cards
    assert [card.id for card in in_turn(cards, again=True)] == ["d", "e", "b", "c", "a"]
    failed = {str(paths["d"]): NOW - timedelta(days=2.5), str(paths["b"]): NOW}
    assert [card.id for card in in_turn(cards, True, failed)] == ["e", "d", "c", "a", "b"]
    assert [card.id for card in in_turn(cards, False, failed)] == ["e", "d"]


@pytest.mark.parametrize("at", ["at: yesterday", "at: [1]", "at: 0001-01-01", ""])
def test_a_description_of_an_unknown_time_is_taken_for_an_old_one(tmp_path: Path, at: str):
    for name in "ab":
        trained(tmp_path / f"{name}.safetensors")
    write_generated(tmp_path / "a.safetensors", {"description": "A dog"}, "tests", NOW)
    block = f"generated:\n  description: A dog\n  {at}\n"
    (tmp_path / "b.personalq.yaml").write_text(block, "utf-8")
    cards = Repository.open(tmp_path, embedder=None).cards
    assert [card.id for card in in_turn(cards, again=True)] == ["b", "a"]


def test_a_full_disk_stops_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Emulated at the edge of the system: no file takes a name any more."""

    def full(*names):
        raise OSError(errno.ENOSPC, "No space left on device")

    trained(tmp_path / "a.safetensors")
    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space left"):
        run(tmp_path)


def test_nobody_is_asked_about_a_model_whose_folder_takes_no_sidecar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Emulated at the edge of the system: the administrator may write everywhere."""
    for name in ("mine/a", "theirs/b"):
        trained(tmp_path / "models" / f"{name}.safetensors")
        picture(tmp_path / "models" / f"{name}.png")
    monkeypatch.setattr("os.access", lambda path, mode: Path(path).name != "theirs")
    with serving([openai({"description": "A dog", "subjects": [], "styles": []})]) as server:
        outcome = run(tmp_path / "models", local(tmp_path, server.url), "eyes")
        assert len(server.asked) == 1
    assert outcome.written == ("mine-a",)
    assert outcome.failed == (("theirs-b", "Permission denied"),)


def test_one_that_fails_does_not_stop_the_others(tmp_path: Path):
    for name in "abc":
        trained(tmp_path / f"{name}.safetensors")
    (tmp_path / "b.personalq.yaml").write_text("triggers: [unclosed\n")
    outcome = run(tmp_path)
    assert len(outcome.written) == 2
    [(failed, why)] = outcome.failed
    assert "b" in failed
    assert "left as it is" in why
    assert (tmp_path / "b.personalq.yaml").read_text() == "triggers: [unclosed\n"
    assert "1 could not be described" in outcome.text()
    assert "\nDescribed: a, c\n" in outcome.text()
    assert "\nDescribed: a, …\n" in outcome.text(1)


def picture(path: Path) -> Path:
    Image.new("RGB", (8, 8), "red").save(path)
    return path


def local(tmp_path: Path, url: str):
    (tmp_path / "reasoners.yaml").write_text(f"eyes:\n  model: m\n  base_url: {url}/v1\n")
    return describer_named("eyes", tmp_path)


def test_a_model_that_looks_at_pictures(tmp_path: Path):
    models = tmp_path / "models"
    path = trained(models / "a.safetensors")
    picture(models / "a.png")
    answer = {
        "description": "A tan\ncorgi with a blue bandana",
        "subjects": ["Corgi", "dog"],
        "styles": ["Realistic"],
    }
    with serving([openai(answer)]) as server:
        run(models, local(tmp_path, server.url), "eyes")
        [asked] = server.asked
    assert "image/jpeg" in json.dumps(asked.body)
    assert "blue collar" in json.dumps(asked.body)
    assert str(models) not in json.dumps(asked.body)
    card = card_of(path)
    assert card.description == "A tan corgi with a blue bandana"
    assert (card.subjects, card.styles) == (("corgi", "dog"), ("realistic",))


def test_every_server_can_read_the_pictures_and_has_room_for_them(tmp_path: Path):
    models = tmp_path / "models"
    for name in ("a.webp", "b.png", "c.jpg", "d.png"):
        trained((models / name).with_suffix(".safetensors"))
    still = Image.new("RGB", (1536, 1024), "red")
    still.save(models / "a.webp", save_all=True, append_images=[still.rotate(180)])
    Image.new("RGBA", (8, 8)).save(models / "b.png")
    Image.new("CMYK", (600, 800)).save(models / "c.jpg")
    (models / "d.png").write_bytes((models / "b.png").read_bytes()[:50])
    with serving([openai({"description": "A dog", "subjects": [], "styles": []})]) as server:
        outcome = run(models, local(tmp_path, server.url), "eyes")
    assert outcome.written == ("a", "b", "c")
    assert [card_id for card_id, _ in outcome.failed] == ["d"]
    sent = [asked.body["messages"][1]["content"][0]["image_url"]["url"] for asked in server.asked]
    seen = [Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))) for url in sent]
    assert {one.format for one in seen} == {"JPEG"}
    assert [one.size for one in seen] == [(512, 341), (8, 8), (384, 512)]


def test_pictures_are_drawn_only_where_there_are_none(tmp_path: Path):
    models = tmp_path / "models"
    trained(models / "a.safetensors")
    for name in "bcde":
        trained(models / f"{name}.safetensors")
    picture(models / "a.png")
    (models / "b.mp4").write_bytes(b"a video, which the model cannot look at")
    (models / "c.png").write_bytes(b"\0\0\0\x1cftypavif, as some sites send it for a PNG")
    (models / "d.png").write_bytes(b"\x89PNG" + bytes(9_000_000))
    picture(models / "e.webp").rename(models / "e.gif")
    drawn = []

    def draw(card):
        drawn.append(card.id)
        return [picture(tmp_path / "drawn.png")]

    with serving([openai({"description": "A dog", "subjects": ["dog"], "styles": []})]) as server:
        run(models, local(tmp_path, server.url), "eyes", pictures=draw)
    assert drawn == ["b", "c", "d"]


def test_a_server_that_is_down_fails_one_by_one_with_the_reason(tmp_path: Path):
    models = tmp_path / "models"
    trained(models / "a.safetensors")
    picture(models / "a.png")
    with serving([Reply(status=401)]) as server:
        outcome = run(models, local(tmp_path, server.url), "eyes")
    [(_, why)] = outcome.failed
    assert "key was refused" in why
    assert not (models / "a.personalq.yaml").exists()


def test_a_description_that_is_null_is_none(tmp_path: Path):
    models = tmp_path / "models"
    for name in "ab":
        trained(models / f"{name}.safetensors")
        picture(models / f"{name}.png")
    null = openai({"description": None, "subjects": [], "styles": []})
    with serving(
        [null, openai({"description": "A dog", "subjects": [None], "styles": None})]
    ) as it:
        outcome = run(models, local(tmp_path, it.url), "eyes")
    assert outcome.failed == (("a", "eyes did not describe it: its answer is empty"),)
    text = (models / "b.personalq.yaml").read_text("utf-8")
    assert "A dog" in text
    assert "subjects" not in text


def test_a_profile_without_eyes_is_refused(tmp_path: Path):
    (tmp_path / "reasoners.yaml").write_text(
        "blind:\n  model: m\n  base_url: http://127.0.0.1:1/v1\n  vision: no\n"
    )
    with pytest.raises(ValueError, match="looks at no pictures"):
        describer_named("blind", tmp_path)


def test_a_profile_without_a_key_is_refused_before_a_picture_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "PERSONALQ_API_KEY_GEMINI"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ValueError, match="no key is set for 'gemini': set GEMINI_API_KEY"):
        describer_named("gemini", tmp_path)


def test_command(tmp_path: Path, capsys):
    trained(tmp_path / "a.safetensors")
    assert main(["describe", str(tmp_path), "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out) == {"written": ["a"], "nothing_to_go_by": [], "failed": []}
    assert said.err == "", "a bar is for terminals"
    assert main(["describe", str(tmp_path)]) == 0
    assert "0 described" in capsys.readouterr().out
    assert main(["describe", str(tmp_path), "--again"]) == 0
    assert "1 described" in capsys.readouterr().out


def test_repeated_commands_get_round_the_library(tmp_path: Path, capsys):
    trained(tmp_path / "a.safetensors", {})
    for name in "bc":
        path = trained(tmp_path / f"{name}.safetensors")
        write_generated(path, {"description": "A dog"}, "tests", NOW)
    found = []
    for _ in range(2):
        assert main(["describe", str(tmp_path), "--again", "--limit", "1", "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out)["written"])
    assert found == [["b"], ["c"]]
