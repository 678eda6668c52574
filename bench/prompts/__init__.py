"""Published prompt sets; README.md names their sources and licences."""

from .read import SETS, from_file, prompts, with_subject

__all__ = ["SETS", "from_file", "prompts", "with_subject"]
