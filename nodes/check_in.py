"""The node Repo Check-in: a request in plain words becomes a loaded model and a prompt with its
trigger.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import datetime

from comfy_api.latest import io
from comfy_execution.graph_utils import ExecutionBlocker
from server import PromptServer

from ..checkin import Decision, check_in
from ..checkin.catalog.reference import PinnedModel
from ..checkin.decision.serving import serving_plan
from .host.models.load import load
from .host.models.offers import made_with
from .host.models.repository import ALL, KINDS, choices, offered, open_repository
from .host.saved_node import MADE_WITH, properties_of
from .host.text.encode import encode
from .host.user import context, preferences, reasoner_names, remember, settings_folder
from .payload import decision_payload
from .progress import progress_bar
from .sockets import CLARIFIER, SELECTION, Clarifier, Selection

BASE_MODELS = {
    "any": None,
    "SD 1.5": "sd15",
    "SDXL": "sdxl",
    "SD 3": "sd3",
    "Pony": "pony",
    "Illustrious": "illustrious",
    "NoobAI": "noobai",
    "Flux": "flux",
    "Qwen-Image": "qwen-image",
    "Z-Image": "z-image",
}


AS_SET = "as in settings"
"""The reasoner that the user's settings name."""


class CheckIn(io.ComfyNode):
    @classmethod
    def define_schema(cls) -> io.Schema:
        return io.Schema(
            node_id="PersonalQCheckIn",
            display_name="Repo Check-in",
            category="PersonalQ",
            # what it says is shown again when the host has it in its cache
            has_intermediate_output=True,
            description=(
                "Say in plain words which of your own models you want and what it should draw. "
                "Finds the model by look, style, date and version, loads it, and puts its trigger "
                "into the prompt."
            ),
            search_aliases=[
                "lora picker",
                "checkpoint picker",
                "find model",
                "load my model",
                "natural language",
            ],
            inputs=[
                io.String.Input(
                    "request",
                    multiline=True,
                    default="my latest realistic bear on forest grass",
                    tooltip=(
                        "What you want, in plain words: the subject, and if you like its style, "
                        "version or date. The whole text becomes the prompt, with the model's "
                        "trigger in the place of its subject."
                    ),
                ),
                io.Combo.Input(
                    "repository",
                    options=choices(),
                    default=ALL,
                    tooltip=(
                        "Where to look: all of ComfyUI's checkpoints and LoRAs, one kind, or one "
                        "subfolder."
                    ),
                ),
                io.Combo.Input(
                    "base_model",
                    options=list(BASE_MODELS),
                    default="any",
                    tooltip="Only models of this base model.",
                ),
                io.Combo.Input(
                    "reasoner",
                    options=[AS_SET, *reasoner_names()],
                    default=AS_SET,
                    tooltip=(
                        "What decides where the rules cannot. as in settings: what you chose in "
                        "ComfyUI's settings under PersonalQ. offline: nothing is sent anywhere, "
                        "and what is not understood becomes a question. The others are asked only "
                        "then, and get the request and what the models' cards say; their keys are "
                        "set outside of workflows."
                    ),
                ),
                CLARIFIER.Input(
                    "clarifier",
                    optional=True,
                    tooltip=(
                        "Connect Clarify here, so that a question can be asked and its answer kept."
                    ),
                ),
                io.String.Input(
                    "chosen",
                    optional=True,
                    default="",
                    multiline=True,
                    advanced=True,
                    tooltip=(
                        "The model that you chose by hand, as plain text: its buttons write it. A "
                        "model's name is enough. A first line 'for: <request>' ties it to that "
                        "request. Empty: the request decides."
                    ),
                ),
            ],
            outputs=[
                io.Model.Output(
                    "model", tooltip="The chosen model; a LoRA is applied to its base checkpoint."
                ),
                io.Clip.Output("clip", tooltip="The chosen model's text encoder."),
                io.Vae.Output("vae", tooltip="The chosen model's VAE."),
                io.Conditioning.Output(
                    "conditioning",
                    tooltip=(
                        "The rewritten prompt, encoded, with the trigger's rows marked for TAQ."
                    ),
                ),
                io.String.Output("prompt", tooltip="The request with the model's trigger in it."),
                SELECTION.Output(
                    "selection",
                    display_name="selection",
                    tooltip="The choice, for Trigger Rewrite and TAQ Quantize Model.",
                ),
            ],
            hidden=[io.Hidden.unique_id, io.Hidden.prompt, io.Hidden.extra_pnginfo],
        )

    @classmethod
    def validate_inputs(cls, repository):
        """A subfolder that only another machine has is no error: a shared workflow finds its models
        in all of them.
        """
        known = (
            repository is None or repository in choices() or repository.partition("/")[0] in KINDS
        )
        return known or f"Value not in list: there is no folder '{repository}'."

    @classmethod
    def fingerprint_inputs(
        cls, request, repository, base_model, reasoner, clarifier=None, chosen=""
    ):
        """Run again when a model or a setting was changed, on another day, and for a run that
        nobody watches.
        """
        return (
            open_repository(ALL if chosen else offered(repository)).version,
            asdict(preferences()),
            datetime.now().date().isoformat(),
            _nobody_watches(),
        )

    @classmethod
    def execute(
        cls,
        request,
        repository,
        base_model,
        reasoner,
        clarifier: Clarifier | None = None,
        chosen: str = "",
    ) -> io.NodeOutput:
        when_unsure = clarifier.when_unsure if clarifier else "ask"
        answers = clarifier.answers_for(request) if clarifier else ()
        picked = PinnedModel.from_text(chosen)
        by_hand = picked.reference if picked and picked.is_for(request) else None
        # A model that was chosen by hand is looked for everywhere: elsewhere it may lie in another
        # folder.
        models = open_repository(
            ALL if by_hand else offered(repository), progress_bar(cls.hidden.unique_id)
        )
        wanted = preferences()
        decision = check_in(
            request,
            models,
            answers=answers,
            reasoner=wanted.reasoner if reasoner == AS_SET else reasoner,
            base_model=BASE_MODELS[base_model],
            best_match=when_unsure == "best match",
            settings=settings_folder(),
            context=context(),
            most_questions=wanted.questions,
            chosen=by_hand,
        )
        notices = []
        if picked and not by_hand:
            notices.append(f"You chose {picked.reference} for another request.")
        if repository not in choices():
            notices.append(f"There is no folder '{repository}' here: looked in all models.")
        if (card := decision.card) and (prompt := decision.prompt):
            if decision.base is None and (base := open_repository(ALL).base_for(card)):
                # It lies outside of the subfolder that was looked in, and how the model is run
                # depends on it.
                plan = serving_plan(
                    request, card, decision.context, datetime.now().astimezone(), base
                )
                decision = replace(decision, base=base, serving=plan)
            loaded = load(card, decision.base)
            conditioning, _ = encode(loaded.clip, prompt, card.trigger)
            remember(card)
            outputs = [*loaded, conditioning, prompt, Selection(card, decision.serving)]
        else:
            if (
                _nobody_watches()
                or when_unsure == "stop"
                or (decision.question and clarifier is None)
            ):
                raise ValueError(as_error(decision, connected=clarifier is not None))
            outputs = [
                ExecutionBlocker(None)
            ] * 6  # ends the run quietly: the question waits in the canvas
        properties = properties_of(cls.hidden.extra_pnginfo, cls.hidden.unique_id)
        made = None if by_hand else PinnedModel.from_text(str(properties.get(MADE_WITH, "")))
        said, instead = made_with(made, decision, answers, models)
        payload = decision_payload(
            decision,
            answers,
            models,
            by_hand=bool(by_hand),
            offered=instead,
            notices=[*notices, *said],
        )
        if payload["made_with"]:
            properties[MADE_WITH] = payload[
                "made_with"
            ]  # so that pictures of this very run carry it
        return io.NodeOutput(*outputs, ui={"personalq": [payload | cls._where()]})

    @classmethod
    def _where(cls) -> dict[str, str | None]:
        """The Clarify node that shows our question, and the workflow (browser tab) that it is
        in.
        """
        link = cls.hidden.prompt[cls.hidden.unique_id]["inputs"].get("clarifier")
        workflow = (cls.hidden.extra_pnginfo or {}).get("workflow", {})
        return {"clarify": link[0] if link else None, "workflow": workflow.get("id")}


def as_error(decision: Decision, connected: bool) -> str:
    """The question with its choices, or that nothing fits, for a run that nobody can answer in the
    canvas.
    """
    if decision.question is None:
        near = [f"- {miss.card.name}" for miss in decision.near]
        if near:
            near.append("To take one of these, write its name into chosen and run again.")
        return "\n".join([decision.why, *near])
    choices = "\n".join(
        f"- {choice.label}: {choice.detail}" for choice in decision.question.choices
    )
    first = "" if connected else "Connect a Clarify node. "
    step = (
        f"{first}Write one of these into Clarify's answer and run again, or set its when_unsure to "
        "'best match'."
    )
    return f"{decision.question.text}\n{choices}\n{step}"


def _nobody_watches() -> bool:
    """True for a run that was sent without a client id: no browser will show a question."""
    return PromptServer.instance.client_id is None
