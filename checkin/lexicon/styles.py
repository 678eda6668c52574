"""What English words for looks mean: "aquarelle" is watercolor. What a repository itself says counts before it."""

from __future__ import annotations

from .table import table

STYLES = table(
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
