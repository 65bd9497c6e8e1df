"""Transformations of rows that reduce a metric to a simpler one, and checks of the rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats
from unprior.geometry._sphere import unit_vectors
from unprior.storage import row_blocks


def as_floats(rows: Floats) -> Floats:
    """Return rows in double precision."""
    return np.asarray(rows, dtype=np.float64)


def as_booleans(rows: Floats) -> NDArray[np.bool_]:
    """Return whether each entry is not zero."""
    return np.asarray(rows) != 0


def as_shares(rows: Floats) -> Floats:
    """Return rows scaled to sum to one."""
    rows = as_floats(rows)
    return rows / rows.sum(axis=1, keepdims=True)


def scaled(rows: Floats, scale: Floats) -> Floats:
    """Return columns divided by their scales."""
    return as_floats(rows) / scale


def mapped(rows: Floats, matrix: Floats) -> Floats:
    """Return rows times a matrix."""
    return as_floats(rows) @ matrix


def on_unit_sphere(rows: Floats) -> Floats:
    """Return rows scaled to length one."""
    rows = as_floats(rows)
    # Dividing by the largest entry first prevents overflow and underflow of the squares.
    rows = rows / np.abs(rows).max(axis=1, keepdims=True)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def centered_on_unit_sphere(rows: Floats) -> Floats:
    """Return rows shifted to mean zero and scaled to length one."""
    rows = as_floats(rows)
    return on_unit_sphere(rows - rows.mean(axis=1, keepdims=True))


def on_globe(rows: Floats) -> Floats:
    """Return latitudes and longitudes in radians as points on the unit sphere."""
    rows = as_floats(rows)
    return unit_vectors(rows[:, 0], rows[:, 1])


NO_ZEROS = {"braycurtis", "cosine", "dice", "jensenshannon", "sokalsneath"}
NO_NEGATIVES = {"braycurtis", "jensenshannon"}


def check_rows(who: str, name: str, Z: Any, metric: str) -> None:
    """Refuse rows, in memory or stored, for which a metric is not defined."""
    if metric == "haversine":
        _check_angles(who, name, Z)
    if metric == "correlation":
        _refuse(who, name, metric, Z, lambda Z: Z.max(axis=1) == Z.min(axis=1), "is constant")
    if metric in NO_NEGATIVES:
        _refuse(who, name, metric, Z, lambda Z: (Z < 0).any(axis=1), "holds a negative number")
    if metric in NO_ZEROS:
        _refuse(who, name, metric, Z, lambda Z: ~Z.any(axis=1), "is all zeros")


def _refuse(
    who: str, name: str, metric: str, Z: Any, is_bad: Callable[[Floats], Any], what: str
) -> None:
    for start, rows in row_blocks(Z):
        bad = is_bad(rows)
        if bad.any():
            message = (
                f"{who}: row {start + int(bad.argmax())} of {name!r} {what}, for which "
                f"metric={metric!r} is not defined; drop it or use another metric."
            )
            raise ValueError(message)


def _check_angles(who: str, name: str, Z: Any) -> None:
    if Z.shape[1] != 2:
        message = (
            f"{who}: metric='haversine' takes two columns in {name!r}, latitude and longitude; "
            f"got {Z.shape[1]}."
        )
        raise ValueError(message)
    for start, rows in row_blocks(Z):
        # π/2 in single precision is slightly larger.
        far = np.abs(rows[:, 0]) > np.pi / 2 + 1e-6
        if far.any():
            row = int(far.argmax())
            message = (
                f"{who}: metric='haversine' takes radians, latitudes in [-π/2, π/2]; got "
                f"{rows[row, 0]:.6g} in row {start + row} of {name!r}. For degrees, use "
                "priors.geo(lat, lon)."
            )
            raise ValueError(message)
