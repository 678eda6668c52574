"""`personalq quantize`: write files of quantized weights before they are needed."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ..comfyui_folder import find_comfyui
from .over_models import add_ray
from .quantize_library import How, quantize_library, quantize_whole
from .terminal import counter


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the subcommand."""
    parser.add_argument(
        "checkpoints",
        nargs="+",
        type=Path,
        metavar="CHECKPOINT",
        help="a full-precision checkpoint or a UNet alone (safetensors); several, or folders, to "
        "store all that are not stored yet",
    )
    parser.add_argument("--bits", type=int, choices=(8, 4), default=8, help="of the weights")
    parser.add_argument(
        "--layers", default="", metavar="TEXT", help="'*.ff.*: 8; input_blocks.1.*: keep'"
    )
    parser.add_argument(
        "--linear-only", action="store_true", help="for ComfyUI's own loader, which knows no others"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="where to write (default: where TAQ looks for it)"
    )
    parser.add_argument("--comfyui", type=Path, help="ComfyUI's folder (default: look for one)")
    parser.add_argument(
        "--models",
        type=Path,
        metavar="FOLDER",
        help="ComfyUI's models folder, where it is elsewhere",
    )
    parser.add_argument(
        "--base", type=Path, metavar="CHECKPOINT", help="store it as its base and what is different"
    )
    parser.add_argument(
        "--energy",
        type=float,
        help="part of the difference to keep (default: as close as the whole)",
    )
    parser.add_argument("--rounding", choices=("nearest", "adaround", "brecq"), default="nearest")
    parser.add_argument("--trigger", help="for calibration: the model's trigger")
    parser.add_argument("--noun", help="for calibration: what it is (bear, person, ...)")
    parser.add_argument("--prompts", type=int, default=64)
    parser.add_argument("--iterations", type=int, default=20_000)
    parser.add_argument(
        "--learning-rate", type=float, help="default: the one that fits the iterations"
    )
    parser.add_argument("--pixels", type=int, default=512)
    add_ray(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(options: argparse.Namespace) -> int:
    """Write the file; print its name, its size, and what else is known of it.

    For several checkpoints, print what became of each. Raises ValueError, with the next step, where
    the input is wrong or torch is not installed.
    """
    try:
        from ..taq_kernels.families import parse_layer_bits
    except ModuleNotFoundError as error:
        raise ValueError(
            f"{error.name} is not installed: run this with ComfyUI's Python, which has it."
        ) from None

    overrides = parse_layer_bits(options.layers)
    if options.base and options.linear_only:
        raise ValueError("a difference is not for ComfyUI's own loader: --base or --linear-only.")
    if options.energy is not None and not options.base:
        raise ValueError("--energy is for a difference: name the checkpoint with --base.")
    if options.energy is not None and not 0 < options.energy <= 1:
        raise ValueError("--energy is a part of the difference: more than 0, at most 1.")
    options.checkpoint, *others = options.checkpoints
    if others or options.checkpoint.is_dir() or options.ray is not None:
        return quantize_library(options, overrides, _folder(options))
    _check_out(options.out)
    if options.rounding != "nearest":
        result = _calibrate(options, overrides)
    elif options.base:
        result = _difference(options, overrides)
    else:
        result = _whole(options.checkpoint, options, overrides)
    print(
        json.dumps(result)
        if options.json
        else "\n".join(f"{name}: {value}" for name, value in result.items())
    )
    return 0


def _check_out(out: Path | None) -> None:
    """Raise ValueError for a file that another program wrote, such as the checkpoint itself."""
    from ..taq_kernels.storage.files import QuantizedFileError, read_metadata

    if out is None or not out.exists():
        return
    try:
        read_metadata(out)
    except QuantizedFileError:
        raise ValueError(
            f"{out} is there and PersonalQ did not write it: name another file."
        ) from None


def _whole(
    checkpoint: Path, options: argparse.Namespace, overrides: dict[str, int | None]
) -> dict[str, Any]:
    how = How(options.bits, overrides, options.linear_only)
    path_of = partial(_path_of, options=options) if options.out is None else lambda _: options.out
    return quantize_whole(checkpoint, how, path_of, counter())


def _difference(options: argparse.Namespace, overrides: dict[str, int | None]) -> dict[str, Any]:
    from ..taq_kernels.storage.checkpoint import unet_weights
    from ..taq_kernels.storage.files import RESIDUAL_ENDING, FileMetadata, write_quantized
    from ..taq_kernels.storage.low_rank_residual import make_low_rank_residual
    from ..taq_kernels.storage.state_dict import weights_fingerprint

    personal, base = unet_weights(options.checkpoint), unet_weights(options.base)
    metadata = FileMetadata(
        weights_fingerprint(personal),
        options.bits,
        tuple(overrides.items()),
        base=weights_fingerprint(base),
    )
    if metadata.weights == metadata.base:
        raise ValueError(
            f"{options.checkpoint.name} has the weights of its base: there is no difference to "
            "store. Leave out --base."
        )
    own = FileMetadata(metadata.base, options.bits, metadata.overrides)
    made = make_low_rank_residual(
        _reads(personal),
        _reads(base),
        options.bits,
        overrides,
        energy=options.energy,
        progress=counter(),
    )
    result: dict[str, Any] = {
        "error": made.error,
        "error_whole": made.error_whole,
        "as_close": made.as_close,
    }
    if not made.as_close and options.energy is None:
        return {**result, "kept": "the whole, which is closer"} | _whole(
            options.checkpoint, options, overrides
        )
    path = options.out or _path_of(metadata, options).with_suffix(RESIDUAL_ENDING)
    write_quantized(path, made.state, metadata)
    before = sum(weight.numel() * 2 for weight in personal.values())
    result |= {"file": str(path), "bytes": made.nbytes, "ratio": round(made.nbytes / before, 4)}
    if not options.out and not _path_of(own, options).exists():
        result["base"] = _whole(options.base, options, overrides)["file"]
    return result


def _calibrate(options: argparse.Namespace, overrides: dict[str, int | None]) -> dict[str, Any]:
    if options.out or options.base or options.linear_only:
        raise ValueError(
            "calibrated weights go where TAQ looks for them: leave out --out, --base and "
            "--linear-only."
        )
    if not options.trigger or not options.noun:
        raise ValueError(
            "calibration draws the model's subject: say what it is with --trigger and --noun."
        )
    _check_drawn(options)
    sys.path.insert(0, str(_comfyui(options)))
    import comfy.cli_args
    import torch

    comfy.cli_args.args.cpu = not torch.cuda.is_available()
    import comfy.sd
    import folder_paths

    if options.models:
        folder_paths.models_dir = str(options.models)

    from ..checkin.language.trigger_prompt import prompt_form
    from ..nodes.host.taq.calibration import Effort, calibrate_model
    from ..nodes.host.taq.files import path_of
    from ..nodes.host.taq.model import QuantConfig, file_metadata
    from ..taq_kernels import PRESETS
    from ..taq_kernels.calibration import calibration_prompts

    model, clip, *_ = comfy.sd.load_checkpoint_guess_config(
        str(options.checkpoint), output_vae=False
    )
    config = QuantConfig(PRESETS[f"W{options.bits}A8"], tuple(overrides.items()), options.rounding)
    show = counter()
    made = calibrate_model(
        model,
        clip,
        calibration_prompts(prompt_form(options.trigger), options.noun, options.prompts),
        config,
        options.rounding,
        Effort(options.iterations, options.learning_rate, options.pixels),
        (lambda done, total, *_: show(done, total)) if show else None,
    )
    blocks = {block.name: [block.error_before, block.error_after] for block in made.blocks}
    return {"file": str(path_of(file_metadata(model, config))), "blocks": blocks}


def _check_drawn(options: argparse.Namespace) -> None:
    """Raise ValueError where calibration cannot draw with the checkpoint."""
    from ..checkin.lexicon.split_models import TEXT_ENCODERS
    from ..checkin.readers.header import read_header
    from ..checkin.readers.part_layouts import parts_within
    from ..taq_kernels.storage.checkpoint import unet_weights

    if options.pixels < 64:
        raise ValueError("--pixels must be 64 or more.")
    unet_weights(options.checkpoint)
    if TEXT_ENCODERS not in parts_within(read_header(options.checkpoint).shapes):
        raise ValueError(
            f"{options.checkpoint.name} has no text encoder, and calibration draws pictures: name "
            "a whole checkpoint, or use the node TAQ Calibrate."
        )


def _reads(weights: dict[str, Any]) -> dict[str, Callable[[], Any]]:
    return {name: lambda weight=weight: weight for name, weight in weights.items()}  # type: ignore[misc]


def _path_of(metadata: Any, options: argparse.Namespace) -> Path:
    from ..taq_kernels.storage.files import file_name

    return _folder(options) / file_name(metadata)


def _folder(options: argparse.Namespace) -> Path:
    return (options.models or _comfyui(options) / "models") / "personalq"


def _comfyui(options: argparse.Namespace) -> Path:
    place = find_comfyui(options.comfyui)
    if place is None:
        raise ValueError(
            "no ComfyUI was found that would use the file: give --comfyui, or --out FILE."
        )
    return place
