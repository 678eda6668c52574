"""What each layer of a UNet is, by its name, in the LDM (ComfyUI) and the diffusers naming."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatch

KEPT_GROUP = "in/out/time (kept)"
KV_GROUP = "cross-attention k/v"
NORMS_GROUP = "norms and biases"
OTHER_GROUP = "other"

_GROUPS: tuple[tuple[str, str], ...] = (
    (r"(^|\.)(input_blocks\.0\.0|out\.2|conv_in|conv_out)$", KEPT_GROUP),
    (r"(^|\.)(time_embed|label_emb|time_embedding|add_embedding)\.", KEPT_GROUP),
    (r"\.(emb_layers\.1|time_emb_proj)$", "time embedding projection (emb_layers)"),
    (r"\.attn2\.to_[kv]$", KV_GROUP),
    (r"\.attn2\.(to_q|to_out\.0)$", "cross-attention q/out"),
    (r"\.attn1\.(to_[qkv]|to_out\.0)$", "self-attention"),
    (r"\.ff\.net\.(0\.proj|2)$", "feed-forward"),
    (r"\.proj_(in|out)$", "transformer proj"),
    (r"\.(skip_connection|conv_shortcut)$", "shortcut 1x1"),
    (r"\.(in_layers\.2|out_layers\.3|conv[12])$", "resblock conv"),
    (r"\.((down|up)samplers\.\d+\.conv|op|conv)$", "up/down conv"),
    (r"(^|\.)(in_layers\.0|out_layers\.0|out\.0|[a-z_]*norm[a-z0-9_]*)$", NORMS_GROUP),
)
GROUPS = (*dict.fromkeys(group for _, group in _GROUPS), OTHER_GROUP)
"""Every group there is, in the order reports show them."""

_REASONS = {
    KEPT_GROUP: "few weights, and an error in the first, last or time layers reaches every pixel",
    KV_GROUP: "keys and values are projected once per prompt from the original weights",
    NORMS_GROUP: "norms are one value per channel",
}


def layer_group(name: str) -> str:
    """The group of the module (or of the `.weight`) called `name`; a `.bias` belongs to "norms and
    biases".
    """
    if name.endswith(".bias"):
        return NORMS_GROUP
    module = name.removesuffix(".weight")
    return next((group for pattern, group in _GROUPS if re.search(pattern, module)), OTHER_GROUP)


def kept(name: str) -> str | None:
    """Why the layer called `name` stays in full precision, or None if it is quantized."""
    return _REASONS.get(layer_group(name))


LayerBits = Mapping[str, int | None]
"""Pattern of layer names (as in `fnmatch`) -> 8, 4, or None = keep in full precision; the first
that matches counts.
"""


def layer_bits(name: str, bits: int, overrides: LayerBits) -> int | None:
    """Bits of the weight of the layer called `name` where the preset has `bits`; None = it stays in
    full precision.

    Keys and values of cross-attention always stay: a protected row would otherwise come from a
    quantized weight.
    """
    if layer_group(name) == KV_GROUP:
        return None
    pattern = next((pattern for pattern in overrides if fnmatch(name, pattern)), None)
    if pattern is not None:
        return overrides[pattern]
    return None if kept(name) else bits


def parse_layer_bits(text: str) -> dict[str, int | None]:
    """Overrides such as `input_blocks.1.*: keep` and `*.ff.*: 8`, one a line or with `;` between
    them; nothing between two is skipped.

    Raises ValueError that names the one it could not read.
    """
    overrides: dict[str, int | None] = {}
    for part in text.replace(";", "\n").splitlines():
        said = part.strip()
        if not said:
            continue
        pattern, colon, bits = (part.strip() for part in said.rpartition(":"))
        if not colon or not pattern or bits not in ("8", "4", "keep"):
            raise ValueError(
                f"a layer override is `pattern: 8`, `pattern: 4` or `pattern: keep`; got `{said}`"
            )
        overrides[pattern] = None if bits == "keep" else int(bits)
    return overrides
