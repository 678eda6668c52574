"""The node Repo Check-in: a request in plain words becomes a loaded model and a prompt with its
trigger.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from comfy_api.latest import io
from server import PromptServer

from ..checkin.catalog.pinned import PinnedModels
from ..checkin.retrieval.embedder import embedder_name
from ..checkin.user.preferences import AUTO
from .check_in_schema import AS_SET, BASE_MODELS, schema
from .host.language import in_its_language, language_of_run
from .host.models.connected import Connected
from .host.models.decide import decide
from .host.models.repository import ALL, KINDS, choices, offered, open_repository
from .host.provenance import Provenance
from .host.user import preferences
from .outputs import outputs_of
from .payload import decision_payload, question_text
from .progress import progress_bar
from .sockets import Clarifier


class CheckIn(io.ComfyNode):
    """Repo Check-in: takes a request, gives a loaded model and the prompt."""

    @classmethod
    def define_schema(cls) -> io.Schema:
        """Title, inputs and outputs."""
        return schema()

    @classmethod
    def validate_inputs(cls, repository):
        """True, or the reason why the value is refused.

        Any subfolder name is accepted: in a shared workflow it may be a folder of another machine,
        and then all models are searched.
        """
        known = (
            repository is None or repository in choices() or repository.partition("/")[0] in KINDS
        )
        return known or f"Value not in list: there is no folder '{repository}'."

    @classmethod
    @in_its_language
    def fingerprint_inputs(
        cls,
        request,
        repository,
        base_model,
        reasoner,
        clarifier=None,
        chosen="",
        whole_prompt=False,
        model=None,
        clip=None,
        vae=None,
        draw_what_fits=False,
    ):
        """Values that make ComfyUI run the node again when they change: the models, the settings,
        the embedder that is here, the day, whether a browser watches the run, and its language.

        Of connected inputs, ComfyUI itself sees that they change; here they are None.
        """
        return (
            open_repository(ALL if chosen else offered(repository)).version,
            asdict(preferences()),
            embedder_name(AUTO),
            datetime.now().date().isoformat(),
            _nobody_watches(),
            language_of_run(),
        )

    @classmethod
    @in_its_language
    def execute(
        cls,
        request,
        repository,
        base_model,
        reasoner,
        clarifier: Clarifier | None = None,
        chosen: str = "",
        whole_prompt: bool = False,
        model=None,
        clip=None,
        vae=None,
        draw_what_fits: bool = False,
    ) -> io.NodeOutput:
        """Decide; then load the chosen model and encode the prompt, or ask a question.

        With a model connected, the LoRA is applied to it. Raises ValueError with the question if
        nobody can answer it on the canvas.
        """
        connected = Connected.of(model, clip, vae)
        when_unsure = clarifier.when_unsure if clarifier else "ask"
        answers = clarifier.answers_for(request) if clarifier else ()
        decided = decide(
            request,
            repository,
            base_model=BASE_MODELS[base_model],
            reasoner=None if reasoner == AS_SET else reasoner,
            answers=answers,
            best_match=when_unsure == "best match",
            pinned=PinnedModels.from_text(chosen),
            whole_prompt=whole_prompt,
            connected=model,
            what_fits=draw_what_fits,
            progress=progress_bar(cls.hidden.unique_id),
        )
        decision = decided.decision
        cannot_ask = decision.question and clarifier is None
        if not decision.card and (_nobody_watches() or when_unsure == "stop" or cannot_ask):
            raise ValueError(question_text(decision, connected=clarifier is not None))
        outputs, fit = outputs_of(decided, connected)
        provenance = Provenance.of_node(cls.hidden.extra_pnginfo, cls.hidden.unique_id)
        said, instead = provenance.compare(decided, answers)
        payload = decision_payload(
            decision,
            answers,
            decided.repository,
            by_hand=decided.by_hand,
            offered=instead,
            notices=[*decided.notices, *fit, *said],
        )
        provenance.save(payload["made_with"])
        return io.NodeOutput(*outputs, ui={"personalq": [payload | cls._where()]})

    @classmethod
    def _where(cls) -> dict[str, str | None]:
        """The Clarify node that shows our question, and the workflow (browser tab) of this node."""
        link = cls.hidden.prompt[cls.hidden.unique_id]["inputs"].get("clarifier")
        workflow = (cls.hidden.extra_pnginfo or {}).get("workflow", {})
        return {"clarify": link[0] if link else None, "workflow": workflow.get("id")}


def _nobody_watches() -> bool:
    """Whether the run was sent without a client id, so that no browser can show a question."""
    return PromptServer.instance.client_id is None
