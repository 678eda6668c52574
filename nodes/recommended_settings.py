"""The node Recommended Settings: the picture size and the sampler's settings that suit a model."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from comfy_api.latest import io

from ..checkin import ServingPlan
from ..checkin.decision.serving.plan import serving_plan
from ..checkin.language.intent import Intent
from ..checkin.lexicon.sentences import say
from .fingerprint import fingerprint, versions
from .host.language import in_its_language
from .host.models.card_of import card_of
from .host.models.repository import ALL
from .host.user import context, preferences
from .sockets import SAMPLER_NAME, SCHEDULER_NAME, SELECTION, SETTINGS, Selection


class RecommendedSettings(io.ComfyNode):
    """Recommended Settings: takes a model, gives picture size and the sampler's settings."""

    @classmethod
    def define_schema(cls) -> io.Schema:
        """Title, inputs and outputs."""
        return io.Schema(
            node_id="PersonalQSettings",
            display_name="Recommended Settings",
            category="PersonalQ",
            has_intermediate_output=True,
            description=(
                "The picture size, steps, CFG, sampler, scheduler, clip skip and negative prompt "
                "that suit a model: what its own metadata or its example pictures say, else what "
                "is usual for its base model (SD 1.5: 512 px, SDXL: 1024 px). Connect them to an "
                "empty latent and a sampler."
            ),
            search_aliases=[
                "resolution",
                "image size",
                "steps",
                "cfg",
                "sampler settings",
                "scheduler",
                "clip skip",
                "negative prompt",
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
                SETTINGS.Input(
                    "settings",
                    optional=True,
                    tooltip=(
                        "Repo Check-in's output with this name, instead of selection: the same "
                        "settings."
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
                SAMPLER_NAME.Output(
                    "sampler_name", "sampler_name", tooltip="The sampler, for KSampler."
                ),
                SCHEDULER_NAME.Output(
                    "scheduler", "scheduler", tooltip="The scheduler, for KSampler."
                ),
                io.Int.Output(
                    "clip_skip",
                    tooltip=(
                        "For CLIP Set Last Layer: -1 is CLIP's last layer, -2 is what others call "
                        "clip skip 2. Only SD 1.5, SD 2, SDXL and models based on them have it."
                    ),
                ),
                io.String.Output(
                    "negative", tooltip="A negative prompt, for a text encoder; often empty."
                ),
            ],
            hidden=[io.Hidden.unique_id],
        )

    @classmethod
    def fingerprint_inputs(cls, **inputs):
        """What the settings for a connected `model` depend on besides: its card, and the user's
        settings. Those of Repo Check-in come with what it gives.
        """
        if inputs.keys() & {"selection", "settings"}:
            return 0
        return fingerprint(versions([ALL], cls.hidden.unique_id), asdict(preferences()))

    @classmethod
    @in_its_language
    def execute(
        cls,
        selection: Selection | None = None,
        model=None,
        settings: ServingPlan | None = None,
    ) -> io.NodeOutput:
        """Give the settings of the choice, else those for the file that the model came from."""
        plan = settings or (selection.serving if selection else None)
        if plan is None and model is None:
            raise ValueError(
                say(
                    "Connect Repo Check-in's settings or selection, or a model: the settings "
                    "depend on the model."
                )
            )
        if plan is None:
            plan = serving_plan(Intent(""), card_of(model), context(), datetime.now().astimezone())
        why = say(
            "{width} x {height}, {steps} steps, cfg {cfg}, {sampler}, clip skip {clip_skip}. "
            "{source}.",
            width=plan.width,
            height=plan.height,
            steps=plan.steps,
            cfg=f"{plan.cfg:g}",
            sampler=f"{plan.sampler} {plan.scheduler}",
            clip_skip=plan.clip_skip,
            source=plan.made_for[:1].upper() + plan.made_for[1:],
        )
        return io.NodeOutput(
            plan.width,
            plan.height,
            plan.steps,
            plan.cfg,
            plan.sampler,
            plan.scheduler,
            plan.clip_skip,
            plan.negative,
            ui={"personalq": [{"why": why}]},
        )
