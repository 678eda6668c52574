"""The node Describe Models: writes what each model draws into its sidecar."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from comfy.model_management import throw_exception_if_processing_interrupted
from comfy_api.latest import io

from ..checkin.describe import describe_models, describer_named, in_turn
from ..checkin.llm.ask import INTERRUPTED
from .fingerprint import fingerprint, versions
from .host.language import in_its_language
from .host.models import render
from .host.models.repository import ALL, choices, open_repository
from .host.user import preferences, reasoner_names, settings_folder
from .progress import progress_bar

WHICH = {"not described": False, "described by a program": True}

_WITH_FAILURES: Counter[str] = Counter()
"""Folder -> its runs in which models could not be described."""
_FAILED: dict[str, datetime] = {}
"""Path of a model -> when it could not be described; others have their turn before it."""


class Describe(io.ComfyNode):
    """Describe Models: takes a folder, writes descriptions into sidecars."""

    @classmethod
    def define_schema(cls) -> io.Schema:
        """Title, inputs and outputs."""
        return io.Schema(
            node_id="PersonalQDescribe",
            display_name="Describe Models",
            category="PersonalQ",
            is_output_node=True,
            description=(
                "Writes a description for models that have none, so that Repo Check-in "
                "can find them: from a few pictures that each model draws, or from the "
                "captions that it was trained on. It is saved in a text file beside the "
                "model."
            ),
            search_aliases=["caption models", "tag models", "model description", "auto tag"],
            inputs=[
                io.Combo.Input(
                    "repository",
                    options=choices(),
                    default=ALL,
                    tooltip="Which models to describe: all, one kind, or one subfolder.",
                ),
                io.Combo.Input(
                    "describer",
                    options=reasoner_names(vision=True),
                    default="offline",
                    tooltip=(
                        "Who writes the description. offline: this computer, from the training "
                        "captions in the model file; nothing is sent anywhere. Other names are "
                        "language models that look at pictures: they receive at most four "
                        "pictures of the model and its captions."
                    ),
                ),
                io.Combo.Input(
                    "models",
                    options=list(WHICH),
                    default="not described",
                    tooltip=(
                        "not described: models without a description. described by a program: "
                        "also those that this node has described before. What a person wrote is "
                        "never changed."
                    ),
                ),
                io.Int.Input(
                    "pictures",
                    default=2,
                    min=0,
                    max=len(render.SCENES),
                    tooltip=(
                        "How many pictures to draw with a model that has none beside it. They are "
                        "saved, and shown in questions too."
                    ),
                ),
                io.Int.Input(
                    "side",
                    default=512,
                    min=64,
                    max=2048,
                    step=8,
                    tooltip="Width and height of these pictures in pixels.",
                ),
                io.Int.Input(
                    "limit",
                    default=0,
                    min=0,
                    max=100_000,
                    tooltip="How many models to describe in one run, at most. 0: all.",
                ),
            ],
            outputs=[
                io.String.Output(
                    "report", tooltip="Which models were described, which were not, and why."
                )
            ],
            hidden=[io.Hidden.unique_id],
        )

    @classmethod
    def fingerprint_inputs(cls, repository, **inputs):
        """The version of the folder: the node runs again when a model was added or changed, and
        after models could not be described.
        """
        return fingerprint(versions([repository], cls.hidden.unique_id), _WITH_FAILURES[repository])

    @classmethod
    @in_its_language
    def execute(
        cls, repository, describer: str, models: str, pictures: int, side: int, limit: int
    ) -> io.NodeOutput:
        """Describe the models that need it."""
        INTERRUPTED.set(throw_exception_if_processing_interrupted)
        opened = open_repository(repository)
        everything = open_repository(ALL)
        waiting = in_turn(opened.cards, WHICH[models], _FAILED)
        bases = preferences().bases
        now = datetime.now().astimezone()

        def draw(card):
            return render.render(card, everything.base_for(card, bases), pictures, side)

        outcome = describe_models(
            waiting,
            describer_named(describer, settings_folder()),
            describer,
            now=now,
            pictures=draw if describer != "offline" else lambda card: (),
            progress=progress_bar(cls.hidden.unique_id),
            limit=limit or None,
        )
        failed = {card_id for card_id, _ in outcome.failed}
        _FAILED.update({str(card.path): now for card in waiting if card.id in failed})
        _WITH_FAILURES[repository] += bool(failed)
        shown = {"why": outcome.text(), "failed": len(outcome.failed)}
        return io.NodeOutput(outcome.text(), ui={"personalq": [shown]})
