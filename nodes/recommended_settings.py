"""The node Recommended Settings: the picture size, steps and guidance that suit a model."""

from __future__ import annotations

from datetime import datetime

from comfy_api.latest import io

from ..checkin.decision.serving import serving_plan
from .host.models.card_of import card_of
from .host.user import context
from .sockets import SELECTION, Selection


class RecommendedSettings(io.ComfyNode):
    """Recommended Settings: takes a model, gives picture size, steps and guidance."""

    @classmethod
    def define_schema(cls) -> io.Schema:
        """Title, inputs and outputs."""
        return io.Schema(
            node_id="PersonalQSettings",
            display_name="Recommended Settings",
            category="PersonalQ",
            has_intermediate_output=True,
            description=(
                "The picture size, steps and CFG that suit a model: what its own metadata "
                "says, else what is usual for its base model (SD 1.5: 512 px, SDXL: 1024 "
                "px). Connect them to an empty latent and a sampler."
            ),
            search_aliases=[
                "resolution",
                "image size",
                "steps",
                "cfg",
                "sampler settings",
                "model defaults",
            ],
            inputs=[
                SELECTION.Input(
                    "selection",
                    optional=True,
                    tooltip=(
                        "The model that Repo Check-in chose. A LoRA gets the settings of its base "
                        "checkpoint, unless its own metadata says more."
                    ),
                ),
                io.Model.Input(
                    "model",
                    optional=True,
                    tooltip=(
                        "A model from another loader. Not needed when selection is connected."
                    ),
                ),
            ],
            outputs=[
                io.Int.Output(
                    "width", tooltip="Width of the picture in pixels, for an empty latent."
                ),
                io.Int.Output(
                    "height", tooltip="Height of the picture in pixels, for an empty latent."
                ),
                io.Int.Output(
                    "steps", tooltip="Sampling steps; fewer when the request asks for a draft."
                ),
                io.Float.Output("cfg", tooltip="Guidance strength (CFG), for a sampler."),
            ],
        )

    @classmethod
    def execute(cls, selection: Selection | None = None, model=None) -> io.NodeOutput:
        """Give the settings of the selection, else those for the file that the model came from."""
        if selection is None and model is None:
            raise ValueError(
                "Connect Repo Check-in's selection, or a model: the settings depend on the model."
            )
        if selection:
            plan = selection.serving
        else:
            plan = serving_plan("", card_of(model), context(), datetime.now().astimezone())
        why = (
            f"{plan.width} x {plan.height}, {plan.steps} steps, cfg {plan.cfg:g}: {plan.made_for}."
        )
        return io.NodeOutput(
            plan.width, plan.height, plan.steps, plan.cfg, ui={"personalq": [{"why": why}]}
        )
