"""What English words mean in requests for models: names of things, of looks and of places, and words that mean nothing.

Each table maps a canonical word to other words for it. What a repository itself says always counts before these tables.
"""

from __future__ import annotations

from .words import stems

Phrase = tuple[str, ...]


def _table(rows: dict[str, str]) -> dict[Phrase, tuple[Phrase, ...]]:
    """Every phrase of the table, in singulars, with the canonical phrases it falls under, its own first."""
    table: dict[Phrase, tuple[Phrase, ...]] = {stems(canonical): (stems(canonical),) for canonical in rows}
    for canonical, others in rows.items():
        for other in filter(None, map(stems, others.split(","))):
            table[other] = (*table.get(other, ()), stems(canonical))
    return table


SUBJECTS = _table(
    {
        "dog": "doggy, doggie, doggo, pup, puppy, pupper, hound, canine, mutt, pooch, retriever, labrador, lab puppy, corgi, "
        "poodle, terrier, shiba, shiba inu, husky, beagle, bulldog, dachshund, dalmatian, german shepherd, border collie, "
        "collie, spaniel, chihuahua, pug, golden retriever",
        "cat": "kitty, kitten, kittie, tomcat, feline, tabby, siamese cat, maine coon, moggy, pussycat",
        "bear": "grizzly, grizzly bear, cub, bear cub",
        "teddy bear": "teddy, stuffed bear, plush bear, cuddly bear, plushie bear",
        "horse": "pony, stallion, mare, foal, steed, colt, gelding, mustang horse, filly",
        "person": "human, people, human being, man, woman, lady, gentleman, guy, girl, boy, somebody, someone, face, "
        "portrait of a person, character, selfie",
        "woman": "lady, female",
        "man": "gentleman, guy, male",
        "car": "automobile, auto, motorcar, motor car, sports car, sedan, coupe, hatchback, convertible, racing car, race car, "
        "roadster, limousine",
        "toy": "plaything, plush toy, soft toy, stuffed toy, action figure, figurine, plushie, stuffed animal",
        "watch": "wristwatch, timepiece, chronograph, pocket watch, smartwatch",
        "bag": "handbag, rucksack, backpack, purse, tote, tote bag, satchel, knapsack, duffel bag, messenger bag, shoulder bag, "
        "daypack",
        "backpack": "rucksack, knapsack, daypack",
        "chair": "armchair, seat, stool, rocking chair, recliner, easy chair",
        "house": "cottage, home, bungalow, cabin, villa, farmhouse, townhouse, dwelling",
        "building": "skyscraper, tower block, high rise, highrise, office block, edifice",
        "bridge": "viaduct, footbridge, overpass, suspension bridge, aqueduct",
        "flower": "blossom, bloom, rose, tulip, daisy, lily, orchid, sunflower, peony, wildflower",
        "tree": "oak, oak tree, pine, pine tree, birch, willow, maple, maple tree, fir, cherry tree, palm tree, spruce",
        "mountain": "peak, summit, mountain peak, mount, alp",
        "painting": "canvas painting, artwork painting",
        "drawing": "doodle",
        "logo": "emblem, brand mark, logotype, brand logo, company logo, wordmark",
        "shoe": "sneaker, trainer, boot, footwear, high heel, loafer, running shoe, kick",
        "bird": "birdie",
        "bicycle": "bike, cycle",
        "motorcycle": "motorbike",
        "aeroplane": "airplane, plane, aircraft, jet",
        "mug": "coffee mug",
        "sofa": "couch, settee",
        "lorry": "truck",
    }
)

STYLES = _table(
    {
        "realistic": "realism, real, photo, photoreal, photo real, photorealistic, photo realistic, photorealism, photographic, "
        "photography, photograph, photograph style, lifelike, life like, true to life, hyperrealistic, hyper realistic, "
        "hyperrealism, naturalistic, realistic photo, realistic photograph, photo realism, ultra realistic, real life, real looking, "
        "realistic looking",
        "cartoon": "toon, cartoony, cartoonish, cartoon like, animated cartoon, saturday morning cartoon",
        "comic": "comic book, comic strip, graphic novel",
        "anime": "animé, anime style, japanese animation, ghibli, studio ghibli",
        "manga": "manga style",
        "watercolor": "watercolour, water color, water colour, aquarelle, watercolor painting, watercolour painting, watercolored, "
        "watercoloured, water colored, water coloured",
        "oil painting": "oil, oil paint, oil on canvas, painted in oil, oil painted, oils",
        "acrylic": "acrylic painting, acrylic paint",
        "gouache": "gouache painting",
        "pastel": "pastel drawing, soft pastel",
        "sketch": "sketchy, sketched, rough sketch, hand drawn, hand drawn sketch, line sketch",
        "pencil": "pencil sketch, pencil drawing, graphite, pencil drawn, pencilled, penciled",
        "line art": "lineart, line drawing, line work, linework, lined art, line",
        "ink": "ink drawing, pen and ink, inked, ink wash",
        "charcoal": "charcoal drawing, charcoal sketch",
        "3d render": "3d, 3 d, cgi, rendered, 3d rendered, 3d rendering, render, rendering, blender render, 3d model, "
        "three dimensional, computer generated, c4d",
        "pixel art": "pixel, pixelated, pixelart, 8 bit, 8bit, 16 bit, 16bit",
        "low poly": "lowpoly, low polygon, low polygonal",
        "voxel": "voxel art, minecraft style",
        "cel shaded": "cel shading, cell shaded, celshaded, toon shaded",
        "stained glass": "",
        "pop art": "",
        "cyberpunk": "cyber punk",
        "steampunk": "steam punk",
        "vaporwave": "vapour wave, vapor wave, vapourwave",
        "synthwave": "retrowave, outrun",
        "vintage": "old fashioned, antique",
        "retro": "",
        "minimalist": "minimal, minimalistic, minimalism",
        "flat": "flat design, flat colour, flat color",
        "abstract": "abstraction",
        "impressionist": "impressionistic, impressionism, monet style",
        "surreal": "surrealist, surrealism, surrealistic",
        "cubist": "cubism",
        "gothic": "goth",
        "baroque": "",
        "art deco": "deco",
        "art nouveau": "",
        "ukiyo e": "ukiyoe, woodblock, woodblock print, japanese woodblock",
        "claymation": "clay, clay animation, plasticine, claymated",
        "papercut": "paper cut, paper cutout, paper craft, papercraft",
        "origami": "",
        "fantasy": "fantastical",
        "sci fi": "scifi, science fiction, futuristic",
        "noir": "film noir",
        "black and white": "monochrome, monochromatic, b w, b&w, grayscale, greyscale",
        "cinematic": "film still, movie still",
        "pixar": "pixar style, disney, disney style",
        "chibi": "",
        "kawaii": "",
        "graffiti": "street art, spray paint",
        "vector": "vector art, vector graphic",
        "isometric": "",
        "mosaic": "",
        "neon": "neon lit",
        "grunge": "",
        "engraving": "engraved, etching, etched, woodcut, linocut",
        "caricature": "",
        "concept art": "",
        "digital art": "digital painting, digital illustration",
        "illustration": "illustrated, illustrative, storybook, storybook illustration",
        "painting": "painted, painterly, paint",
        "drawing": "drawn",
        "crayon": "crayon drawing, wax crayon",
        "chalk": "chalk drawing",
        "lego": "",
        "embroidery": "embroidered, knitted, crochet, felt",
        "polaroid": "",
        "psychedelic": "",
    }
)

# Looks that may stand in for one another, where the repository has none that is called by the very word asked for.
RELATED: tuple[tuple[str, ...], ...] = (
    ("sketch", "pencil", "line art", "drawing", "charcoal", "ink"),
    ("painting", "oil painting", "watercolor", "acrylic", "gouache", "impressionist", "digital art"),
    ("drawing", "sketch", "pencil", "line art", "charcoal", "ink", "crayon", "chalk", "pastel"),
    ("anime", "manga"),
    ("cartoon", "comic", "toon"),
    ("pixar", "3d render"),
    ("retro", "vintage"),
    ("graffiti", "street art"),
)

PLACES = _table(
    {
        "beach": "seaside, shore, seashore, coast, sea, ocean, oceanfront",
        "forest": "wood, woodland, jungle, rainforest",
        "urban": "city, street, downtown, cityscape, city street, town, metropolitan, metropolis",
        "studio": "studio lighting, studio background, studio shot",
        "indoor": "inside, interior, living room, kitchen, bedroom, room, at home",
        "outdoor": "outside, open air, exterior",
        "garden": "park, backyard, yard",
        "snow": "snowy, winter landscape, ice, icy",
        "desert": "dune, sand dune",
        "countryside": "rural, farm, field, meadow, country",
        "underwater": "under water",
        "night": "nighttime, at night, midnight, nocturnal",
        "sunset": "sunrise, dusk, dawn, golden hour",
        "space": "outer space, cosmos, galaxy",
        "lake": "river, lakeside, riverside",
        "mountain": "alpine",
    }
)

BASE_MODELS: dict[str, str] = {
    "sd15": r"(?:sd|stable[ -]?diffusion)[ -]?v?1[.,]?[45]|(?:sd|stable[ -]?diffusion)[ -]?1(?:\.x)?",
    "sdxl": r"sd[ -]?xl(?:[ -]?1\.0)?(?:[ -]?turbo)?|stable[ -]?diffusion[ -]?xl",
    "sd2": r"(?:sd|stable[ -]?diffusion)[ -]?v?2(?:[.,]?[01x])?",
    "sd3": r"(?:sd|stable[ -]?diffusion)[ -]?v?3(?:[.,]?5)?",
    "flux": r"flux(?:[ .]?[12])?(?:[ -]?(?:dev|schnell|kontext))?",
    "pony": r"pony[ -]?(?:diffusion|xl|v6)",
    "illustrious": r"illustrious(?:[ -]?xl)?",
    "qwen": r"qwen(?:[ -]?image)?",
    "wan": r"wan[ -]?2(?:\.\d)?",
    "chroma": r"chroma1?",
    "hunyuan": r"hunyuan(?:[ -]?(?:image|video|dit))?",
}

KINDS: dict[str, str] = {
    "lora": "lora",
    "locon": "lora",
    "lycoris": "lora",
    "checkpoint": "checkpoint",
    "ckpt": "checkpoint",
}

# Words for a model as such: they name no subject.
MODEL_WORDS = frozenset(
    "model build version checkpoint ckpt lora locon lycoris one ones release iteration revision edition take variant "
    "training run trained finetune tune dreambooth file weight attempt try generation update draft batch "
    "thing stuff".split()
)
# Words for a picture or a look as such.
PICTURE_WORDS = frozenset(
    "picture pic image photo photograph photography snapshot shot render rendering drawing painting sketch portrait art "
    "artwork scene style look looking version mode aesthetic aesthetics vibe vibes feel feeling flavour flavor form format "
    "design preview illustration technique medium genre theme kind sort type visual print piece work "
    "treatment quality".split()
)
# A noun of this kind before "of" says only that a picture is wanted.
SCAFFOLD = frozenset(
    ("picture pic image photo photograph snapshot shot portrait painting drawing render rendering").split()
)

PREPOSITIONS = frozenset(
    "on in at by near under over through against inside outside along across beside behind above below beneath among "
    "amongst amid around between into onto from with next toward towards beyond upon within off down up past for while "
    "as like during front top atop where who which that to via underneath alongside opposite".split()
)
CONJUNCTIONS = frozenset("and or but nor plus then".split())
FUNCTION = (
    frozenset(
        "a an the my our your his her their its this that these those some any all each every no not of me i we you he she "
        "it they us them is are was were be been being am do does did done have has had having can could will would shall "
        "should may might must please pls thanks thank hi hello hey ok okay just very really quite so too also again there "
        "here what which whose when how why if than then only own same both few many much more most less least lot lots "
        "such something anything somebody anybody nothing everything other another else mine yours ours one two three "
        "four five six seven eight nine ten dozen couple several 's let let's i'm i'd i've it's that's want wants wanted "
        "need needs give show use using used find get got take load pick choose choose select make makes made making "
        "create created creating generate generated generating draw draws paint trained train training built build "
        "run running render like love would wanna gonna go try put set see look looking looks called named name "
        "nice good great cool beautiful pretty lovely new old big small little wee yet still ever now about "
        "out back bit kind way well perhaps maybe probably actually basically simply "
        "finished saved did fine tuned uploaded added downloaded exported wearing holding sitting standing".split()
    )
    | PREPOSITIONS
    | CONJUNCTIONS
)
PRAISE = frozenset("nice good great cool beautiful pretty lovely best favourite favorite cute".split())
# Nouns in -ing that do not open a scene as verbs do.
ING_NOUNS = frozenset(
    "painting drawing building rendering engraving etching lighting styling wedding ring king wing string spring evening "
    "morning thing something anything nothing everything being ceiling clothing shading training living flying racing "
    "rocking running looking finetuning".split()
)

# Words that carry a time, an order, a choice or a "not": left over, they mean that the request was not fully understood.
TEMPORAL = frozenset(
    "ago yesterday today tonight tomorrow week weeks month months year years day days hour hours weekend weekends fortnight "
    "monday tuesday wednesday thursday friday saturday sunday january february april june july august september october "
    "november december since until till before after previous previously earlier later quarter decade century last "
    "recent recently latest newest oldest older newer earliest earlier prior penultimate former ancient lately "
    "christmas xmas easter halloween holidays thanksgiving".split()
)
ORDINALS = frozenset(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth last previous penultimate final "
    "highest lowest version ver versions".split()
)
NEGATIONS = frozenset(
    ("not no never without except neither nor none non isn't don't doesn't aren't wasn't instead excluding").split()
)

FOREIGN = frozenset(
    "der die das den dem ein eine einen mein meine meinen mit von aus und nicht ohne bild neueste neuester neuestes neuesten letzte "
    "letzten gestern woche hund katze bär pferd auto haus baum el la los las un una mi mis con del por para perro gato "
    "oso caballo último última ayer semana le les mon ma mes avec sans du des chien chat ours cheval dernier dernière "
    "hier semaine plus il lo gli mio mia con senza ieri cane gatto cavallo ultimo ultima o meu minha com sem ontem "
    "cachorro que est es ist sind sono y et e di de da het een mijn zonder met hond kat".split()
)
