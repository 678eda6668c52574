"""What the folders of a training, and the captions of their pictures, say about a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from personalq.checkin.catalog.cards import Card
from personalq.checkin.describe.evidence import evidence_of
from personalq.tests.checkin import make_files as make
from personalq.tests.checkin.readers.sidecars import only_card

Captions = dict[str, dict[str, int]]


def trained(
    folder: Path, sets: list[tuple[str, str, int]], captions: Captions, others: str = ""
) -> Card:
    """The card of a LoRA trained on `sets` of (folder, class tokens, pictures).

    The pictures of the folder `others` only regularise the training.
    """
    subsets = [
        {"image_dir": name, "class_tokens": words, "img_count": count, "is_reg": name == others}
        for name, words, count in sets
    ]
    metadata = {
        "ss_datasets": json.dumps([{"is_dreambooth": True, "subsets": subsets}]),
        "ss_tag_frequency": json.dumps(captions),
    }
    make.make_lora(folder / "bear.safetensors", metadata=metadata)
    return only_card(folder)


SENTENCES = {f"anna in room {number}": 1 for number in range(20)}


def test_what_one_caption_in_sentences_says_is_no_subject_and_no_style(tmp_path: Path) -> None:
    said = SENTENCES | {"oil painting": 1, "cat": 1}
    card = trained(tmp_path, [("img", "anna", 20)], {"img": said})
    assert (card.triggers, card.subjects, card.styles) == (("anna",), (), ())
    assert card.captions["cat"] == 0.05


OTHERS = {"10_ohwx man": {"ohwx man": 20, "red hat": 19}, "1_man": {"man": 900, "photo": 900}}


def test_pictures_that_regularise_say_nothing_about_the_model(tmp_path: Path) -> None:
    sets = [("10_ohwx man", "ohwx man", 20), ("1_man", "man", 900)]
    card = trained(tmp_path, sets, OTHERS, others="1_man")
    assert card.captions == {"ohwx man": 1.0, "red hat": 0.95}
    assert (card.subjects, card.styles) == (("man",), ())
    assert dict(evidence_of(card).tags) == {"ohwx man": 1.0, "red hat": 0.95}


def test_older_files_name_the_folders_that_regularise(tmp_path: Path) -> None:
    metadata = {
        "ss_dataset_dirs": '{"10_ohwx man": {"n_repeats": 10, "img_count": 20}}',
        "ss_reg_dataset_dirs": '{"1_man": {"n_repeats": 1, "img_count": 900}}',
        "ss_tag_frequency": json.dumps(OTHERS),
    }
    make.make_lora(tmp_path / "bear.safetensors", metadata=metadata)
    card = only_card(tmp_path)
    assert (card.triggers, card.styles) == (("ohwx man",), ())
    assert card.captions == {"ohwx man": 1.0, "red hat": 0.95}


@pytest.mark.parametrize(
    ("words", "captions", "trigger", "subject"),
    [
        ("ohwx_man", {}, "ohwx_man", ("man",)),
        ("ohwx_man", {"ohwx_man": 20, "smiling": 3}, "ohwx_man", ("man",)),
        ("ohwx_man", {"ohwx man": 20}, "ohwx man", ("man",)),
        ("my_tok woman", {}, "my_tok woman", ("woman",)),
        ("my_tok woman", {"my_tok": 20, "standing": 9}, "my_tok", ("woman",)),
    ],
)
def test_a_trigger_is_spelt_as_the_captions_spell_it(
    tmp_path: Path,
    words: str,
    captions: dict[str, int],
    trigger: str,
    subject: tuple[str, ...],
) -> None:
    card = trained(tmp_path, [("img", words, 20)], {"img": captions})
    assert (card.trigger, card.subjects) == (trigger, subject)


def test_thousands_of_captions_in_sentences_are_read(tmp_path: Path) -> None:
    many = {f"ohwx {'in a room ' * 20}{number}": 1 for number in range(6000)}
    card = trained(tmp_path, [("img", "ohwx", 6000)], {"img": many})
    assert card.triggers == ("ohwx",)
