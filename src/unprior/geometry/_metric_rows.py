"""Rows -> rows in which a plain metric measures what another one means, and what they must be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats
from unprior.geometry._sphere import unit_vectors
from unprior.storage import row_blocks


def as_floats(rows: Floats) -> Floats:
    """Rows in double precision."""
    return np.asarray(rows, dtype=np.float64)


def as_booleans(rows: Floats) -> NDArray[np.bool_]:
    """Whether each entry is not zero."""
    return np.asarray(rows) != 0


def as_shares(rows: Floats) -> Floats:
    """Rows that sum to one."""
    rows = as_floats(rows)
    return rows / rows.sum(axis=1, keepdims=True)


def scaled(rows: Floats, scale: Floats) -> Floats:
    """Each column divided by its scale."""
    return as_floats(rows) / scale


def mapped(rows: Floats, matrix: Floats) -> Floats:
    """Rows times a matrix."""
    return as_floats(rows) @ matrix


def on_unit_sphere(rows: Floats) -> Floats:
    """Rows of length one."""
    rows = as_floats(rows)
    # Dividing by the largest entry first keeps the squares of huge and tiny rows in range.
    rows = rows / np.abs(rows).max(axis=1, keepdims=True)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def centered_on_unit_sphere(rows: Floats) -> Floats:
    """Rows of mean zero and length one."""
    rows = as_floats(rows)
    return on_unit_sphere(rows - rows.mean(axis=1, keepdims=True))


def on_globe(rows: Floats) -> Floats:
    """Latitude and longitude in radians as points of the unit sphere."""
    rows = as_floats(rows)
    return unit_vectors(rows[:, 0], rows[:, 1])


NO_ZEROS = {"braycurtis", "cosine", "dice", "jensenshannon", "sokalsneath"}
NO_NEGATIVES = {"braycurtis", "jensenshannon"}


def check_rows(who: str, name: str, Z: Any, metric: str) -> None:
    """Refuse rows, in memory or stored, for which a metric is not defined, naming the first."""
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
                f"metric={metric!r} is not defined; drop it or take another metric."
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
        # A right angle in single precision is a little more than one.
        far = np.abs(rows[:, 0]) > np.pi / 2 + 1e-6
        if far.any():
            row = int(far.argmax())
            message = (
                f"{who}: metric='haversine' takes radians, latitudes in [-π/2, π/2]; got "
                f"{rows[row, 0]:.6g} in row {start + row} of {name!r}. For degrees, use "
                "priors.geo(lat, lon)."
            )
            raise ValueError(message)
