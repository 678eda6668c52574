"""Synonyms of styles: "aquarelle" is watercolor."""

from __future__ import annotations

from .spelling import stems
from .table import table

STYLES = table(
    {
        "realistic": (
            "realism, real, photo, photoreal, photo real, photorealistic, photo realistic, "
            "photorealism, photographic, photography, photograph, photograph style, lifelike, life "
            "like, true to life, hyperrealistic, hyper realistic, hyperrealism, naturalistic, "
            "realistic photo, realistic photograph, photo realism, ultra realistic, real life, "
            "real looking, realistic looking, photo style, like a photo, real photo, documentary, "
            "studio photo, product photo, product photography, dslr"
        ),
        "cartoon": (
            "toon, cartoony, cartoonish, cartoon like, animated cartoon, saturday morning cartoon, "
            "cartoon style, rubber hose, looney tunes"
        ),
        "comic": "comic book, comic strip, graphic novel, comic style, comics, superhero comic",
        "anime": "animé, anime style, japanese animation, ghibli, studio ghibli",
        "manga": "manga style",
        "webtoon": "manhwa",
        "watercolor": (
            "watercolour, water color, water colour, aquarelle, watercolor painting, watercolour "
            "painting, watercolored, watercoloured, water colored, water coloured"
        ),
        "oil painting": "oil, oil paint, oil on canvas, painted in oil, oil painted, oils",
        "acrylic": "acrylic painting, acrylic paint",
        "gouache": "gouache painting",
        "pastel": "pastel drawing, soft pastel",
        "sketch": "sketchy, sketched, rough sketch, hand drawn, hand drawn sketch, line sketch",
        "pencil": "pencil sketch, pencil drawing, graphite, pencil drawn, pencilled, penciled",
        "line art": "lineart, line drawing, line work, linework, lined art, line",
        "ink": "ink drawing, pen and ink, inked, ink sketch, inky, ballpoint, biro",
        "ink wash": "sumi e, sumi, inkwash, ink washes, brush ink",
        "coloured pencil": "colored pencil, colour pencil, color pencil, coloured pencils, crayons",
        "marker": "felt tip, felt pen, copic, marker drawing",
        "charcoal": "charcoal drawing, charcoal sketch",
        "3d render": (
            "3d, 3 d, cgi, octane, unreal engine, raytraced, 3d look, rendered, 3d rendered, 3d "
            "rendering, render, rendering, blender render, 3d model, three dimensional, computer "
            "generated, c4d"
        ),
        "pixel art": (
            "pixel, pixelated, pixelart, pixelly, 8 bit, 8bit, 16 bit, 16bit, sprite, retro game, "
            "game boy, nes"
        ),
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
        "claymation": (
            "clay, clay animation, plasticine, claymated, stop motion, aardman, claymation style, "
            "play doh"
        ),
        "papercut": (
            "paper cut, paper cutout, paper craft, papercraft, cut paper, paper cut out, cutout, "
            "cut out paper, layered paper"
        ),
        "collage": "",
        "risograph": "riso, riso print, risograph print, risography",
        "screen print": "screenprint, silkscreen, serigraph",
        "halftone": "",
        "blueprint": "cyanotype, technical drawing",
        "stencil": "",
        "silhouette": "",
        "pointillism": "pointillist",
        "fresco": "",
        "tapestry": "",
        "tilt shift": "",
        "double exposure": "",
        "glitch": "",
        "film photograph": (
            "film photo, analog, analogue, analog film, analogue film, 35mm, 35 mm, film "
            "photography, analog photo, analogue photo, film grain, kodak, portra, shot on film, "
            "on film, film look"
        ),
        "renaissance": "",
        "rococo": "",
        "victorian": "",
        "medieval": "illuminated manuscript",
        "bauhaus": "",
        "brutalist": "brutalism",
        "mid century": "mid century modern, midcentury",
        "solarpunk": "",
        "dark fantasy": "",
        "horror": "spooky, creepy",
        "folk art": "folk",
        "van gogh": "post impressionist, starry night",
        "matte painting": "",
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
        "engraving": "engraved, etching, etched, copperplate",
        "woodcut": "wood cut, woodcut print, wood engraving, wood carved print",
        "linocut": "lino cut, lino, lino print, linoprint",
        "caricature": "",
        "concept art": "",
        "digital art": "digital painting, digital illustration",
        "illustration": "illustrated, illustrative",
        "storybook": (
            "storybook illustration, story book, picture book, picturebook, children's book, "
            "childrens book, fairy tale book"
        ),
        "painting": "painted, painterly, paint",
        "drawing": "drawn",
        "crayon": "crayon drawing, wax crayon",
        "chalk": "chalk drawing",
        "lego": "",
        "embroidery": "embroidered, cross stitch, stitched, needlework",
        "knitted": "knit, crochet, crocheted, amigurumi, woollen, wool",
        "felt": "felted, needle felt, needle felted",
        "polaroid": "",
        "psychedelic": "",
    }
)

# Styles that people also write after a comma to set the mood of a picture. If no model has the
# style, the word is only a mood.
MOODS = frozenset(
    map(
        stems,
        (
            "cinematic",
            "vintage",
            "retro",
            "neon",
            "noir",
            "fantasy",
            "black and white",
            "minimalist",
            "film photograph",
        ),
    )
)

# Styles that may replace one another if no model has exactly the style that was named.
RELATED: tuple[tuple[str, ...], ...] = (
    ("sketch", "pencil", "line art", "drawing", "charcoal", "ink"),
    (
        "painting",
        "oil painting",
        "watercolor",
        "acrylic",
        "gouache",
        "impressionist",
        "digital art",
    ),
    ("drawing", "sketch", "pencil", "line art", "charcoal", "ink", "crayon", "chalk", "pastel"),
    ("anime", "manga"),
    ("cartoon", "comic", "toon"),
    ("pixar", "3d render"),
    ("retro", "vintage"),
    ("graffiti", "street art"),
    ("ink", "ink wash", "line art"),
    ("engraving", "woodcut", "linocut", "ukiyo e"),
    ("illustration", "storybook", "digital art", "cartoon"),
    ("embroidery", "knitted", "felt"),
    ("film photograph", "polaroid"),
)
