"""What a model's file name says: its version, and its name without that."""

from __future__ import annotations

import re

from .dates import moment_at
from .model_file import Fields, ModelFile, Report
from .reader import Reader

_DATE = re.compile(
    r"(?<!\d)(?:19|20)\d\d(?:[-_.](?:0?[1-9]|1[0-2])[-_.](?:0?[1-9]|[12]\d|3[01])"
    r"|[-_.]?(?:0[1-9]|1[0-2])(?:[-_.]?(?:0[1-9]|[12]\d|3[01]))?)(?!\d)"
    r"|(?<![\d.])\d{1,2}([-_.])\d{1,2}\1(?:19|20)\d\d(?![\d.])"
)
_SAID_DATE = re.compile(
    r"(?<![\d.])(?P<year>20[2-9]\d)(?P<sign>[-_.]?)(?P<month>0[1-9]|1[0-2])"
    r"(?:(?P=sign)(?P<day>0[1-9]|[12]\d|3[01]))?(?![\d.])"
)
"""A date that may say when the model was made: "zaid_2026-05", "bear 2025-04-11"."""
_YEAR_LAST = re.compile(r"(?<![\d.])(\d{1,2})([-_.])(\d{1,2})\2(20[2-9]\d)(?![\d.])")
"""A date as people write it: "anna_25.04.2025"."""
_FIRST_YEAR = 2022
"""No model that people fine-tune was made in an earlier year; such a date is of the pictures."""
_BUILD = re.compile(
    r"(?:-step0*(?P<step>\d+)|-0+(?P<epoch>\d+)(?<=-\d{6})|_0+(?P<steps>\d+)(?<=_\d{9})"
    r"|[-_. ]?\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d-save-(?P<save>\d+)-\d+-\d+)$",
    re.I,
)
"""What trainers add at the end of a build's name.

These are kohya's step and epoch, ai-toolkit's step and OneTrainer's step.
"""
SETTING = re.compile(
    r"[-_. ]*(?<![a-z0-9])(?:(?:(?:rank|dim)[-_ ]?\d{1,3}|r(?:4|8|16|32|64|128))"
    r"(?:[-_ ]?alpha[-_ ]?\d{1,3})?|(?:lr[-_ ]?)?\d(?:\.\d+)?e-\d+|(?:lr|bs|seed)[-_ ]?\d+)"
    r"(?![a-z0-9])",
    re.I,
)
"""A setting of the training: "rank32", "dim_32_alpha_16", "lr1e-4"."""
_AGE = re.compile(r"(?<![a-z])aged?[-_ ]?\d+", re.I)
_TAGGED = re.compile(
    r"(?<![A-Za-z0-9])v(?:er|ersion)?[-_. ]?(\d+(?:\.\d+|[-_]\d(?![A-Za-z0-9]))*)"
    r"(?:alpha|beta|final|fix|fixed)?(?![A-Za-z0-9]|\.\d)",
    re.I,
)
_PLAIN = re.compile(
    r"(?:^|(?:[-_ ]|(?<!\d)\.)+)(\d{1,2}(?:\.\d+)*)"
    r"(?=(?:[-_ ](?:sd|xl|sdxl|flux|fx|qwen|wan|pony|il|ilxl|zit|zimage))?$)",
    re.I,
)
_BASE = re.compile(
    r"(?<![a-z])(?:sd[-_. ]?(?:1[._]?[45]|2[._]?[01]|3[._]5)|sd3|sdxl[-_. ]?(?:1\.0|0\.9)|"
    r"flux\.?[12]|wan[-_. ]?2[._]?[12])(?!\d)",
    re.IGNORECASE,
)
"""A base model whose name has a number: "SD 1.5", "sdxl_1.0", "flux.1"."""


def read(model: ModelFile, report: Report) -> Fields:
    """The version and the date in the file name, and the pictures that share the name."""
    return {
        "version": version_in(model.stem),
        "created_at": _date_in(model),
        "previews": [str(picture) for picture in model.previews],
    }


def _date_in(model: ModelFile) -> str | None:
    """The noon of the day that the name says; of a month alone its middle.

    None if the file's time says the same more exactly, or is earlier.
    """
    year, month, day = _said_date(model.stem)
    if int(year or 0) < _FIRST_YEAR:
        return None
    changed = moment_at(model.modified).date().isoformat()
    said = f"{year}-{month}" + (f"-{day}" if day else "")
    return (
        None if changed.startswith(said) or changed < said else f"{year}-{month}-{day or 15}T12:00"
    )


def _said_date(name: str) -> tuple[str | None, str, str | None]:
    """(year, month, day) of the last date in a name; no year where there is none.

    Between dots the day comes first; else a number above 12 tells which one is the day.
    """
    if found := [*_SAID_DATE.finditer(name)]:
        last = found[-1]
        return last["year"], last["month"], last["day"]
    if said := _YEAR_LAST.search(name):
        one, other, year = said[1].zfill(2), said[3].zfill(2), said[4]
        if said[2] == "." or int(one) > 12:
            return year, other, one
        if int(other) > 12:
            return year, one, other
    return None, "", None


def version_in(name: str) -> str | None:
    """The version in a file name without its ending.

    "bear_v4", "bear-v4-anime" and "bear 4" are version 4, "bear_v1-5" is 1.5. The epoch or step at
    which a trainer saved ("bear-000010", "bear-step00000100", "bear_000000100") counts if there is
    no other version. A date, an age and a setting are no version. Only the name is used: by the
    header's `ss_epoch`, the last build of a first training ("bear", 10 epochs) would be a later
    version than "bear_v2".
    """
    build = _BUILD.search(name)
    name = without_base(SETTING.sub("", _BUILD.sub("", name)))
    tagged = _TAGGED.search(name) or _PLAIN.search(without_other_numbers(name))
    if tagged:
        return _number(tagged[1])
    return next(filter(None, build.groups())) if build else None


def without_other_numbers(name: str) -> str:
    """The name with spaces for dates and ages, whose numbers are no versions."""
    for numbers in (_DATE, _AGE):
        name = numbers.sub(lambda found: " " * len(found[0]), name)
    return name


def without_base(name: str) -> str:
    """The name without numbers that belong to a base model's name."""
    return _BASE.sub("", name)


def stem_of(name: str) -> str:
    """The name without version, epoch, step and date, in lower case.

    It is "bear sketch" for "Bear_sketch-v3-000010" and "bear-sketch 2025-04-11".
    """
    before = None
    while before != name:
        before = name
        for suffix in (_BUILD, SETTING, _DATE, _TAGGED, _PLAIN):
            name = suffix.sub("", name)
    return " ".join(re.findall(r"[^\W_]+", name.casefold()))


def _number(text: str) -> str:
    return text.lstrip("0") or "0" if text.isdigit() else re.sub("[-_]", ".", text)


READERS = (
    Reader("file_name", "file name", read, {"version": 10, "created_at": 65, "previews": 10}),
)
