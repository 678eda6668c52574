"""Layer names of Stable Diffusion's UNet, in the LDM (ComfyUI) and the diffusers naming."""

from __future__ import annotations

from .family import FULL_PRECISION_GROUP, KV_GROUP, NORMS_GROUP, LayerNames

UNET = LayerNames(
    cross_attention="attn2",
    groups=(
        (r"(^|\.)(input_blocks\.0\.0|out\.2|conv_in|conv_out)$", FULL_PRECISION_GROUP),
        (r"(^|\.)(time_embed|label_emb|time_embedding|add_embedding)\.", FULL_PRECISION_GROUP),
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
    ),
    blocks=(
        r".*transformer_blocks\.\d+"
        r"|.*\bresnets\.\d+"
        r"|.*?(?=\.(?:in_layers|emb_layers|out_layers|skip_connection)\b)"
    ),
)
