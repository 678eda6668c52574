"""What Repo Check-in is called, takes and gives."""

from __future__ import annotations

from comfy_api.latest import io

from ..checkin.lexicon.base_models import label_of
from .host.models.repository import ALL, choices
from .host.user import reasoner_names
from .sockets import CLARIFIER, LORA_STACK, SELECTION, SETTINGS

_OFFERED = (
    "sd15 sdxl sd3 pony illustrious noobai flux qwen-image z-image flux2 wan chroma anima krea2 "
    "hidream lumina"
).split()
BASE_MODELS = {"any": None} | {label_of(base_model): base_model for base_model in _OFFERED}
"""Each option of the input `base_model`, with the id of that base model; None for any."""
AS_SET = "as in settings"
"""The option that stands for the reasoner named in the user's settings."""


def schema() -> io.Schema:
    """Title, inputs and outputs of the node."""
    return io.Schema(
        node_id="PersonalQCheckIn",
        display_name="Repo Check-in",
        category="PersonalQ",
        # The node's message is shown again when ComfyUI takes the outputs from its cache.
        has_intermediate_output=True,
        description=(
            "Finds one of your own checkpoints or LoRAs from a request in plain words "
            "(subject, style, version, date), loads it, and puts its trigger word "
            "into the prompt. If several models fit, it asks you which one you mean."
        ),
        search_aliases=[
            "lora picker",
            "checkpoint picker",
            "find model",
            "load my model",
            "natural language",
        ],
        inputs=[
            io.String.Input(
                "request",
                multiline=True,
                default="",
                placeholder="my latest realistic bear on forest grass",
                tooltip=(
                    "What you want, in plain words: the subject and, if you like, its style, "
                    "version or date. The words for what is drawn also become the prompt: the "
                    "model's trigger word takes the place of the subject."
                ),
            ),
            io.Combo.Input(
                "repository",
                options=choices(),
                default=ALL,
                tooltip=(
                    "Where to look: all of ComfyUI's checkpoints, LoRAs and diffusion models, one "
                    "kind, or one subfolder."
                ),
            ),
            io.Combo.Input(
                "base_model",
                options=list(BASE_MODELS),
                default="any",
                tooltip=(
                    "Search only models made for this base model, for example only those for "
                    "SDXL. any: search all."
                ),
            ),
            io.Combo.Input(
                "reasoner",
                options=[AS_SET, *reasoner_names()],
                default=AS_SET,
                tooltip=(
                    "You can leave this as it is. Who is asked when it is not clear which "
                    "model you mean. offline: nobody. Nothing leaves this computer, and what "
                    "was not understood becomes a question to you. as in settings: what you "
                    "chose in ComfyUI's settings under PersonalQ. Other names are language "
                    "models: they are asked only in this case, and receive your request and "
                    "what is known of at most 40 models, such as names, tags and dates. API "
                    "keys are never part of a workflow."
                ),
            ),
            CLARIFIER.Input(
                "clarifier",
                optional=True,
                tooltip=(
                    "Optional: a Clarify node, which keeps the answers in place of this node "
                    "and says what happens when several models fit."
                ),
            ),
            io.String.Input(
                "chosen",
                optional=True,
                default="",
                multiline=True,
                advanced=True,
                tooltip=(
                    "Models that you picked by hand, as plain text: a line for each. The "
                    "buttons on the node write it; a model's name is enough. Behind it may "
                    "stand what you want of it: 'nelson_v3; strength: 0.8; triggers: off', or "
                    "'nelson_v3; off'. A first line 'for: <request>' limits it to that "
                    "request. Empty: the request decides."
                ),
            ),
            io.Boolean.Input(
                "whole_prompt",
                optional=True,
                default=False,
                tooltip=(
                    "What becomes the prompt. Off: words that only chose the model ('my "
                    "latest', 'from last winter', 'but not the cartoon one') are left out; "
                    "the node shows them struck through. On: the whole request, as the paper "
                    "does."
                ),
            ),
            io.Model.Input(
                "model",
                optional=True,
                tooltip=(
                    "A model from any loader, to work inside a workflow that you have: only "
                    "LoRAs that fit it are chosen, and the LoRA is applied to it, as a LoRA "
                    "loader does. Not connected: Repo Check-in loads the model itself."
                ),
            ),
            io.Clip.Input(
                "clip",
                optional=True,
                tooltip=(
                    "The text encoder of the connected model. Without it, only the model gets "
                    "the LoRA, and there is no conditioning."
                ),
            ),
            io.Vae.Input(
                "vae",
                optional=True,
                tooltip="The VAE of the connected model. It comes out as it is.",
            ),
            io.Boolean.Input(
                "draw_what_fits",
                optional=True,
                default=False,
                advanced=True,
                tooltip=(
                    "If the request asks for several models ('my bear in my ink style, with "
                    "the lightning lora'). Off: if one of them is not here, or fits no base "
                    "model of the others, the node says so and draws nothing. On: it draws "
                    "with the rest, and says what is left out."
                ),
            ),
            io.String.Input(
                "answers",
                optional=True,
                default="",
                multiline=True,
                advanced=True,
                tooltip=(
                    "Your answers to the questions of this node, one per line. The buttons on the "
                    "node write them. Below a line 'for: <request>' they count only for that "
                    "request, and for those that ask for the same models."
                ),
            ),
            io.Boolean.Input(
                "each_in_its_place",
                optional=True,
                default=True,
                advanced=True,
                tooltip=(
                    "If the request means several subjects ('pip next to juno'), each with a LoRA "
                    "of its own. On: each is drawn in its own part of the picture, from left to "
                    "right as in the request, with its LoRA on that part alone. Off: all LoRAs "
                    "are on the whole picture, and often mix."
                ),
            ),
        ],
        outputs=[
            io.Model.Output(
                "model",
                tooltip=(
                    "The chosen model. A LoRA comes applied to the connected model, else to "
                    "its base checkpoint. LoRAs of several subjects come with the conditioning."
                ),
            ),
            io.Clip.Output("clip", tooltip="The chosen model's text encoder."),
            io.Vae.Output("vae", tooltip="The chosen model's VAE."),
            io.Conditioning.Output(
                "conditioning",
                tooltip=(
                    "The rewritten prompt, encoded for a sampler. The tokens of the trigger "
                    "word are marked, so that TAQ Quantize Model can protect them. Of several "
                    "subjects, it holds one prompt for each, with its LoRA and its part of the "
                    "picture."
                ),
            ),
            io.String.Output(
                "prompt",
                tooltip="What is drawn of the request, with the model's trigger word in it.",
            ),
            SELECTION.Output(
                "selection",
                display_name="selection",
                tooltip=(
                    "Which model was chosen and how best to run it. For Trigger Rewrite, "
                    "Recommended Settings and TAQ Quantize Model."
                ),
            ),
            LORA_STACK.Output(
                "lora_stack",
                "lora_stack",
                tooltip=(
                    "The chosen LoRAs with their strengths, for the nodes of other packs that "
                    "take a LoRA stack. The model and the conditioning have them already."
                ),
            ),
            SETTINGS.Output(
                "settings",
                "settings",
                tooltip="How best to run the choice, for Recommended Settings.",
            ),
        ],
        hidden=[io.Hidden.unique_id, io.Hidden.prompt, io.Hidden.extra_pnginfo],
    )
