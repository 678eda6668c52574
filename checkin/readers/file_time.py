"""The file's modification time, the last resort for a date.

The card's sources mark such a date.
"""

from __future__ import annotations

from .dates import moment_at
from .model_file import Fields, ModelFile, Report
from .reader import Reader


def read(model: ModelFile, report: Report) -> Fields:
    """`created_at`, from the modification time, in the local zone."""
    return {"created_at": moment_at(model.modified)}


READERS = (Reader("file_time", "file time", read, {"created_at": 70}),)
