"""What a model's file name says: its version, and its name without that."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..lexicon.english import any_of, rows
from .dates import moment_at
from .model_file import Fields, ModelFile, Report
from .reader import Reader

MONTH_NUMBERS = {
    name: str(number)
    for number, (month, short) in enumerate(rows("times", "months").items(), 1)
    for name in (month, *filter(None, short))
}
_YY, _MM, _DD = r"(?:2[2-9]|3\d)", r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12]\d|3[01])"
_MONTH = rf"(?<![a-z]){any_of(MONTH_NUMBERS)}(?![a-z])"
_NAMED_MONTH = re.compile(
    rf"(?:(?<![a-z\d.])(?P<day>\d{{1,2}})[-_. ]?)?(?P<month>{_MONTH})[-_. ]?"
    rf"(?P<year>20[2-9]\d)(?!\d)"
    rf"|(?<!\d)(?P<before>20[2-9]\d)[-_. ]?(?P<behind>{_MONTH})",
    re.I | re.A,
)
"""A date whose month is a word: "zaid_may2026", "zaid 3 May 2026", "zaid_2026_may"."""
_MONTH_AND_NUMBER = re.compile(rf"{_MONTH}\d\d(?![a-z\d])", re.I | re.A)
_SHORT_DATE = re.compile(
    rf"(?<![\dv.])(?:{_YY}([-_.]){_MM}\1{_DD}|{_DD}([-_.]){_MM}\2{_YY}|{_MM}([-_.]){_DD}\3{_YY})"
    rf"(?![\d.])|(?<=[-_ ]){_YY}{_MM}{_DD}(?=[-_ ]|$)",
    re.I,
)
"""A date whose year has two digits: "zaid_26-05-03", "zaid_260503"."""
_DATE = re.compile(
    r"(?:(?<!\d)(?:19|20)\d\d(?:[-_.](?:0?[1-9]|1[0-2])[-_.](?:0?[1-9]|[12]\d|3[01])"
    r"|[-_.]?(?:0[1-9]|1[0-2])(?:[-_.]?(?:0[1-9]|[12]\d|3[01]))?)(?!\d)"
    r"|(?<![\d.])\d{1,2}([-_.])\d{1,2}\1(?:19|20)\d\d(?![\d.]))"
    r"(?:[-_ t]+\d\d(?:[-_.:h]?\d\d){1,2}(?!\d))?",
    re.I,
)
"""A date in numbers, with the time of the day."""
_DATES = (_DATE, _SHORT_DATE, _NAMED_MONTH)
_SAID_DATE = re.compile(
    r"(?<![\d.])(?P<year>20[2-9]\d)(?P<sign>[-_.]?)(?P<month>0[1-9]|1[0-2])"
    r"(?:(?P=sign)(?P<day>0[1-9]|[12]\d|3[01]))?(?![\d.])"
)
"""A date that may say when the model was made: "zaid_2026-05", "bear 2025-04-11"."""
_YEAR_LAST = re.compile(r"(?<![\d.])(\d{1,2})([-_.])(\d{1,2})\2(20[2-9]\d)(?![\d.])")
"""A date as people write it: "anna_25.04.2025"."""
_FIRST_YEAR = "2022"
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
    r"(?:(?<![A-Za-z0-9])(?i:v(?:er|ersion)?)[-_. ]?|(?<=[a-z])V)"
    r"(\d+(?:\.\d+|[-_]\d(?![A-Za-z0-9]))*)"
    r"(?:(?i:alpha|beta|rc\d*|final|fix|fixed)?(?![A-Za-z0-9]|\.\d)|(?=[A-Z][a-z]))"
)
"""A version with a sign: "bear_v4", "bearV4", and "v6StartWithThisOne" as sites write it."""
_PLAIN = re.compile(
    r"(?:^|(?:[-_ ]|(?<!\d)\.)+)(\d{1,2}(?:\.\d+)*)"
    r"(?=(?:[-_ ](?:sd|xl|sdxl|flux|flx|fx|qwen|qw|wan|wan2[12]|pony|pdxl|ill?|ilxl|illustrious"
    r"|noob|noobai|zit|zib|z|zimage|chroma|klein|krea|kontext|hidream|anima))?$)",
    re.I,
)
_BASE = re.compile(
    r"(?<![a-z])(?:sd[-_. ]?(?:1[._]?[45]|2[._]?[01]|3[._]5)|sd3|sdxl[-_. ]?(?:1\.0|0\.9)|"
    r"flux\.?[12]|flux[-_ ][12](?=[-_. ]?(?:dev|klein|kontext|krea))|wan[-_. ]?2[._]?[12]|"
    r"lumina[-_ ]?2(?:[._]0)?|ltx[-_ ]?2(?:[._]\d)?|kandinsky[-_ ]?5|hunyuan[-_ ]?video[-_ ]?1[._]5"
    r")(?!\d)",
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

    None if the file's time says the same more exactly, or is earlier. Of two readings of a date
    ("03-05-2026") the one after the file's time is none.
    """
    changed = moment_at(model.modified).date().isoformat()
    said = {one for one in _said_dates(model.stem) if _FIRST_YEAR <= one <= changed}
    day = said.pop() if len(said) == 1 else ""
    if changed.startswith(day):
        return None
    return f"{day}T12:00" if len(day) > len("2026-05") else f"{day}-15T12:00"


def _said_dates(name: str) -> Iterator[str]:
    """The last date in a name, "2026-05-03" or "2026-05", in each way in which it may be read.

    Between dots the day comes before the year.
    """
    if found := [*_SAID_DATE.finditer(name)]:
        yield "-".join(filter(None, found[-1].group("year", "month", "day")))
    elif (said := _NAMED_MONTH.search(name)) and without_named_months(name) != name:
        month = MONTH_NUMBERS[(said["month"] or said["behind"]).lower()]
        yield from _days(said["year"] or said["before"], month, said["day"])
    elif said := _YEAR_LAST.search(name):
        yield from _days(said[4], said[3], said[1])
        if said[2] != ".":
            yield from _days(said[4], said[1], said[3])
    elif said := _SHORT_DATE.search(name):
        first, second, third = re.findall(r"\d\d", said[0])
        yield from _days(f"20{first}", second, third)
        if said[0][2:3] in "-_.":
            yield from _days(f"20{third}", second, first)
            yield from _days(f"20{third}", first, second)


def _days(year: str, month: str, day: str | None) -> Iterator[str]:
    """A day, or a month, if there may be such a one."""
    if int(month) <= 12 and int(day or 1) <= 31:
        yield "-".join([year, month.zfill(2)] + ([day.zfill(2)] if day else []))


def version_in(name: str) -> str | None:
    """The version in a file name without its ending.

    "bear_v4", "bear-v4-anime" and "bear 4" are version 4, "bear_v1-5" is 1.5. The epoch or step at
    which a trainer saved ("bear-000010", "bear-step00000100", "bear_000000100") counts if there is
    no other version. A date, an age and a setting are no version. Only the name is used: by the
    header's `ss_epoch`, the last build of a first training ("bear", 10 epochs) would be a later
    version than "bear_v2".
    """
    if given := _given(name):
        return _number(given[1])
    build = _BUILD.search(name)
    return next(filter(None, build.groups())) if build else None


def counted_in(name: str) -> str | None:
    """What the version in a file name counts: "step" or "epoch"; None if a person gave it."""
    build = _BUILD.search(name)
    if _given(name) or not build:
        return None
    return "epoch" if build["epoch"] else "step"


def _given(name: str) -> re.Match[str] | None:
    """The version that a person gave, in [1]."""
    name = without_base(SETTING.sub("", _BUILD.sub("", name)))
    name = without_other_numbers(name)
    return _TAGGED.search(name) or _PLAIN.search(name)


def without_other_numbers(name: str) -> str:
    """The name with spaces for dates and ages, whose numbers are no versions."""
    for numbers in (*_DATES, _AGE):
        name = numbers.sub(lambda found: " " * len(found[0]), name)
    return name


def without_named_months(name: str) -> str:
    """The name without dates whose month is a word; "april_2025" may be of an April.

    Nor has it a month with a day or year: "nov26" may be either.
    """
    rest = _MONTH_AND_NUMBER.sub("_", _NAMED_MONTH.sub("_", name))
    said = _TAGGED.sub("", SETTING.sub("", _BUILD.sub("", rest)))
    return rest if re.search(r"[^\W\d_]", said) else name


def without_base(name: str) -> str:
    """The name without numbers that belong to a base model's name."""
    return _BASE.sub("", name)


def stem_of(name: str) -> str:
    """The name without version, epoch, step and date, in lower case.

    It is "bear sketch" for "Bear_sketch-v3-000010" and "bear-sketch 2025-04-11".
    """
    before = None
    while before != name:
        before, name = name, without_named_months(name)
        for suffix in (_BUILD, SETTING, _DATE, _SHORT_DATE, _TAGGED, _PLAIN):
            name = suffix.sub("", name)
    return " ".join(re.findall(r"[^\W_]+", name.casefold()))


def _number(text: str) -> str:
    return text.lstrip("0") or "0" if text.isdigit() else re.sub("[-_]", ".", text)


READERS = (
    Reader("file_name", "file name", read, {"version": 10, "created_at": 65, "previews": 10}),
)
