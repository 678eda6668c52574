"""A tiny subject with which every table is drawn in seconds.

It has random weights and two levels of 32 channels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

torch = pytest.importorskip(
    "torch", reason="torch is not installed: python quickstart.py test installs it"
)
pytest.importorskip(
    "diffusers", reason="diffusers is not installed: python quickstart.py test installs it"
)

from personalq.bench.evidence.judge import WorldJudge  # noqa: E402
from personalq.bench.evidence.subject import Case, Encoded, Subject  # noqa: E402
from personalq.bench.evidence.trial import Source, Trial  # noqa: E402
from personalq.bench.taq.unets import randomize_  # noqa: E402
from personalq.bench.world.classifier import Classifier  # noqa: E402
from personalq.demo.token_marks import row_marks  # noqa: E402
from personalq.demo.world.tokenizer import tokenizer, tokens  # noqa: E402
from personalq.tests.tiny_unet import tiny_unet  # noqa: E402

TRIGGER = "<bear-v4>"


@pytest.fixture(scope="session")
def unet():
    model = tiny_unet(
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        cross_attention_dim=64,
    )
    randomize_(model)
    return model


@pytest.fixture(scope="session")
def make_subject(unet) -> Callable[..., Subject]:
    """A subject with 2 steps; pictures are the first three latent channels, enlarged."""
    words = tokenizer()
    rows = torch.randn(49408, 64, generator=torch.Generator().manual_seed(1))

    def encode(trigger: str, prompts: Sequence[str]) -> Encoded:
        return Encoded(rows[tokens(words, list(prompts))], row_marks(words, prompts, trigger))

    def decode(latents):
        return torch.nn.functional.interpolate(latents[:, :3], scale_factor=8) / 4 + 0.5

    def make(trigger: str = TRIGGER, guidance: float = 4.0, batch: int = 8) -> Subject:
        return Subject(
            "tiny",
            trigger,
            "bear",
            unet,
            lambda p: encode(trigger, p),
            decode,
            (4, 4, 4),
            2,
            guidance,
            batch,
        )

    return make


@pytest.fixture(scope="session")
def cases() -> list[Case]:
    places = ("grass", "snow", "the beach")
    return [
        Case(f"a photo of a {TRIGGER} on {place}", n, {"subject": "bear"})
        for n, place in enumerate(places)
    ]


@pytest.fixture(scope="session")
def source(make_subject, cases) -> Source:
    torch.manual_seed(2)

    def real():
        return [torch.rand(len(cases), 3, 32, 32, generator=torch.Generator().manual_seed(3))]

    judge = WorldJudge(Classifier().eval(), lambda pictures: pictures.mean((1, 2, 3)) > 0.5)
    return Source("tiny", lambda: Trial(make_subject(), cases, cases[:1], judge, real))
