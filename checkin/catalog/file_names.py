"""What a model's file name says: what the model is called, and which of its builds this is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..lexicon.spelling import name_words
from ..readers.file_name import SETTING, without_named_months, without_other_numbers

BASES = frozenset(
    "xl sdxl sd flux flx fx fl pony pdxl il ill ilxl illu illustrious noob noobai nai vpred "
    "schnell qwen qw zimage zimg zit zib wan wan21 wan22 anima chroma hidream kolors "
    "hunyuan".split()
)
"""Words of file names for base models."""
SHORT_BASES = frozenset(one for one in BASES if len(one) <= 3)
"""Those that say nothing else: "il", but not "pony"."""
_NOT_WORDS = BASES | frozenset(
    "final finale stable beta alpha rc hotfix build nightly old new last copy kopie kopia epoch "
    "neu nouveau nuevo nowy nieuw copia copie kopi kopia kopie kopio kopya "
    "コピー 副本 拷贝 拷貝 복사본 "
    "step ver version fp fp16 fn scaled bf bf16 pruned ema emaonly test it ft fixed retrain bak "
    "backup lora locon lycoris dora ti checkpoint ckpt safetensors save failed burnt overcooked "
    "overfit fried crashed broken "
    # the same in Korean, Japanese and Chinese
    "최종 최종본 최종판 진짜최종 진짜진짜최종 진짜 찐최종 진최종 완성 완성본 수정 수정본 복사본 "
    "사본 백업 테스트 테스트용 임시 최신 구버전 버전 로라 에폭 "
    "最終 最終版 完成 完成版 修正版 コピー バックアップ テスト 最新 "
    "最终 最终版 最终最终 终版 修改版 副本 备份 测试 测试版 最新版 旧版 新版".split()
)
"""Words of file names that do not say what the model is of."""
_OF_BASE = re.compile(
    r"(?<![a-z])(?:z[-_ ]?image(?:[-_ ]?(?:turbo|base))?|qwen[-_ ]?image|noob[-_ ]?ai"
    r"|flux[-_. ]?[12]?[-_. ]?(?:dev|klein)|krea[-_ ]?2(?:[-_ ]?(?:turbo|raw))?"
    r"|(?:flux[-_. ]?2?[-_. ]?)?klein[-_ ]?[49]b"
    r"|sd[-_ ]?(?:1[._]?5|2[._]?1|3[._]?5)(?!\d)|wan[-_ ]?2[._]?[12](?!\d)|(?:fp|bf)(?:8|16|32))"
    r"(?![a-uw-z]|v(?!\d))",
    re.IGNORECASE,
)
"""A base model that is written in several words, and a precision."""
_OF_TRAINING = re.compile(
    r"[-_ ]\d+[-_ ]?(?:pic|picture|img|image|photo)s?(?![a-z])"
    r"|(?:[-_ ](?:good|best|ok|okay|nice|keep|keeper|works|working|use(?:[-_ ]?this)?|fav|great)"
    r"\d*)+"
    r"(?=[-_ ]?\(\d+\)$|$)",
    re.IGNORECASE,
)
"""How many pictures a model was trained on, and at the end, that it came out well."""
_GLUED = ("xl", "flux")
"""Base models that people write onto a name: "tedxl"."""
_SAVED = re.compile(
    r"(?:-step0*\d+|-0+\d+(?<=-\d{6})|_0+\d+(?<=_\d{9})"
    r"|[-_. ]?\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d-save-\d+-\d+-\d+|[-_ ]e(?:p|poch)?[-_ ]?\d+)$",
    re.IGNORECASE,
)
"""What trainers add to the name of a build that they save during training."""
_NOTED = re.compile(r"(?<=[^\W\d_])[-_ ]v\d+(?:\.\d+)*[-_ ](?=[^\W\d_])", re.IGNORECASE)
"""A version with a note of it behind: marit_v2_kort_har."""
_CANDIDATE = re.compile(
    r"(?<![a-z])(?:rc[ _.-]*\d+|beta|alpha|nightly|wip)(?![a-z])", re.IGNORECASE
)
"""What people call builds before the finished one."""
_REJECTED = re.compile(
    r"(?<![a-z])(?:old$|broken|failed|overcooked|overfit|overtrained|burnt|fried|crashed|"
    r"do ?n[o']?t use|deprecated|superseded|trash|defekt|kaputt)(?![a-z])",
    re.IGNORECASE,
)
"""What names of files and folders that are no good say."""
_REJECTED_NOTE = re.compile(
    r"(?<![a-z])(?:overcooked|overfit|overtrained|do ?n[o']?t use|deprecated|superseded|no good)"
    r"(?![a-z])"
    r"|\b(?:is|it's|looks|came out|run|training) (?:broken|failed|burnt|fried|crashed)\b",
    re.IGNORECASE,
)
"""What notes on such models say; of a picture, a hand may be burnt."""
COLOURS = "colour"
NUMBERS = (
    (
        re.compile(
            r"(?<![a-z])aged?[ _-]?(\d+)(?!\d)"
            r"|(?<!\d)(\d+)[ -]years?(?:[ -]old|(?! (?:ago|back|earlier|before|later)\b))"
            r"|(?<![a-z0-9])(\d{1,2})(?:y|[ -]?y[ro]s?)(?![a-z0-9])(?:[ -]old\b)?"
            r"|(?<![a-z0-9])(\d{1,2}) ?(?:sai(?![a-z])|[歳才岁歲세살])",
            re.I,
        ),
        "age",
    ),
    (re.compile(r"(?<!\d)(\d{1,2})[ _-]?steps?(?![a-z]| *\d)", re.I), "step"),
    (re.compile(r"(?<!\d)(\d+)[ _-]?bits?(?![a-z])", re.I), "bit"),
    (re.compile(r"(?<![\d.])([1-9])[ _-]?col(?:ou?rs?)?(?![a-z])", re.I), COLOURS),
)
"""Numbers that tell models apart and are no versions: "age4", "8 steps", "16 bit", "2 colours"."""
_NUMBERED = re.compile(
    r"(?<![a-z0-9])(?P<name>([a-z]{3,})\d{1,2})(?=[ _-](?:.*[ _-])?v\d)", re.IGNORECASE
)
"""A number that is part of a name, because a version follows: hoodie_drop2_v1."""
_WITH_NUMBER = re.compile(
    r"(?<![a-z0-9])([a-z]{2,}|[a-z](?=\d{3})|[acf-hj-oqtuwyz](?=\d\d(?!\d)))\d{1,4}(?![a-z0-9])"
)
_DECADE = re.compile(r"(?<![^\W_])(?:19|20)?\d0s(?![^\W_])")
_FIRST_NUMBER = re.compile(r"^\d{2,3}(?=[-_ ][a-z])", re.IGNORECASE)
_LABELS = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("epoch", r"(?<![a-z])(?:epoch|ep)[ _.-]*0*(\d+)(?!\d)|-0*([1-9]\d*)(?<=-\d{6})(?!\d)"),
        (
            "step",
            r"(?<![a-z])steps?[ _.-]*0*(\d+)|_0*([1-9]\d*)(?<=_\d{9})(?!\d)"
            r"|(?<!\d)(\d{3,6})[ _-]?steps?",
        ),
        ("epoch", r"(?<=[ _.-])e0*(\d{1,3})(?![a-z0-9])"),
        ("rc", r"(?<![a-z])rc[ _.-]*(\d+)"),
        ("hotfix", r"(?<![a-z])hotfix[ _.-]*(\d*)"),
        ("age", r"(?<![a-z])age(\d{1,2})(?!\d)"),
        ("final", r"(?<![a-z])(?:final|최종|最終|最终)(?:[ _.-]*(\d{1,2}))?(?![a-z\d])"),
        ("build", r"(?<![a-z0-9])(?:b|build|rev)[ _.-]?(\d+[a-z]?)(?![a-z0-9])"),
        (
            "v",
            r"(?<![a-z0-9])(?:v|ver|version|vers)[ _.-]*(\d+(?:\.\d+|_\d\d?(?!\d))*[a-z]?)"
            r"(?=(?:alpha|beta|final|fix|fixed)?(?![a-z0-9]|\.\d))",
        ),
        ("v", r"(?<![a-z0-9.])(?!2\.5d)(\d+\.\d+(?:\.\d+)*[a-z]?)(?![a-z0-9.])"),
    )
)
_OF_SITE = re.compile(r"([a-z]+[A-Za-z0-9]*)_(?=[A-Za-z])[A-Za-z0-9]+(?<=[A-Za-z])")
"""A name as Civitai writes it: the model's name before that of its version."""
_NOISE = re.compile(r"[-_. ]*(?<![a-z])(high|low)(?![a-z])(?:[-_. ]*(noise|model)(?![a-z]))?", re.I)
"""Which of the two models of Wan 2.2 a file is, or is for."""
_MAY_BE_AGE = re.compile(
    r"(?<=[a-z_ -])(?<![_ -]v)([1-9]|1[0-7])"
    r"(?=(?:[-_ ](?:sd|sd15|sdxl|xl|flux|flx|fx|qwen|qw|pony|ill?|zimage|z))?$)",
    re.IGNORECASE,
)
"""A number that may be somebody's age as well as a version: rosie4, ada_8_flux."""
_LAST_NUMBER = re.compile(r"(?<=[a-z_ -])(\d{1,2}[a-z]?)$", re.IGNORECASE)

_CODE = re.compile(
    r"(?<![^\W_])(?!(?:(?:19|20)\d\d|25(?:09|11|12)|\d*[05]0|128|512|768|1024|1536|2048)(?!\d))"
    r"[1-9]\d{2,4}(?![^\W_]|\.\d)"
)
"""A number that somebody is called by, and no year, steps, side of a picture or rank: 45157."""
_LAST_STEPS = re.compile(r"(?<=[_ -])([1-9]\d{0,3}[05]0)$")
"""A build that is named by its steps: "luna_lora_1500"."""


@dataclass(frozen=True)
class FileName:
    """The parts of a file name without folder and ending."""

    words: tuple[str, ...]
    """What it is called, in singulars: "moss", "storybook" of moss_storybookXL_v2."""
    labels: frozenset[str]
    """Which build it is: "v2b", "final2", "rc1", "epoch6", "step1500"."""
    unfinished: bool
    """Whether it was saved during training."""
    rejected: bool
    """Whether its name says that it is no good."""


def read_file_name(stem: str) -> FileName:
    """Take a file name without folder and ending apart."""
    half = noise_of(stem)
    whole = stem[: half.start()] + stem[half.end() :] if half else stem
    whole = SETTING.sub("", whole)
    core = _SAVED.sub("", whole)
    numbers = numbers_in(core)
    of_it = _OF_BASE.sub(lambda base: "_" * len(base[0]), core)
    called = _OF_TRAINING.sub("_", without_named_months(of_it))
    words = _words_of(called) or _words_of(core.replace("dev", "")) or _coded(called)
    said = labels_in(stem)
    labelled = {number for _, _, label in said for number in re.findall(r"\d+", label)}
    codes = [one for one in _CODE.findall(called) if one not in labelled]
    plain, taken = without_other_numbers(of_it), [range(start, end) for start, end, _ in said]

    def left(pattern: re.Pattern[str]) -> list[str]:
        found = pattern.finditer(plain)
        return [one[1].lower() for one in found if not any(one.start() in some for some in taken)]

    last = {f"v{number}" for number in left(_LAST_NUMBER)}
    steps = {f"step{found[1]}" for found in _LAST_STEPS.finditer(core)}
    ages = {f"age{number}" for number in left(_MAY_BE_AGE)}
    ages |= {one for one in numbers if one.startswith("age")}
    return FileName(
        (*words, *codes, *numbers),
        frozenset(label for _, _, label in said) | last | steps | ages,
        core != whole or _CANDIDATE.search(core) is not None,
        is_rejected(stem),
    )


def _coded(name: str) -> list[str]:
    """What a name is called that has no other words: "c10" of c10_flux."""
    return sorted(one for one in numbered_words(name) if one.isalnum() and not one.isdecimal())


def without_note(stem: str) -> str:
    """A file name without what stands behind its version: marit_v2 of marit_v2_kort_har."""
    noted = _NOTED.search(stem)
    before = noted and stem[: noted.end() - 1]
    return before if before and read_file_name(before).words else stem


def _words_of(name: str) -> list[str]:
    words = map(without_base, name_words(name))
    return [word for word in words if word not in _NOT_WORDS]


def noise_of(stem: str) -> re.Match[str] | None:
    """Where a file name says which half of a pair it is, [1] "high" or "low" in any case.

    Wan 2.2 14B is two models, for high and for low noise, and so are LoRAs for it.
    """
    of_wan = "wan" in stem.lower()
    found = _NOISE.finditer(stem)
    return next((one for one in found if of_wan or (one[2] or "").lower() == "noise"), None)


def low_half_of(name: str) -> str | None:
    """The name of the half for low noise beside that for high noise; None for any other name."""
    half = noise_of(name)
    if not half or half[1].lower() != "high":
        return None
    return f"{name[: half.start(1)]}low{name[half.end(1) :]}"


def without_site_version(stem: str) -> str:
    """A checkpoint's name without the name of its version, if a site has written it.

    "juggernautXL" of juggernautXL_ragnarokBy. Names in lower case may be a person's: they are kept.
    """
    found = _OF_SITE.fullmatch(stem)
    return found[1] if found and not stem.islower() else stem


def numbers_in(text: str) -> list[str]:
    """The numbers in a name that are no versions: "age4", "8step", "drop2"."""
    units = [glued(unit, found) for pattern, unit in NUMBERS for found in pattern.finditer(text)]
    named = (one for one in _NUMBERED.finditer(text) if one[2].lower() not in _NOT_WORDS)
    return units + [one["name"].lower() for one in named]


def numbered_words(stem: str) -> set[str]:
    """The words of a name with their numbers, as people say them: "job03" of job03_product_shoe,
    "90s" of 90s_album.

    A number that a name begins with is one, too: "37" of 37_ews.
    """
    found = _WITH_NUMBER.finditer(SETTING.sub("", stem).casefold())
    words = {one[0] for one in found if one[1] not in _NOT_WORDS and not labels_in(one[0])}
    return words | {*_FIRST_NUMBER.findall(stem), *_DECADE.findall(stem.casefold())}


def glued(unit: str, found: re.Match[str]) -> str:
    """A number and its unit in one word: "age4", "8step"."""
    number = next(filter(None, found.groups()))
    return unit + number if unit == "age" else number + unit


def labels_in(text: str) -> list[tuple[int, int, str]]:
    """(start, end, label) of each build that a name or a request names; no text counts twice."""
    found: list[tuple[int, int, str]] = []
    for kind, pattern in _LABELS:
        for match in pattern.finditer(text):
            if all(match.end() <= start or end <= match.start() for start, end, _ in found):
                number = next(filter(None, match.groups()), "").lower().replace("_", ".")
                found.append((*match.span(), kind + (number.lstrip("0") or number)))
    return sorted(found)


def is_rejected(name: str) -> bool:
    """Whether a file's or folder's name says that the model is no good."""
    return _REJECTED.search(name.replace("_", " ")) is not None


def is_noted_as_rejected(text: str) -> bool:
    """Whether a description says that the model is no good."""
    return _REJECTED_NOTE.search(text) is not None


def without_base(word: str) -> str:
    """A word without the base model that is glued to it: "juggernaut" of "juggernautxl"."""
    for base in _GLUED:
        if word.endswith(base) and len(word) > len(base) + 2:
            return word.removesuffix(base)
    return word
