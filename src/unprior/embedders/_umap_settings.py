"""Settings of umap-learn -> whether our layout draws with them, or umap-learn's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def lays_out(params: Mapping[str, Any]) -> bool:
    """Whether our layout knows how to draw with these settings of umap-learn."""
    return (
        not params.get("densmap")
        and not params.get("output_dens")
        and params.get("output_metric", "euclidean") in ("euclidean", "l2")
        and isinstance(params.get("n_epochs"), int | None)
    )
