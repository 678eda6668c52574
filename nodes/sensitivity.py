"""The node TAQ Sensitivity: which tokens of a prompt change the picture most when quantized."""

from __future__ import annotations

from comfy_api.latest import io

from ..checkin.lexicon.sentences import say_number
from .host.language import in_its_language
from .host.taq.bar_chart import bar_chart, strip
from .host.taq.sensitivity import Sampling, TokenSensitivity, measure, tokens_of
from .host.text.encode import encode
from .progress import progress_bar
from .sockets import SELECTION, Selection

SHOWN = 5
"""How many tokens the strip shows after the unquantized picture: those that change it most."""


class Sensitivity(io.ComfyNode):
    """TAQ Sensitivity: takes a model and a prompt, gives the error of each token."""

    @classmethod
    def define_schema(cls) -> io.Schema:
        """Title, inputs and outputs."""
        return io.Schema(
            node_id="PersonalQSensitivity",
            display_name="TAQ Sensitivity",
            category="PersonalQ",
            is_output_node=True,
            description=(
                "For the curious: no picture needs this node. Shows which words of a prompt "
                "suffer most from quantization: quantizes one token (a piece of a word) at a "
                "time and measures how much the picture changes. Draws one picture for each "
                "token and seed."
            ),
            search_aliases=["token importance", "trigger", "quantization error", "taq"],
            inputs=[
                io.Model.Input("model", tooltip="The full-precision model."),
                io.Clip.Input("clip", tooltip="Its text encoder."),
                io.Vae.Input("vae", tooltip="Its VAE. The pictures that it decodes are compared."),
                io.String.Input(
                    "text", multiline=True, default="a photo of a bear", tooltip="The prompt."
                ),
                io.Conditioning.Input(
                    "negative", tooltip="The negative prompt, as for the sampler."
                ),
                io.Combo.Input(
                    "bits",
                    options=["8", "4", "3", "2"],
                    default="4",
                    tooltip="Bits that each token is quantized to.",
                ),
                io.Int.Input(
                    "seed", default=0, min=0, max=2**32 - 1, tooltip="Seed of the first picture."
                ),
                io.Int.Input(
                    "seeds",
                    default=1,
                    min=1,
                    max=32,
                    tooltip="How many pictures to average over, each with the next seed.",
                ),
                io.Int.Input(
                    "steps", default=12, min=1, max=200, tooltip="Sampling steps (sampler euler)."
                ),
                io.Float.Input(
                    "cfg",
                    default=7.0,
                    min=0.0,
                    max=30.0,
                    step=0.1,
                    tooltip=("Guidance strength (CFG): how closely pictures follow the prompt."),
                ),
                io.Int.Input(
                    "width",
                    default=512,
                    min=64,
                    max=2048,
                    step=8,
                    tooltip="Width of the pictures in pixels.",
                ),
                io.Int.Input(
                    "height",
                    default=512,
                    min=64,
                    max=2048,
                    step=8,
                    tooltip="Height of the pictures in pixels.",
                ),
                SELECTION.Input(
                    "selection",
                    optional=True,
                    tooltip="From Repo Check-in: which tokens are the trigger.",
                ),
            ],
            outputs=[
                io.Image.Output(
                    "chart", tooltip="A bar for each token; those of the trigger word are red."
                ),
                io.Image.Output(
                    "strip",
                    tooltip=(
                        "The picture without quantization, and those of the most sensitive tokens."
                    ),
                ),
                io.String.Output(
                    "table", tooltip="Tokens, their positions in the prompt, and errors, as text."
                ),
            ],
            hidden=[io.Hidden.unique_id],
        )

    @classmethod
    @in_its_language
    def execute(
        cls,
        model,
        clip,
        vae,
        text,
        negative,
        bits,
        seed,
        seeds,
        steps,
        cfg,
        width,
        height,
        selection: Selection | None = None,
    ) -> io.NodeOutput:
        """Quantize one token at a time and compare the pictures."""
        tokens = tokens_of(clip, text, selection.card.trigger if selection else None)
        positive, _ = encode(clip, text, None)
        sampling = Sampling(tuple(range(seed, seed + seeds)), steps, cfg, width, height)
        progress = progress_bar(cls.hidden.unique_id)
        exact, results = measure(
            model, vae, positive, negative, tokens, int(bits), sampling, progress
        )
        title = (  # drawn with a font for Latin letters
            f"Error of the picture when one token is quantized to {bits} bits "
            f"({seeds} seed{'s'[: seeds > 1]})"
        )
        chart = bar_chart(
            title, [(each.token.label, each.delta, each.token.is_trigger) for each in results]
        )
        most = sorted(results, key=lambda each: -each.delta)[:SHOWN]
        pictures = strip(
            [("unquantized", exact), *((each.token.label, each.picture) for each in most)]
        )
        table = "\n".join(
            f"{each.token.label}\t{_positions(each.token.positions)}\t{each.delta:.3e}"
            for each in results
        )
        why = say_number(
            seeds,
            "One token at a time in {bits} bits, {number} seed: {token} changes the picture most.",
            "One token at a time in {bits} bits, {number} seeds: {token} changes the picture most.",
            bits=bits,
            token=most[0].token.label,
        )
        said = {"why": why, "tokens": [_bar(each) for each in results]}
        return io.NodeOutput(
            chart, pictures, f"token\tpositions\terror\n{table}", ui={"personalq": [said]}
        )


def _bar(result: TokenSensitivity) -> dict[str, str | float | bool]:
    """A bar of the chart that the node shows."""
    token = result.token
    return {
        "label": token.label,
        "rows": _positions(token.positions),
        "error": result.delta,
        "trigger": token.is_trigger,
    }


def _positions(positions: tuple[int, ...]) -> str:
    return str(positions[0]) if len(positions) == 1 else f"{positions[0]}-{positions[-1]}"
