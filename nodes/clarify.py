"""The node Clarify: the user's answers, saved in the workflow."""

from __future__ import annotations

from comfy_api.latest import io

from ..checkin.catalog.request_line import request_of
from ..checkin.lexicon.sentences import say
from .host.language import in_its_language
from .sockets import CLARIFIER, Clarifier

WHEN_UNSURE = ["ask", "best match", "stop"]


def parse_answer(text: str) -> tuple[str | None, tuple[str, ...]]:
    """The request and the answers in the node's text: one answer per line.

    The request is that of an optional first line `for: <request>`, else None.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    request = request_of(lines[0]) if lines else None
    return request, tuple(lines if request is None else lines[1:])


class Clarify(io.ComfyNode):
    """Clarify: takes the answers, gives a `Clarifier`."""

    @classmethod
    def define_schema(cls) -> io.Schema:
        """Title, inputs and outputs."""
        return io.Schema(
            node_id="PersonalQClarify",
            display_name="Clarify",
            category="PersonalQ",
            has_intermediate_output=True,
            description=(
                "Shows a short question when several of your models fit the request of "
                "Repo Check-in. Click a picture or type an answer: it is saved in the "
                "workflow, so the next run does not ask again."
            ),
            search_aliases=["ask", "which model", "question", "choose model"],
            inputs=[
                io.String.Input(
                    "answer",
                    default="",
                    multiline=True,
                    tooltip=(
                        "Your answers, one per line. The buttons below write them, or you type "
                        "them. With a first line 'for: <request>' they count only for that "
                        "request, and no longer when it changes."
                    ),
                ),
                io.Combo.Input(
                    "when_unsure",
                    options=WHEN_UNSURE,
                    default="ask",
                    tooltip=(
                        "What happens when several models fit. ask: show a question here. best "
                        "match: take the most likely model without asking. stop: end with an error "
                        "that lists the choices."
                    ),
                ),
            ],
            outputs=[
                CLARIFIER.Output(
                    "clarifier",
                    display_name="clarifier",
                    tooltip=(
                        "Connect to Repo Check-in: it sends your answer there and brings the "
                        "question here."
                    ),
                )
            ],
        )

    @classmethod
    @in_its_language
    def execute(cls, answer: str, when_unsure: str) -> io.NodeOutput:
        """Hand the answers to Repo Check-in."""
        request, answers = parse_answer(answer)
        said = ", ".join(answers)
        why = say("Answered: {answers}.", answers=said) if answers else say("No answers yet.")
        return io.NodeOutput(
            Clarifier(answers, request, when_unsure), ui={"personalq": [{"why": why}]}
        )
