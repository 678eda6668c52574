"""Patterns of the words that only choose a model: talk, negations, clauses, words for files.

They are over a copy of a request in which `GATE` stands for each character that a gate took, `NAME`
for what names the model, and `FIXED` for what must not be touched.
"""

from __future__ import annotations

import re

from ..lexicon import CONJUNCTIONS, PREPOSITIONS
from .times.periods import MONTHS, WEEKDAYS


def _compiled(*patterns: str) -> tuple[re.Pattern[str], ...]:
    r"""Patterns that stay within a line: \s is any space but a line break."""
    inside = (pattern.replace(r"\s", r"[^\S\n]") for pattern in patterns)
    return tuple(re.compile(pattern, re.MULTILINE) for pattern in inside)


GATE, NAME, FIXED = "\x01", "\x02", "\x03"
G = rf"(?<!{GATE}){GATE}++(?:\s+{GATE}++)*+"
END = r"(?=\s*(?:$|[,.;:!?\n)]))"
_DET = (
    r"(?:the\s+same|same|the|that|this|those|these|my|our|a|an|any|some|whichever|whatever|what|"
    r"which)"
)
MODEL = (
    r"(?:loras?|locons?|lycoris|checkpoints?|ckpts?|models?|versions?|builds?|epochs?|ones?|saves?|"
    r"finetunes?|runs?|files?|releases?|editions?|trainings?)"
)
_NEXT = rf"(?:{'|'.join(sorted(PREPOSITIONS | CONJUNCTIONS))}|\w+ing)"
NEXT = re.compile(rf"{_NEXT}\b")
"""A word that begins something new after a noun phrase."""
FILE = r"(?:loras?|locons?|lycoris|checkpoints?|ckpts?|finetunes?)"
_LINK = r"(?:for|on|in|from|of|with|without|by|at|as|since|before|to|but|and|so|using)"
OPENS_SCENE = frozenset(
    "on in at under near over through against inside outside beside behind by into onto across "
    "along above below between around with to and while".split()
)

QUOTED = re.compile(r'"[^"\n]*"|(?<!\w)\'[^\'\n]+\'(?!\w)|\([^()]*:\s*[\d.]+\s*\)')
BARE_TIME = re.compile(
    r"(?:not\s+in\s+)?(?:the\s+)?(?:winter|spring|summer|autumn|fall|christmas|xmas|halloween|easter|weekend|night|"
    r"evening|morning|today|tonight)(?:'s)?"
)
WEAK = re.compile(
    r"(?:new|newer|current|fresh|updated|final|first|original|initial|last|previous|prior|highest|"
    r"lowest|recent|youngest|(?:second|third|fourth|fifth|sixth|\d+(?:st|nd|rd|th)))"
)
"""Orders that are as often said of what is drawn: "a new car", "the highest tower"."""
COUNT = re.compile(r"(?:number|no|nr|#|edition|release|take|weight).*")
SPELLED = frozenset("one two three four five six seven eight nine ten eleven twelve".split())
UNIT = re.compile(
    r"[-']\w|\s*(?:l|lit(?:re|er)s?|cm|mm|km|met(?:re|er)s?|ft|feet|inch(?:es)?|miles?|hours?|"
    r"minutes?|years?|tons?|tonnes?|pints?)\b"
)
"""What makes "1.5" a measure, or a name for a base model a part of a word."""
MIX = re.compile(r"(?:merge|mix(?:es|ture)?)s?")

_WHEN = (
    r"(?:\s+(?:often|in|on|from|since|around|last|this|the|early|late))*\s+(?:yesterday|today|week|"
    r"weekend|month|year|night|time|morning|afternoon|evening|20\d\d|"
    rf"{'|'.join((*MONTHS, *WEEKDAYS))})\b(?:\s+(?:morning|afternoon|evening|night|20\d\d)\b)*"
)
_MADE = (
    r"(?:train|trained|made|did|done|built|merged|mixed|fine-?tuned|finished|training|downloaded)"
)
_USED = r"(?:used|using|use|ran|loaded|had(?:\s+on)?)"
_DATA = r"(?:\w+\s+){0,3}(?:pics?|photos?|pictures?|images?|scans?|dvds?|snaps?|shots?)"
NEGATION = (
    r"(?:not|except(?:\s+for)?|neither|nor|excluding|rather\s+than|instead\s+of|other\s+than)"
)
SURE = r"(?:(?:but|and|certainly|definitely|just|obviously|please)\s+)*"
_TALK_VERB = (
    r"(?:show|give|get|draw|make|paint|generate|create|render|find|load(?:\s+up)?|pick|use|open|"
    r"take|put\s+on|do|gimme|try|have|see)"
)
_IMPERATIVE = (
    r"(?:show|give|get|draw|make|paint|generate|create|render|find|pick|use|take|"
    r"put\s+on|do|try|repeat)"
)
_A_PICTURE = r"(?:\s+(?:an?|the|one|another)\s+(?:picture|pic|image)\s+of\b)?"

_BEGIN = rf"(?:^|(?<=[.!?\n]))(?:\s|[,!.{GATE}])*\b"
TALK = _compiled(
    # greetings and thanks, as clauses of their own
    r"(?:^|(?<=[.!?\n]))\s*(?:hi|hello|hey|dear\s+\w+|good\s+(?:morning|evening|afternoon|day))"
    r"(?:\s+(?:there|all|everyone|again))?\s*(?:[,.!]+|$)",
    r"(?:^|(?<=[,.!?\n]))\s*(?:many\s+)?(?:thanks|thank\s+you|thx|cheers)"
    r"(?:\s+(?:very\s+much|so\s+much|a\s+lot|in\s+advance|again))?\s*(?:[.!]+|$)",
    r"\b(?:if\s+you\s+)?(?:please|pls|plz|lol)\b(?:\s+and\s+thank\s+you\b)?",
    r"^\s*(?:ok(?:ay)?|righto?|alright)\s+so\b",
    # who asks, and for what
    rf"{_BEGIN}(?:please\s+)?let\s+(?:me|us)\s+have\b",
    rf"{_BEGIN}(?:can|could|would|will)\s+(?:you|u|i|we)\s+(?:(?:maybe|{GATE}+)\s+)*"
    rf"{_TALK_VERB}(?:\s+(?:me|us))?\b{_A_PICTURE}",
    rf"{_BEGIN}(?:i|we)(?:'d|\s+would|\s+should)?\s+(?:just\s+|really\s+)?"
    rf"(?:want|need|like)(?:\s+to\s+{_TALK_VERB})?\b(?!\s+to\b){_A_PICTURE}",
    rf"{_BEGIN}(?:i\s+am|i'm)?\s*looking\s+for\b(?=\s+\S)",
    rf"{_BEGIN}{_TALK_VERB}\s+(?:me|us)\b{_A_PICTURE}",
    rf"{_BEGIN}(?:gimme|load(?:\s+up)?|{_IMPERATIVE}(?=\s+(?:the|my|our|an?|that|this|{GATE}|{NAME})))"
    rf"(?=\s){_A_PICTURE}",
    rf"(?:^|(?<=[,.;!?\n]))\s*(?:use|using|load|pick|take|with)"
    rf"(?=\s+(?:the|my|our|that|this|{G})\b[^,.;!?\n]*(?:{GATE}|\b{FILE}\b))",
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
    r"\b(?:the\s+)?same\s+(?:style|character|model|lora|one|checkpoint|look)\s+(?:as|like)\b"
    r"(?:(?!\s+but\b)[^,.;:!?\n])*",
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
    rf"\b(?:that\s+)?(?:i|we)(?:'ve|\s+have)(?:\s+got)?{END}",
    rf"\bdid\s+(?:i|we)\s+{_MADE}\b(?:\s*{G}|{_WHEN})?",
    rf"\b(?:that|which)?\s*(?:was\s+|were\s+)?(?:made|trained|finished|dated|built|saved)\s+"
    rf"(?:in|on|at|from)?\s*(?:the\s+)?{G}",
)
MODELS = _compiled(
    rf"\b{_DET}\s+(?:own\s+)?(?:{G}\s+)?{MODEL}\s+(?:(?:is|was)\s+)?{G}(?:\s+{MODEL}\b{END})?",
    rf"(?:\b{_DET}\s+)?(?:own\s+)?{G}\s+{MODEL}\b(?=\s*(?:$|[,.;:!?\n{GATE}]|"
    r"(?:of|for|from|with|on|in|at|that|which|where|and|before|i|we)\b))",
    rf"^\s*{_DET}\s+(?:{FILE}|ones?)\s+(?:with|where|that\s+(?:makes?|does|draws?|gives|has|"
    rf"shows))\b",
    rf"^\s*{_DET}\s+(?:own\s+)?(?:{FILE}|models?|ones?)\b{END}",
    rf"^\s*{_DET}\s+(?:own\s+)?(?:{FILE}|models?)\s+of\b(?:\s+(?:my|our|the)\b)?(?:\s+own\b)?",
    rf"\bof\s+mine\b|\b(?:mine|ours)\b(?:{END}|(?=\s*{G}))",
    rf"\b(?:whatever|whichever|which|what)(?=\s+[\w{NAME}]+(?:\s+[\w{NAME}]+)?\s*{G})",
)
FILE_WORD = re.compile(
    rf"\b{FILE}\b(?!-)|(?<=[\w{NAME}] )(?:ones?|models?|versions?|builds?|saves?)(?= {GATE})|"
    rf"(?<=\s)models?(?=\s+again\b|{END})"
)
ITS_ARTICLE = re.compile(
    r"\b(?:the|that|this|my|our|an?|any)(?: very)?(?: own)?(?=(?: [^\s,.;:!?]+){1,3} $)"
)
AROUND = _compiled(
    # "for [sdxl]", "so [1.5]", "in [sdxl]", "[the flux version] of the ..."
    rf"\b(?:{_LINK}|either|all|both|only|also)(?:\s+{_DET})?\s+{G}(?={END}|\s+(?:{_NEXT})\b)",
    rf"\b{_DET}\s+{G}(?!\s+(?:style|look)\b)(?={END}|\s)",
    rf"(?:(?<=^)|(?<=[,.;:!?\n])\s*){G}\s+of\b(?:\s+(?:the|my|our|an?)\b)?(?:\s+own\b)?",
    rf"{G}\s+(?:is|are|was|or|and)\s+{G}",
    rf"\b(?:is|are|was)\s+(?:the\s+)?{G}{END}",
    rf"{G}\s+(?:obviously|of\s+course|though|instead|only){END}",
    rf"{G}\s+before\s+(?:i|we|it|they)\b[^,.;:!?\n]*",
    rf"\b(?:the|that)\s+(?:old|older|new|newer|plain|normal|proper|good|usual|first|second|last|other)\s+{G}{END}",
    rf"\buse\s+(?:an?|the)\s+(?:\w+\s+)?{G}{END}",
    rf"\b(?:(?:that|which)\s+)?(?:i|we)\s+{G}{END}",
    rf"{G}\s+(?:again|once\s+more|on(?={END}))\b",
)
LINKED = re.compile(r"(?:from|since|of|in|on|before|after|until|between|around|by|for|last|this)\b")
BEFORE_I = re.compile(
    r"(?:\s+(?!(?:and|but|or|when|that)\b)\w+){0,3}\s+(?:that\s+)?(?:i|we)(?:'ve)?\s"
)
LONG = 140
"""Characters from which on a request is a message, in which orders may be of anything."""
MY = re.compile(r"\b(?:one of )?(?:my|our)(?:\s+(?:very\s+)?own)?\b")
OF_A_LOOK = re.compile(r"(?: [^\s,.;:!?]+){1,3} (?:style|look)s?\b")
LEFT_DET = re.compile(
    rf"\b(?:{_DET}|one\s+of)(?=\s+{GATE}+(?:\s*{END}|\s+(?:on|in|at|with|of|from|for|as)\b))"
)
