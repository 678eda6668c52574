"""The node Clarify: answers for one Repo Check-in or several, and what to do without one."""

from __future__ import annotations

from comfy_api.latest import io

from ..checkin.catalog.given_answers import GivenAnswers
from .sockets import CLARIFIER, Clarifier

WHEN_UNSURE = ["ask", "best match", "stop"]


class Clarify(io.ComfyNode):
    """Clarify: takes the answers, gives a `Clarifier`."""

    @classmethod
    def define_schema(cls) -> io.Schema:
        """Title, inputs and outputs."""
        return io.Schema(
            node_id="PersonalQClarify",
            display_name="Clarify",
            category="PersonalQ",
            description=(
                "Optional. Keeps your answers to the questions of one Repo Check-in or "
                "several, to share or script them, and says what happens when several "
                "models fit: ask, take the best match, or stop."
            ),
            search_aliases=["ask", "which model", "question", "choose model"],
            inputs=[
                io.String.Input(
                    "answer",
                    default="",
                    multiline=True,
                    tooltip=(
                        "Your answers, one per line. A click on a choice in Repo Check-in writes "
                        "them, or you type them. Below a line 'for: <request>' they count only "
                        "for that request; there may be several such lines."
                    ),
                ),
                io.Combo.Input(
                    "when_unsure",
                    options=WHEN_UNSURE,
                    default="ask",
                    tooltip=(
                        "What happens when several models fit. ask: show a question in Repo "
                        "Check-in. best match: take the most likely model without asking. stop: "
                        "end with an error that lists the choices."
                    ),
                ),
            ],
            outputs=[
                CLARIFIER.Output(
                    "clarifier",
                    display_name="clarifier",
                    tooltip=(
                        "Connect to one Repo Check-in or several: each takes its own answers and "
                        "writes new ones here."
                    ),
                )
            ],
        )

    @classmethod
    def execute(cls, answer: str, when_unsure: str) -> io.NodeOutput:
        """Hand the answers to Repo Check-in."""
        return io.NodeOutput(Clarifier(GivenAnswers.from_text(answer), when_unsure))
