"""Published prompt sets; README.md names their sources and licences."""

from .read import SETS, prompts

__all__ = ["SETS", "prompts"]
