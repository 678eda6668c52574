"""Test what the text encoder must learn from a caption."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed: python quickstart.py test installs it")
pytest.importorskip(
    "transformers", reason="transformers is not installed: python quickstart.py test installs it"
)

from personalq.bench.world.classifier import UNKNOWN
from personalq.bench.world.pictures import random_scenes
from personalq.bench.world.train_text import NAMED, named
from personalq.demo.world.caption import caption, loose_caption
from personalq.demo.world.scene import Scene


def test_a_full_caption_names_everything():
    rng = np.random.default_rng(0)
    for scene in random_scenes(50, 5):
        assert UNKNOWN not in named(scene, caption(scene, rng))


def test_a_loose_one_only_what_it_says():
    scene = Scene("bear", "brown", "forest", "photo")
    numbers = dict(zip(NAMED, named(scene, "my latest realistic bear please"), strict=True))
    assert NAMED["subject"][numbers["subject"]] == "bear"
    assert NAMED["style"][numbers["style"]] == "photo"
    assert numbers["colour"] == numbers["environment"] == UNKNOWN
    rng = np.random.default_rng(0)
    assert len({loose_caption(scene, rng) for _ in range(30)}) > 20
