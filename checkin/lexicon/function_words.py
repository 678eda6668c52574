"""Words with a function in requests (en/words.yaml, en/models.yaml, en/times.yaml, en/orders.yaml).

They are words for models, pictures, times, order and choice, and words without a meaning of their
own.
"""

from __future__ import annotations

from .english import word_set

MODEL_WORDS = word_set("models", "model words")
"""Words for a model as such: they name no subject."""
PICTURE_WORDS = word_set("words", "picture words")
"""Words for a picture or a style as such."""
SCAFFOLD = word_set("words", "scaffold")
"""A noun of this kind before "of" says only that a picture is wanted."""
PREPOSITIONS = word_set("words", "function", "prepositions")
CONJUNCTIONS = word_set("words", "function", "conjunctions")
FUNCTION = word_set("words", "function")
"""Words that say nothing themselves of the model that is meant, or of its picture."""
SMALL_NAMES = word_set("words", "small names")
"""Words of these that are somebody's name where a model is called so: "will"."""
DETERMINERS = word_set("words", "determiners")
PRAISE = word_set("words", "praise")
OPTICS = word_set("words", "optics")
"""Words for light, camera and composition of a picture."""
ING_NOUNS = word_set("words", "ing nouns")
"""Words in -ing that do not begin a scene, as verbs do ("running through the snow")."""
POSTURES = word_set("words", "function", "postures")
"""What somebody in a picture does; a scene begins with them."""
TEMPORAL = word_set("times", "time words")
ORDINALS = word_set("orders", "order words")
NEGATIONS = word_set("words", "negations")
"""If no rule used a word of a time, an order or a "not", the request was not fully understood."""
FOREIGN = word_set("words", "foreign")
"""Words by which a request shows that it is in another language."""
