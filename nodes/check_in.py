"""The node Repo Check-in: a request in plain words becomes a loaded model and a prompt with its
trigger.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from comfy.model_management import throw_exception_if_processing_interrupted
from comfy_api.latest import io
from server import PromptServer

from ..checkin import Decision
from ..checkin.catalog.given_answers import GivenAnswers
from ..checkin.catalog.pinned import PinnedModels
from ..checkin.lexicon.sentences import say
from ..checkin.llm import OFFLINE
from ..checkin.llm.ask import INTERRUPTED
from ..checkin.llm.profiles import profile_named
from ..checkin.retrieval.embedder import embedder_name
from ..checkin.user.preferences import AUTO
from .check_in_schema import AS_SET, BASE_MODELS, schema
from .fingerprint import fingerprint, versions
from .host.language import in_its_language, language_of_run
from .host.models.connected import Connected
from .host.models.decide import decide
from .host.models.held import HeldRepositories
from .host.models.language_model import at_hand
from .host.models.own_part import parts_or_whole
from .host.models.repository import KINDS, choices, everywhere, offered
from .host.provenance import Provenance
from .host.running import is_encoded, running_graph, running_workflow
from .host.user import preferences, settings_folder
from .outputs import outputs_of
from .payload import decision_payload, question_text
from .progress import progress_bar
from .sockets import Clarifier

_UNHEARD: Counter[str | None] = Counter()
"""Node id -> its runs in which a language model gave no answer; it may the next time."""


class CheckIn(io.ComfyNode):
    """Repo Check-in: takes a request, gives a loaded model and the prompt."""

    @classmethod
    def define_schema(cls) -> io.Schema:
        """Title, inputs and outputs."""
        return schema()

    @classmethod
    def validate_inputs(cls, repository=None):
        """True, or the reason why the value is refused.

        Any subfolder name is accepted: in a shared workflow it may be a folder of another machine,
        and then all models are searched. A missing one is None: ComfyUI says that it is.
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
        answers="",
        each_in_its_place=True,
    ):
        """Values that make ComfyUI run the node again when they change: the models, the settings,
        the embedder that is here, the day, whether a browser watches the run, its language,
        whether the graph uses our conditioning, and the language model; how often it gave no
        answer; and the models that the workflow was made with.

        Of connected inputs, ComfyUI itself sees that they change; here they are None.
        """
        node = cls.hidden.unique_id
        folders = (offered(repository), everywhere(repository))  # the latter of bases and choices
        decided_from = fingerprint(
            versions(dict.fromkeys(folders), node),
            asdict(preferences()),
            embedder_name(AUTO),
            datetime.now().date().isoformat(),
            _nobody_watches(),
            not each_in_its_place or is_encoded(running_graph(), node),
            language_of_run(),
            _reasoner_of(reasoner),
            _UNHEARD[node],
            (request, repository, base_model, chosen, whole_prompt, draw_what_fits, answers),
        )
        saved = Provenance.of_node(running_workflow(), node)
        return fingerprint(decided_from, saved.key(request, decided_from))

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
        answers: str = "",
        each_in_its_place: bool = True,
    ) -> io.NodeOutput:
        """Decide; then load the chosen model and encode the prompt, or ask a question.

        With a model connected, the LoRA is applied to it. Raises ValueError with the question if
        no browser watches the run, or Clarify says to stop.
        """
        connected = Connected.of(model, clip, vae)
        when_unsure = clarifier.when_unsure if clarifier else "ask"
        given = [GivenAnswers.from_text(answers), *([clarifier.answers] if clarifier else [])]
        INTERRUPTED.set(throw_exception_if_processing_interrupted)
        opened = HeldRepositories().open  # the disk is looked at once in a run
        with at_hand():
            decided = decide(
                request,
                repository,
                base_model=BASE_MODELS[base_model],
                reasoner=None if reasoner == AS_SET else reasoner,
                given=given,
                best_match=when_unsure == "best match",
                pinned=PinnedModels.all_from_text(chosen),
                whole_prompt=whole_prompt,
                connected=model,
                what_fits=draw_what_fits,
                each_in_its_place=each_in_its_place,
                progress=progress_bar(cls.hidden.unique_id),
                opened=opened,
            )
        decision = decided.decision
        _UNHEARD[cls.hidden.unique_id] += not all(decision.asked)
        if not decision.card and (_nobody_watches() or when_unsure == "stop"):
            raise ValueError(question_text(decision, connected=clarifier is not None))
        is_used = is_encoded(cls.hidden.prompt, cls.hidden.unique_id)
        decision, parts = parts_or_whole(decision, connected, is_used)
        outputs, fit = outputs_of(decision, connected)
        provenance = Provenance.of_node(cls.hidden.extra_pnginfo, cls.hidden.unique_id)
        said, instead = provenance.compare(decided)
        payload = decision_payload(
            replace(decided, decision=decision),
            opened,
            offered=instead,
            notices=[*parts, *fit, *said, *_not_drawn(decision)],
        )
        provenance.save(payload["made_with"])
        shown = payload | {"chosen": chosen.strip(), "clarify": cls._clarify()}
        return io.NodeOutput(*outputs, ui={"personalq": [shown]})

    @classmethod
    def _clarify(cls) -> str | None:
        """The id of the Clarify node that keeps our answers.

        A node that another one made during the run, in a loop, is not in the prompt.
        """
        own = cls.hidden.prompt.get(cls.hidden.unique_id, {"inputs": {}})
        link = own["inputs"].get("clarifier")
        return link[0] if link else None


def _not_drawn(decision: Decision) -> list[str]:
    """That the run drew nothing: ComfyUI says "completed", and shows the last picture."""
    if decision.question:
        return [say("Nothing was drawn: answer the question, and the workflow runs again.")]
    return [] if decision.card else [say("Nothing was drawn.")]


def _reasoner_of(reasoner: str) -> dict[str, Any] | None:
    """The language model that is asked, as the settings describe it."""
    name = preferences().reasoner if reasoner == AS_SET else reasoner
    return None if name == OFFLINE else asdict(profile_named(name, settings_folder()))


def _nobody_watches() -> bool:
    """Whether the run was sent without a client id, so that no browser can show a question."""
    return PromptServer.instance.client_id is None
