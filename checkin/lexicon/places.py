"""Places: tags of models where a model has them as tags, otherwise scenery."""

from __future__ import annotations

from .table import table

PLACES = table(
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
