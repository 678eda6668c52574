"""Versions and stems of file names, tags, dates and HTML."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import pytest

from personalq.checkin import Repository
from personalq.checkin.readers.civitai_info import number_in
from personalq.checkin.readers.dates import parse_date
from personalq.checkin.readers.file_name import stem_of, version_in
from personalq.checkin.readers.markup import html_to_text
from personalq.checkin.readers.tags import sort_tags
from personalq.tests.checkin.make_files import make_lora


@pytest.mark.parametrize(
    ("name", "version", "stem"),
    [
        ("bear_v4", "4", "bear"),
        ("Bear-V12-anime", "12", "bear anime"),
        ("bear 4", "4", "bear"),
        ("bear_8_zit", "8", "bear zit"),
        ("bear_v2.1", "2.1", "bear"),
        ("bear_v04", "4", "bear"),
        ("v1-5-pruned-emaonly", "1.5", "pruned emaonly"),
        ("bear-000010", "10", "bear"),
        ("bear-step00000100", "100", "bear"),
        ("bear_v3-000010", "3", "bear"),
        ("bear_000001250", "1250", "bear"),
        ("bear_v3_000001250", "3", "bear"),
        ("bear2025-04-11_12-30-00-save-1200-10-0", "1200", "bear"),
        ("2025-04-11_12-30-00-save-1200-10-0", "1200", ""),
        ("bear-2025-04-11", None, "bear"),
        ("bear_20250411_v2", "2", "bear"),
        ("bear", None, "bear"),
        ("mysd15model", None, "mysd15model"),
        ("sdxl_turbo", None, "sdxl turbo"),
        ("bear_512", None, "bear 512"),
        ("bear_1.5", "1.5", "bear"),
        ("bear_sd1.5", None, "bear sd1 5"),
        ("bear_sdxl_1.0", None, "bear sdxl"),
        ("bear_sdxl_2", "2", "bear sdxl"),
        ("wan2.2_bear_v3", "3", "wan2 2 bear"),
        ("div5 tower", None, "div5 tower"),
        ("bear_v0.5beta", "0.5", "bear"),
        ("bear_v2final", "2", "bear"),
        ("bear_rank_32", None, "bear"),
        ("bear_v2_dim32_alpha16", "2", "bear"),
        ("bear_lr_1e-4", None, "bear"),
        ("bear_seed_7", None, "bear"),
        ("leo_age_4", None, "leo age"),
        ("leo_2025-4-11", None, "leo"),
        ("leo_25.04.2025", None, "leo"),
        ("leo_04-25-2025_v2", "2", "leo"),
        ("leo_25-04-25", None, "leo"),
        ("leo_250425", None, "leo"),
        ("leo_2025-04-25_14-22", None, "leo"),
        ("leo_2025-04-25 14.22_v2", "2", "leo"),
        ("leo_v20250425", None, "leo v"),
        ("leo_march2025", None, "leo"),
        ("april_2025_v2", "2", "april 2025"),
        ("zaid_apr\u0131l2026", None, "zaid apr\u0131l2026"),
        ("leo_v3_25 Mar 2025", "3", "leo"),
        ("april_2025", None, "april 2025"),
        ("leo_v10.11.12", "10.11.12", "leo"),
        ("leoV2", "2", "leo"),
        ("leo_v1rc2", "1", "leo"),
        ("ponyDiffusionV6XL_v6StartWithThisOne", "6", "ponydiffusionv6xl startwiththisone"),
        ("leo_2_klein", "2", "leo klein"),
        ("leo_flux_2_klein", None, "leo flux klein"),
        ("leo_hunyuan_video_1.5", None, "leo hunyuan video"),
    ],
)
def test_version_and_stem(name: str, version: str | None, stem: str) -> None:
    assert (version_in(name), stem_of(name)) == (version, stem)


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("v2.1 (baked VAE)", "2.1"),
        ("SD1.5 v2", "2"),
        ("V3 Flux.1 D", "3"),
        ("SD 1.5", None),
        ("2.5D v4", "4"),
        ("XL 3", "3"),
        ("v1.0.fp16", "1.0"),
        ("v2.1.safetensors", "2.1"),
        ("Illustrious 2.0 v1", "1"),
        ("Qwen Image 2512 v2", "2"),
        ("Qwen 2512", None),
        ("version 4", "4"),
        ("v1_5", "1.5"),
        ("2024-05-01", None),
        ("8 steps", None),
        ("Pony V6", None),
        ("Pony V6 v2", "2"),
        ("Rank 32", None),
        ("0.7 weight", None),
    ],
)
def test_version_on_a_site(name: str, version: str | None) -> None:
    assert number_in(name) == version


def test_tags_become_subjects_only_when_the_title_repeats_them() -> None:
    tags = ["bear", "woman", "cute", "water color", "character"]
    assert sort_tags(tags, "My Bears, vol. 2") == (["bear"], ["water color"])


@pytest.mark.parametrize("text", ["April", "2025-13-01", "", "9" * 30, "0001-01-01T00:00:00+99:00"])
def test_what_is_no_date(text: str) -> None:
    with pytest.raises(ValueError, match="expected a date like 2025-04-11"):
        parse_date(text)


def test_html_becomes_text() -> None:
    assert (
        html_to_text("<p>one<br>two</p><style>x{}</style><b>thr</b>ee &lt;4&gt;")
        == "one two three <4>"
    )
    assert html_to_text(None) == ""


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("zaid_2026-05", "2026-05-15"),  # of a month its middle
        ("zaid_2026-05-03_v2", "2026-05-03"),
        ("zaid 20260503", "2026-05-03"),
        ("zaid_3.5.2026", "2026-05-03"),
        ("zaid_23-05-2026", "2026-05-23"),
        ("zaid_05-23-2026", "2026-05-23"),
        ("zaid_03-05-2026", None),  # of March or May
        ("zaid_2026-06", None),  # the file's time says it more exactly
        ("zaid_2026-09", None),  # after the file was written
        ("zaid_03-07-2026", "2026-03-07"),  # 3 July is after that
        ("zaid_26-05-03", "2026-05-03"),
        ("zaid_03-31-26", "2026-03-31"),
        ("zaid_25.03.24", None),  # of 2024 or 2025
        ("zaid_260503_v2", "2026-05-03"),
        ("zaid_may2026", "2026-05-15"),
        ("zaid_v2_3 May 2026", "2026-05-03"),
        ("zaid_2026_mar", "2026-03-15"),
        ("april_2026", None),  # may be of an April
        ("wales_1974-08", None),  # of the pictures
        ("zaid_2026", None),
        ("zaid_202605031", None),
    ],
)
def test_the_date_of_a_file_name(tmp_path: Path, name: str, day: str | None) -> None:
    made = make_lora(tmp_path / f"{name}.safetensors")
    copied = datetime(2026, 6, 14, 12).astimezone()
    os.utime(made, (copied.timestamp(),) * 2)
    [card] = Repository.open(tmp_path, embedder=None).cards
    assert card.created_at is not None
    expected = (day or "2026-06-14", "file name" if day else "file time")
    assert (card.created_at.date().isoformat(), card.sources["created_at"]) == expected
