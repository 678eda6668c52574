"""Patterns of the words that only choose a model: talk, negations, clauses, words for files.

They are over a copy of a request in which `GATE` stands for each character that a gate took, `NAME`
for what names the model, and `FIXED` for what must not be touched.
"""

from __future__ import annotations

import re
from functools import partial

from ..lexicon import CONJUNCTIONS, PREPOSITIONS
from ..lexicon.english import any_of, one_of, phrases, word_set
from .times.periods import MONTHS, WEEKDAYS


def _compiled(*patterns: str) -> tuple[re.Pattern[str], ...]:
    r"""Patterns that stay within a line: \s is any space but a line break."""
    inside = (pattern.replace(r"\s", r"[^\S\n]") for pattern in patterns)
    return tuple(re.compile(pattern, re.MULTILINE) for pattern in inside)


GATE, NAME, FIXED = "\x01", "\x02", "\x03"
G = rf"(?<!{GATE}){GATE}++(?:\s+{GATE}++)*+"
END = r"(?=\s*(?:$|[,.;:!?\n)]))"
_one_of = partial(one_of, "choosing")
END_OF_A_LOOK = rf"(?:\s+{_one_of('looks')})?(?:{END}|(?=\s+(?:{NAME}|{any_of(PREPOSITIONS)}\b)))"
_DET = _one_of("determiners")
MODEL = _one_of("models")
_NEXT = rf"(?:{any_of(PREPOSITIONS | CONJUNCTIONS)}|\w+ing)"
NEXT = re.compile(rf"{_NEXT}\b")
"""A word that begins something new after a noun phrase."""
FILE = _one_of("files")
_LINK = _one_of("links")
OPENS_SCENE = word_set("choosing", "scene")

QUOTED = re.compile(r'"[^"\n]*"|(?<!\w)\'[^\'\n]+\'(?!\w)|\([^()]*:\s*[\d.]+\s*\)')
BARE_TIME = re.compile(rf"(?:not\s+in\s+)?(?:the\s+)?{_one_of('times')}(?:'s)?")
WEAK = re.compile(rf"(?:{_one_of('orders of things')}|\d+(?:st|nd|rd|th))")
"""Orders that are as often said of what is drawn: "a new car", "the highest tower"."""
COUNT = re.compile(rf"(?:{_one_of('counts')}|#).*")
UNIT = re.compile(rf"[-']\w|\s*{_one_of('units')}\b")
"""What makes "1.5" a measure, or a name for a base model a part of a word."""
MIX = re.compile(_one_of("mixes"))

_WHEN = (
    rf"(?:\s+{_one_of('when', 'through')})*\s+"
    rf"(?:{any_of(phrases('choosing', 'when', 'times'), MONTHS, WEEKDAYS)}|20\d\d)\b"
    rf"(?:\s+(?:{_one_of('when', 'parts')}|20\d\d)\b)*"
)
_MADE = any_of(phrases("models", "i did"), phrases("choosing", "made"))
_USED = _one_of("used")
_DATA = rf"(?:\w+\s+){{0,3}}{_one_of('data')}"
NEGATION = _one_of("not").replace("n't", "n'?t")  # "dont use"
NO = _one_of("not style")
SURE = rf"(?:{_one_of('but')}\s+)*"
_ASK = _one_of("asks")
_ORDER = _one_of("orders")
_A_PICTURE = rf"(?:\s+(?:an?|the|one|another)\s+{_one_of('pictures')}\s+of\b)?"

_BEGIN = rf"(?:^|(?<=[.!?\n]))(?:\s|[,!.{GATE}])*\b"
TALK = _compiled(
    # greetings and thanks, as clauses of their own
    rf"(?:^|(?<=[.!?\n]))\s*(?:{_one_of('greetings')}|dear\s+\w+)"
    rf"(?:\s+{_one_of('greeted')})?\s*(?:[,.!]+|$)",
    rf"(?:^|(?<=[,.!?\n]))\s*(?:many\s+)?{_one_of('thanks')}"
    rf"(?:\s+{_one_of('so much')})?\s*(?:[.!]+|$)",
    rf"\b(?:if\s+you\s+)?{_one_of('please')}\b(?:\s+and\s+thank\s+you\b)?",
    rf"^\s*{_one_of('well')}\s+so\b",
    # who asks, and for what
    rf"{_BEGIN}(?:please\s+)?let\s+(?:me|us)\s+have\b",
    rf"{_BEGIN}(?:{_one_of('greetings')}\s+)?(?:can|could|would|will)\s+(?:you|u|i|we)\s+(?:(?:maybe|{GATE}+)\s+)*"
    rf"{_ASK}(?:\s+(?:me|us))?\b{_A_PICTURE}",
    rf"{_BEGIN}(?:i|we)(?:'d|\s+would|\s+should)?\s+(?:just\s+|really\s+)?"
    rf"{_one_of('wishes')}(?:\s+to\s+{_ASK})?\b(?!\s+to\b){_A_PICTURE}",
    rf"{_BEGIN}(?:i\s+am|i'm)?\s*looking\s+for\b(?=\s+\S)",
    rf"{_BEGIN}{_ASK}\s+(?:me|us)\b{_A_PICTURE}",
    rf"{_BEGIN}(?:gimme|load(?:\s+up)?|{_ORDER}(?=\s+(?:the|my|our|an?|that|this|{GATE}|{NAME})))"
    rf"(?=\s){_A_PICTURE}",
    rf"(?:^|(?<=[,.;!?\n]))\s*{_one_of('uses')}"
    rf"(?=\s+(?:the|my|our|that|this|{G})\b[^,.;!?\n]*(?:{GATE}|\b{FILE}\b))",
)
_WHOSE = r"(?:the|my|our|his|her|their|\w+'s)"
PURPOSES = _compiled(
    # what the picture is for: "its for the club newsletter", "it's going on his card"
    rf"(?:^|(?<=[,.;!?\n]))\s*(?:and\s+)?(?:it|this|that)(?:'?s|\s+is)\s+"
    rf"(?:(?:just|only|all)\s+)*(?:going\s+on|for)\b[^,.;:!?\n{NAME}]*",
    rf"(?<=[,.;!?\n])\s*(?:{G}\s+|like\s+)?for\s+{_WHOSE}\s[^,.;:!?\n{NAME}]*{END}",
    rf"^\s*for\s+{_WHOSE}\s[^,.;:!?\n{NAME}]*:",
    rf"^\s*for\s+{_WHOSE}(?:\s+[^ ,.;:!?\n{NAME}]+){{1,4}},",
    # and why it is asked for: "so i can cut him out"
    rf"\bso\s+(?:that\s+)?(?:i|we|he|she|they)\s+(?:can|could|may|might)\b[^,.;:!?\n{NAME}]*",
)
NEGATIONS = _compiled(
    # "but not the cartoon one", "neither the toy nor the ink one", up to "one" and what it is
    rf",?\s*\b{SURE}{NEGATION}\b[^,.;:!?\n]*?(?:\b{MODEL}\b|{G}(?:\s+\w+){{0,2}}{END}|"
    rf"{G}(?:\s+{MODEL}\b)?)(?:\s+n?either\b)?(?:{END}|\s+(?:that|which|who|where|from|for|i|we)\b[^,.;:!?\n]*|(?=\s))",
    # "not the painter", "not my own": a thing that is pointed at
    rf",?\s*\b{SURE}not\s+(?:(?:for|from|with|of|in)\s+)?"
    rf"(?:the|that|those|mine|my|our|one\s+of)\b[^,.;:!?\n]*?"
    rf"(?:{END}|(?=\s+(?:and|but|on|in|at|with|under|{NAME})\b))",
)
NOT_A_NAME = _compiled(rf",?\s*\b{SURE}not\s+(?P<name>\w+){END}")[0]
SAME = _compiled(
    rf"\b(?:the\s+)?same\s+"
    rf"(?:(?:{one_of('models', 'same')}|{one_of('models', 'same together')})\s+)?"
    rf"{_one_of('same as')}\b"
    r"(?:(?!\s+but\b)[^,.;:!?\n])*(?:\s+but\b)?",
    r"\b(?:from\s+(?:this\s+morning|last\s+night|yesterday))(?:\s+again)?\b",
)
"""What is said of a model that was used."""
CLAUSES = _compiled(
    # "that I trained last May", "I used most this month"
    rf"(?:\b(?:that|which|as|what)\s+)?\b(?:i|we)(?:'ve|'d|\s+have|\s+had)?"
    rf"(?:\s+(?:just|ever|last|first|was|were|been|recently))*\s+"
    rf"(?:{_MADE}|{_USED})\b(?:\s+(?:it|them|myself|ourselves))?"
    rf"(?:\s+(?:last|most|again|lately|yet|years\s+ago)\b|\s*{G}|{_WHEN})*"
    rf"(?:\s+from\s+{_DATA}\b)?(?:\s+before\s+(?:i|we|they|it)\b[^,.;:!?\n]*)?",
    rf"\b(?:that\s+)?(?:i|we|you)(?:'ve|\s+have)(?:\s+got)?{END}",
    rf"\bdid\s+(?:i|we)\s+{_MADE}\b(?:\s*{G}|{_WHEN})?",
    rf"\b(?:that|which)?\s*(?:was\s+|were\s+)?{_one_of('dated')}\s+"
    rf"(?:in|on|at|from)?\s*(?:the\s+)?{G}",
)
MODELS = _compiled(
    # "moss, the one off the better scans", "that one of bri": which of the models
    rf"(?<=,)\s*{_DET}\s+(?:\w+\s+)?ones?\s+(?:from|off|of|for|that|which|i|we)\b"
    rf"[^,.;:!?\n{NAME}]*{END}",
    rf"^\s*{_DET}\s+ones?\s+of\b(?=\s+{NAME})",
    rf"(?:^|(?<=[,.;!?\n]))\s*{_one_of('uses')}\s+{G}(?:\s+of\s+{_DET}\s+{NAME}+)?{END}",
    rf"\b{_DET}\s+(?:own\s+)?(?:{G}\s+)?{MODEL}\s+(?:(?:is|was)\s+)?{G}(?:\s+{MODEL}\b{END})?",
    rf"(?:\b{_DET}\s+)?(?:own\s+)?{G}\s+{MODEL}\b(?:\s+{_one_of('surely')}{END})?(?=\s*(?:$|[,.;:!?\n{GATE}]|"
    r"(?:of|for|from|with|on|in|at|that|which|where|and|before|i|we)\b))",
    rf"^\s*{_DET}\s+(?:{FILE}|ones?)\s+(?:with|where|that\s+(?:makes?|does|draws?|gives|has|"
    rf"shows))\b",
    rf"^\s*{_DET}\s+(?:own\s+)?(?:{FILE}|models?|ones?)\b{END}",
    rf"^\s*{_DET}\s+(?:own\s+)?(?:{FILE}|models?)\s+of\b(?:\s+(?:my|our|the)\b)?(?:\s+own\b)?",
    rf"\bof\s+mine\b|\b(?:mine|ours)\b(?:{END}|(?=\s*{G}))",
    rf"\b{_one_of('whatever')}(?=\s+[\w{NAME}]+(?:\s+[\w{NAME}]+)?\s*{G})",
)
FILE_WORD = re.compile(
    rf"\b{FILE}\b(?!-)|(?<=[\w{NAME}] ){_one_of('after a name')}(?= {GATE})|"
    rf"(?<=\s)models?(?=\s+again\b|{END})"
)
ITS_ARTICLE = re.compile(
    r"\b(?:the|that|this|my|our|an?|any)(?: very)?(?: own)?(?=(?: [^\s,.;:!?]+){1,3} $)"
)
AROUND = _compiled(
    # "for [sdxl]", "so [1.5]", "in [sdxl]", "[the flux version] of the ..."
    rf"\b(?:{_LINK}|{_one_of('both')})(?:\s+{_DET})?\s+{G}(?={END}|\s+(?:{_NEXT})\b)",
    rf"\b{_DET}\s+{G}(?!\s+(?:style|look)\b)(?={END}|\s)",
    rf"(?:(?<=^)|(?<=[,.;:!?\n])\s*){G}\s+of\b(?:\s+(?:the|my|our|an?)\b)?(?:\s+own\b)?",
    rf"{G}\s+(?:is|are|was|or|and)\s+{G}",
    rf"\b(?:is|are|was)\s+(?:the\s+)?{G}{END}",
    rf"{G}\s+{_one_of('surely')}{END}",
    rf"{G}\s+before\s+(?:i|we|it|they)\b[^,.;:!?\n]*",
    rf"\b(?:the|that)\s+{_one_of('usual')}\s+{G}{END}",
    rf"\buse\s+(?:an?|the)\s+(?:\w+\s+)?{G}{END}",
    rf"\b(?:(?:that|which)\s+)?(?:i|we)\s+{G}{END}",
    rf"{G}\s+(?:{_one_of('again')}|on(?={END}))\b",
)
LINKED = re.compile(rf"{_one_of('linked')}\b")
BEFORE_I = re.compile(
    r"(?:\s+(?!(?:and|but|or|when|that)\b)\w+){0,3}\s+(?:that\s+)?(?:i|we)(?:'ve)?\s"
)
SURELY_MADE = re.compile(_one_of("surely made"))
LONG = 140
"""Characters from which on a request is a message, in which orders may be of anything."""
MY = re.compile(r"\b(?:one of )?(?:my|our)(?:\s+(?:very\s+)?own)?\b")
OF_A_LOOK = re.compile(rf"(?: [^\s,.;:!?]+){{1,3}} {_one_of('looks')}\b")
LEFT_DET = re.compile(
    rf"\b(?:{_DET}|one\s+of)(?=\s+{GATE}+(?:\s*{END}|\s+(?:on|in|at|with|of|from|for|as)\b))"
)
