"""Trigger-aware quantization of text-to-image UNets: quantizers, protected rows, attention, storage, accounting."""

from .attention import attend, cross_attention
from .kv_cache import PromptKV, PromptKVCache
from .kv_rows import StoredRows
from .quantize import quantize_, quantize_weight
from .report import Report
from .rows import PROTECT, protected_rows
from .spec import PRESETS, AttentionSpec, Preset

__all__ = [
    "PRESETS",
    "PROTECT",
    "AttentionSpec",
    "Preset",
    "PromptKV",
    "PromptKVCache",
    "Report",
    "StoredRows",
    "attend",
    "cross_attention",
    "protected_rows",
    "quantize_",
    "quantize_weight",
]
