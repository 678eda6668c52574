"""The reranker: a cross-encoder that scores a request and a card together.

It scores only the first cards of a ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ..catalog.cards import Card
from .local_model import load_local, require_library

TASK = (
    "Given a request for a personalised image model, "
    "judge whether the model card satisfies subject, style, version and date"
)
DEPTH = 20
"""Cards that are reranked, from the top of the ranking."""

# The format that Qwen3-Reranker was trained with (README of QwenLM/Qwen3-Embedding), as a chat
# template: the task is the system message. Newer downloads of the model include such a template.
QWEN3_TEMPLATE = """\
{%- macro text(role) -%}
{%- for message in messages if message.role == role -%}
{%- if message.content is string %}{{ message.content }}
{%- else %}{{ message.content[0].text }}{% endif -%}
{%- endfor -%}
{%- endmacro -%}
<|im_start|>system
Judge whether the Document meets the requirements based on the Query and the Instruct provided. \
Note that the answer can only be "yes" or "no".<|im_end|>
<|im_start|>user
<Instruct>: {{ text("system") }}
<Query>: {{ text("query") }}
<Document>: {{ text("document") }}<|im_end|>
<|im_start|>assistant
<think>

</think>{{ "\\n\\n" }}"""


def reranker_name(setting: str | None) -> str | None:
    """The name of the reranking model for a setting; None for no reranking.

    A setting is a folder, or the name of a downloaded model that sentence-transformers loads as a
    CrossEncoder: "Qwen/Qwen3-Reranker-0.6B", "Qwen/Qwen3-Reranker-4B", or any other. Raises
    ValueError when sentence-transformers is not installed. Nothing is imported.
    """
    if setting:
        require_library("reranker", setting)
    return setting or None


@lru_cache(maxsize=1)
def load_reranker(name: str) -> Any:
    """The CrossEncoder called `name`.

    Raises ValueError if it is not on this machine, or gives more than one score for a pair.
    """
    model = load_local("reranker", name)
    if model.num_labels != 1:
        raise ValueError(
            f"reranker {name!r} gives {model.num_labels} scores for a pair; one is needed"
        )
    template = model.tokenizer.chat_template
    if template and "document" not in template:
        # Qwen3's own template has no place for a query and a document.
        model.tokenizer.chat_template = QWEN3_TEMPLATE
    return model


def relevance(name: str, request: str, cards: Sequence[Card]) -> list[float]:
    """How well each card fits the request; higher is better, on the model's own scale."""
    model = load_reranker(name)
    task = TASK if model.tokenizer.chat_template else None  # without one, it takes only pairs
    pairs = [(_data(request), card_text(card)) for card in cards]
    return model.predict(pairs, prompt=task, show_progress_bar=False).tolist()


def card_text(card: Card) -> str:
    """The text of a card that a reranker reads.

    It holds what requests ask for, without name, path and trigger.
    """
    parts = {
        "Subjects": ", ".join(card.subjects),
        "Styles": ", ".join(card.styles),
        "Version": card.version or "",
        "Date": card.created_at.date().isoformat() if card.created_at else "",
        "Base model": card.base_model or "",
        "Description": card.description[:600],
    }
    return _data(". ".join(f"{name}: {value}" for name, value in parts.items() if value))


def _data(text: str) -> str:
    """The text without the marks that separate roles in a chat format."""
    return text.replace("<|", "< |")
