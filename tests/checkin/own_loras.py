"""LoRAs as people train and download them, for tests of libraries of files."""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

from . import make_files as make

FIRST_DAY = 1_750_000_000.0
"""15 June 2025, in seconds since 1970."""
DAY = 86_400


def own(folder: Path, name: str, day: int, trigger: str, captions: str = "", **made) -> None:
    """A LoRA that the user trained; `captions` are those of half of its pictures."""
    frequency = {trigger: 20} | dict.fromkeys(filter(None, captions.split(", ")), 10)
    make.make_lora(
        folder / f"{name}.safetensors",
        made.get("base", "sdxl"),
        {
            "ss_output_name": name,
            "ss_network_module": "networks.lora",
            "ss_base_model_version": "sdxl_base_v1-0" if made.get("base") is None else "sd_v1",
            "ss_training_finished_at": str(FIRST_DAY + day * DAY),
            "ss_dataset_dirs": make.json.dumps({f"10_{trigger}": {"img_count": 20}}),
            "ss_tag_frequency": make.json.dumps({f"10_{trigger}": frequency}),
        },
    )


def downloaded(
    folder: Path, name: str, title: str, tags: list[str], words: str = "", *, base: str = "sdxl"
) -> None:
    """A LoRA with what Civitai says of it; `base` is "sdxl" or "sd15"."""
    model = make.make_lora(folder / f"{name}.safetensors", base)
    said = {"sdxl": "SDXL 1.0", "sd15": "SD 1.5"}[base]
    about = {"name": "v1", "baseModel": said, "trainedWords": [words] if words else []}
    about |= {"createdAt": "2025-01-01T00:00:00Z", "id": crc32(name.encode())}
    make.beside(
        model, ".civitai.info", about | {"model": {"name": title, "type": "LORA", "tags": tags}}
    )
