"""How people word a query: patterns for each kind, and words for looks and base models."""

from __future__ import annotations

import random

from .cards import Lineage
from .demand import Demand

LOOK_WORDS = {
    "realistic": ("realistic", "photorealistic", "lifelike", "photo-real"),
    "anime": ("anime", "anime-style"),
    "cartoon": ("cartoon", "cartoony"),
    "sketch": ("sketch", "sketched", "sketchy"),
    "watercolor": ("watercolor", "watercolour"),
    "oil painting": ("oil painting", "oil-painted", "oil paint"),
    "pixel art": ("pixel art", "pixel-art", "pixelated"),
    "3d render": ("3D render", "3d-rendered", "3D"),
    "abstract": ("abstract",),
    "impressionist": ("impressionist", "impressionistic"),
    "minimalist": ("minimalist", "minimal"),
    "ink": ("ink", "inked"),
    "charcoal": ("charcoal",),
    "line art": ("line art", "line-art"),
    "flat": ("flat",),
    "vintage": ("vintage",),
}
PLACE_WORDS = {
    "urban": ("urban", "city"),
    "forest": ("forest", "woodland"),
    "beach": ("beach", "seaside"),
    "indoor": ("indoor",),
}
BASE_WORDS = {
    "sd15": ("SD 1.5", "SD1.5", "stable diffusion 1.5"),
    "sdxl": ("SDXL", "sdxl", "SD XL"),
}
STRANGE = (
    "dragon",
    "bicycle",
    "teapot",
    "lighthouse",
    "violin",
    "penguin",
    "submarine",
    "castle",
    "cactus",
    "tent",
)

DATED = (
    "the {what} from {time}",
    "{what} I trained {in_time}",
    "use the {what} build from {time}, {scene}",
    "my {what}, the one made {in_time}",
    "can you load the {what} that I made {in_time}?",
    "{what} model from {time}, {scene}",
    "give me {what} from {time}",
    "which {what} did I finish {in_time}? draw it {scene}",
)
NEWEST = (
    "my latest {what}",
    "newest {what} {scene}",
    "the most recent {what} please",
    "the {what} I trained last, {scene}",
    "my most recently created {what} {scene}",
    "use the newest version of the {what}",
)
OLDEST = ("my oldest {what}", "the very first {what} I made", "the earliest {what} model, {scene}")
SECOND = (
    "the second newest {what}",
    "the {what} before the latest one",
    "my second most recent {what}, {scene}",
)
NEWEST_OF_TIME = (
    "the newest {what} from {time}",
    "latest {what} made {in_time}",
    "the most recent {what} of {time}",
)
ANY_DATED = (
    "{times_own} model",
    "the model from {time}",
    "whatever I trained {in_time}",
    "the build from {time}",
)
VERSIONED = (
    "{what} v{n}",
    "version {n} of the {what}",
    "the {what}, ver. {n}, {scene}",
    "{what} version {n} {scene}",
    "use v{n} of my {what}",
    "build {n} of the {what}",
    "my {what} (v{n}) {scene}",
)
STYLED = (
    "the {what}",
    "my {what} model",
    "a picture of my {what} {scene}",
    "{what}, {scene}",
    "I want the {what} {scene}",
    "please draw my {what}",
)
PLACED = (
    "{look} {place} {noun}",
    "my {place} {noun}, {look}",
    "the {look} {noun} that was trained on {place} pictures",
    "a {look} {noun} with the {place} look",
)
NOT_LOOK = (
    "the {own}, not the {not_look} one",
    "my {own} but no {not_look}",
    "any {own} except the {not_look} version",
    "{own} {scene}, just not {not_look}",
)
BASED = (
    "the {look} {noun} for {base}",
    "my {base} {noun} in {look} style",
    "{look} {noun}, the {base} model",
)
USED = (
    "put my {what} {scene}",
    "I need my {what} {scene} for a birthday card",
    "{what} {scene}, soft light",
    "show me the {what} {scene}",
    "let's see the {what} {scene}, wide shot",
    "make a poster of my {what} {scene}",
)
USED_NEWEST = (
    "my newest {noun} {scene}",
    "my latest {noun}, {scene}, golden light",
    "most recent {noun} model, {scene}",
    "draw the newest {noun} {scene}",
)
BARE = (
    "my {noun} {scene}",
    "a {noun} {scene}",
    "{noun}",
    "I'd like a picture of the {noun}",
    "use my {noun} model",
    "the {noun}, {scene}",
)
LOOK_ALONE = ("the {look} model", "something {look}", "my {look} one", "a {look} build please")
LOOK_DATED = (
    "{time_first} {look} build",
    "the {look} model from {time}",
    "{look} one that I trained {in_time}",
)
LOOK_VERSION = ("v{n} {look} model", "the {look} version {n}", "{look} build {n}")
NO_THING = (
    "my {look} {strange}",
    "the {strange} model, {look}",
    "newest {strange}",
    "a {strange} {scene}",
    "use my {strange} for this: a {strange} on a hill",
)


def say(pattern: str, demand: Demand, lineage: Lineage, chance: random.Random) -> str:
    """Return the query in words."""
    concept = lineage.concept
    look = chance.choice(LOOK_WORDS[demand.look or lineage.look])
    place = demand.place or lineage.place
    noun = chance.choice(concept.words) if chance.random() < 0.5 else concept.name
    # A variant such as "round library" already says what it is; the concept's word would repeat it.
    own = lineage.variant.name
    thing = own if demand.variant else noun
    place_words = [chance.choice(PLACE_WORDS[demand.place])] if demand.place else []
    words = {
        "what": " ".join([*([look] if demand.look else []), *place_words, thing]),
        "own": own,
        "noun": noun,
        "look": look,
        "not_look": chance.choice(LOOK_WORDS[demand.not_look]) if demand.not_look else "",
        "place": chance.choice(PLACE_WORDS[place]) if place else "",
        "base": chance.choice(BASE_WORDS[demand.base_model]) if demand.base_model else "",
        "scene": chance.choice(concept.scenes),
        "n": demand.version,
        "strange": chance.choice(STRANGE),
    }
    if demand.time:
        time = demand.time.words
        words |= {"time": time, "in_time": _in(time), "times_own": _own(time), "time_first": time}
    text = " ".join(pattern.format(**words).split())
    return text if chance.random() < 0.7 else text[0].upper() + text[1:]


def _in(time: str) -> str:
    """Return the time as an adverb: "yesterday", "last week", "in April", "on 3 May 2025"."""
    if time.startswith(("yesterday", "last", "this", "two days", "next", "between", "the week")):
        return time
    if time.startswith("the last"):
        return f"in {time}"
    return f"on {time}" if time[0].isdigit() and " " in time else f"in {time}"


def _own(time: str) -> str:
    return (
        f"{time}'s"
        if time in ("yesterday", "last week", "this week", "last month", "this month")
        else f"{time}"
    )
