"""A hash of tensors and plain values, to tell if two calibrations have the same weights and
batches.
"""

from __future__ import annotations

import hashlib
from typing import Any

import torch
from torch import Tensor


def fingerprint(tree: Any) -> str:
    """SHA-256, in hexadecimal, of tensors, numbers, strings and None in dicts, lists and tuples.

    Raises ValueError for anything else, because a value that is not hashed could change between two
    runs without notice.
    """
    digest = hashlib.sha256()
    _add(digest, tree)
    return digest.hexdigest()


def _add(digest: Any, tree: Any) -> None:
    if isinstance(tree, Tensor):
        digest.update(f"{tree.dtype} {tuple(tree.shape)};".encode())
        digest.update(tree.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy())
    elif isinstance(tree, dict):
        digest.update(f"dict {len(tree)};".encode())
        for key, value in tree.items():
            _add(digest, key)
            _add(digest, value)
    elif isinstance(tree, (list, tuple)):
        digest.update(f"list {len(tree)};".encode())
        for value in tree:
            _add(digest, value)
    elif tree is None or isinstance(tree, (bool, int, float, str)):
        digest.update(f"{type(tree).__name__} {tree!r};".encode())
    else:
        raise ValueError(
            "calibration batches must hold tensors, numbers, texts, lists and dicts; found "
            f"{type(tree).__name__}"
        )
