"""The node Repo Check-in: a request in plain words becomes a loaded model and a prompt with its trigger."""

from __future__ import annotations

from datetime import datetime

from comfy_api.latest import io
from comfy_execution.graph_utils import ExecutionBlocker
from server import PromptServer

from ..checkin import Decision, check_in
from .host.encode import encode
from .host.load import load
from .host.repository import ALL, choices, open_repository
from .host.user import context, reasoner_names, remember, settings_folder
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


class CheckIn(io.ComfyNode):
    @classmethod
    def define_schema(cls) -> io.Schema:
        return io.Schema(
            node_id="PersonalQCheckIn",
            display_name="Repo Check-in",
            category="PersonalQ",
            has_intermediate_output=True,  # what it says is shown again when the host has it in its cache
            description="Say in plain words which of your own models you want and what it should draw. Finds the model "
            "by look, style, date and version, loads it, and puts its trigger into the prompt.",
            search_aliases=["lora picker", "checkpoint picker", "find model", "load my model", "natural language"],
            inputs=[
                io.String.Input(
                    "request",
                    multiline=True,
                    default="my latest realistic bear on forest grass",
                    tooltip="What you want, in plain words: the subject, and if you like its style, version or date. "
                    "The whole text becomes the prompt, with the model's trigger in the place of its subject.",
                ),
                io.Combo.Input(
                    "repository",
                    options=choices(),
                    default=ALL,
                    tooltip="Where to look: all of ComfyUI's checkpoints and LoRAs, one kind, or one subfolder.",
                ),
                io.Combo.Input(
                    "base_model",
                    options=list(BASE_MODELS),
                    default="any",
                    tooltip="Only models of this base model.",
                ),
                io.Combo.Input(
                    "reasoner",
                    options=reasoner_names(),
                    default="offline",
                    tooltip="What decides where the rules cannot. offline: nothing is sent anywhere, and what is not "
                    "understood becomes a question. The others are asked only then, and get the request and what the "
                    "models' cards say; their keys are set outside of workflows.",
                ),
                CLARIFIER.Input(
                    "clarifier",
                    optional=True,
                    tooltip="Connect Clarify here, so that a question can be asked and its answer kept.",
                ),
            ],
            outputs=[
                io.Model.Output("model", tooltip="The chosen model; a LoRA is applied to its base checkpoint."),
                io.Clip.Output("clip", tooltip="The chosen model's text encoder."),
                io.Vae.Output("vae", tooltip="The chosen model's VAE."),
                io.Conditioning.Output(
                    "conditioning", tooltip="The rewritten prompt, encoded, with the trigger's rows marked for TAQ."
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
    def fingerprint_inputs(cls, request, repository, base_model, reasoner, clarifier=None):
        """Run again when a model was added or changed, on another day, and for a run that nobody watches."""
        return open_repository(repository).version, datetime.now().date().isoformat(), _nobody_watches()

    @classmethod
    def execute(cls, request, repository, base_model, reasoner, clarifier: Clarifier | None = None) -> io.NodeOutput:
        when_unsure = clarifier.when_unsure if clarifier else "ask"
        answers = clarifier.answers_for(request) if clarifier else ()
        models = open_repository(repository, progress_bar(cls.hidden.unique_id))
        decision = check_in(
            request,
            models,
            answers=answers,
            reasoner=reasoner,
            base_model=BASE_MODELS[base_model],
            best_match=when_unsure == "best match",
            settings=settings_folder(),
            context=context(),
        )
        if decision.card and decision.prompt:
            base = decision.base or open_repository(ALL).base_for(decision.card)  # it may lie outside of a subfolder
            loaded = load(decision.card, base)
            conditioning, _ = encode(loaded.clip, decision.prompt, decision.card.trigger)
            remember(decision.card)
            outputs = [*loaded, conditioning, decision.prompt, Selection(decision.card, decision.serving)]
        else:
            if _nobody_watches() or when_unsure == "stop" or (decision.question and clarifier is None):
                raise ValueError(as_error(decision, connected=clarifier is not None))
            outputs = [ExecutionBlocker(None)] * 6  # ends the run quietly: the question waits in the canvas
        payload = decision_payload(decision, answers, models) | cls._where()
        return io.NodeOutput(*outputs, ui={"personalq": [payload]})

    @classmethod
    def _where(cls) -> dict[str, str | None]:
        """The Clarify node that shows our question, and the workflow (browser tab) that it is in."""
        link = cls.hidden.prompt[cls.hidden.unique_id]["inputs"].get("clarifier")
        workflow = (cls.hidden.extra_pnginfo or {}).get("workflow", {})
        return {"clarify": link[0] if link else None, "workflow": workflow.get("id")}


def as_error(decision: Decision, connected: bool) -> str:
    """The question with its choices, or that nothing fits, for a run that nobody can answer in the canvas."""
    if decision.question is None:
        return decision.why
    choices = "\n".join(f"- {choice.label}: {choice.detail}" for choice in decision.question.choices)
    first = "" if connected else "Connect a Clarify node. "
    step = f"{first}Write one of these into Clarify's answer and run again, or set its when_unsure to 'best match'."
    return f"{decision.question.text}\n{choices}\n{step}"


def _nobody_watches() -> bool:
    """True for a run that was sent without a client id: no browser will show a question."""
    return PromptServer.instance.client_id is None
