"""Links beside a model: followed only within the folders of models.

A downloaded `x.txt` that leads to a file of the system would become a description.
"""

from __future__ import annotations

import os
from collections.abc import Iterable


def leads_out(path: str, folders: Iterable[str] = ()) -> bool:
    """Whether a file is in fact neither in the folder that it lies in nor below one of `folders`.

    The folder itself may be a link: people keep models on other disks.
    """
    real = os.path.realpath(path)
    inside = (os.path.dirname(path), *folders)
    return not any(real.startswith(os.path.join(os.path.realpath(one), "")) for one in inside)
