"""Trigger-aware quantization of text-to-image UNets: quantizers, protected tokens, attention,
storage, accounting.
"""

from .attention.cross_attention import attend, cross_attention
from .attention.kv_cache import PromptKV, PromptKVCache
from .attention.kv_tokens import StoredTokens
from .attention.protected_tokens import protected_tokens
from .quantize import quantize_, quantize_weight
from .report import Report
from .spec import PRESETS, PROTECT, AttentionSpec, Preset

__all__ = [
    "PRESETS",
    "PROTECT",
    "AttentionSpec",
    "Preset",
    "PromptKV",
    "PromptKVCache",
    "Report",
    "StoredTokens",
    "attend",
    "cross_attention",
    "protected_tokens",
    "quantize_",
    "quantize_weight",
]
