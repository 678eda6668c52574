"""Words with a function in requests.

They are words for models, pictures, times, order and choice, and words without a meaning of their
own.
"""

from __future__ import annotations

# Words for a model as such: they name no subject.
MODEL_WORDS = frozenset(
    "model build version checkpoint ckpt lora locon lycoris one ones release iteration revision "
    "edition take variant training run trained finetune tune dreambooth file weight attempt try "
    "generation update draft batch thing stuff".split()
)
# Words for a picture or a style as such.
PICTURE_WORDS = frozenset(
    "picture pic image photo photograph photography snapshot shot render rendering drawing painting"
    " sketch portrait art artwork scene style look looking version mode aesthetic aesthetics vibe "
    "vibes feel feeling flavour flavor form format design preview illustration technique medium "
    "genre theme kind sort type visual print piece work treatment quality".split()
)
# A noun of this kind before "of" says only that a picture is wanted.
SCAFFOLD = frozenset(
    (
        "picture pic image photo photograph snapshot shot portrait painting drawing render "
        "rendering"
    ).split()
)

PREPOSITIONS = frozenset(
    "on in at by near under over through against inside outside along across beside behind above "
    "below beneath among amongst amid around between into onto from with next toward towards "
    "beyond upon within off down up past for while as like during after before front top atop "
    "where who which that to via underneath alongside opposite".split()
)
CONJUNCTIONS = frozenset("and or but nor plus then".split())
FUNCTION = (
    frozenset(
        "a an the my our your his her their its this that these those some any all each every no "
        "not of me i we you he she it they us them is are was were be been being am do does did "
        "done have has had having can could will would shall should may might must please pls "
        "thanks thank hi hello hey ok okay just very really quite so too also again there here "
        "what which whose when how why if than then only own same both few many much more most "
        "less least lot lots such whatever whichever whoever everyone anyone something anything "
        "somebody anybody nothing everything other another else mine yours ours one two three four "
        "five six seven eight nine ten dozen couple several 's let let's i'm i'd i've it's that's "
        "want wants wanted need needs give show use using used find get got take load pick choose "
        "choose select make makes made making create created creating generate generated "
        "generating draw draws paint trained train training built build run running render like "
        "love would wanna gonna go try put set see look looking looks called named name nice good "
        "great cool beautiful pretty lovely new old big small little wee yet still ever now about "
        "out back bit kind way well perhaps maybe probably actually basically simply finished "
        "saved did fine tuned uploaded added downloaded exported wearing holding sitting "
        "standing".split()
    )
    | PREPOSITIONS
    | CONJUNCTIONS
)
PRAISE = frozenset(
    "nice good great cool beautiful pretty lovely best favourite favorite cute".split()
)
# Words for light, camera and composition of a picture.
OPTICS = frozenset(
    "light lighting shot hour glow shadow background backdrop bokeh sky mood atmosphere angle lens "
    "focus composition view tone colour color palette resolution perspective framing exposure "
    "contrast closeup".split()
)
# Words in -ing that do not begin a scene, as verbs do ("running through the snow").
ING_NOUNS = frozenset(
    "painting drawing building rendering engraving etching lighting styling wedding ring king wing "
    "string spring evening morning thing something anything nothing everything being ceiling "
    "clothing shading training living flying racing rocking running looking finetuning".split()
)

# Words for a time, an order, a choice or a "not". If no rule used one of them, the request was not
# fully understood.
TEMPORAL = frozenset(
    "ago yesterday today tonight tomorrow week weeks month months year years day days hour hours "
    "weekend weekends fortnight monday tuesday wednesday thursday friday saturday sunday january "
    "february april june july august september october november december since until till before "
    "after previous previously earlier later quarter decade century last recent recently latest "
    "newest oldest older newer earliest earlier prior penultimate former ancient lately christmas "
    "xmas easter halloween holidays thanksgiving".split()
)
ORDINALS = frozenset(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth last "
    "previous penultimate final highest lowest version ver versions".split()
)
NEGATIONS = frozenset(
    (
        "not no never without except neither nor none non isn't don't doesn't aren't wasn't "
        "instead excluding"
    ).split()
)

FOREIGN = frozenset(
    "der die das den dem ein eine einen mein meine meinen mit von aus und nicht ohne bild neueste "
    "neuester neuestes neuesten letzte letzten gestern woche hund katze bär pferd auto haus baum "
    "el la los las un una mi mis con del por para perro gato oso caballo último última ayer semana "
    "le les mon ma mes avec sans du des chien chat ours cheval dernier dernière hier semaine plus "
    "il lo gli mio mia con senza ieri cane gatto cavallo ultimo ultima o meu minha com sem ontem "
    "cachorro que est es ist sind sono y et e di de da het een mijn zonder met hond kat".split()
)
