"""Rows in memory or on disk -> what tells them from others without keeping them."""

from __future__ import annotations

import hashlib
from typing import Any

import joblib
import numpy as np

from unprior.storage._rows import row_blocks


def fingerprint(X: Any) -> str:
    """Return what tells the samples of ``fit`` from others without keeping them."""
    if X.dtype.kind != "f":
        return str(joblib.hash(np.ascontiguousarray(X)))
    # Block by block, so that rows in memory and the same rows on disk are known as the same.
    digest = hashlib.blake2b(f"{X.shape} {X.dtype}".encode())
    for _, rows in row_blocks(X):
        digest.update(np.ravel(rows).data)
    return digest.hexdigest()
