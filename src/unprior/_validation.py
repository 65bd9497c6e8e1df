"""Checks of arrays and distance matrices, with errors that say what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from unprior._typing import Floats

#: Relative size up to which asymmetric and negative entries of a distance matrix are rounding.
ROUNDING = 1e-5

#: The same for its diagonal, where the angle of a vector with itself is the square root of a
#: rounding error; similarities have their largest entries there.
DIAGONAL_ROUNDING = 1e-3

#: Fraction of the largest number with a finite square, which leaves room for sums over columns.
LARGE_SHARE = 1e-3

#: Largest number of differences between the two halves of a distance matrix held at a time.
BLOCK_ENTRIES = 1_000_000


@dataclass(frozen=True)
class Gaps:
    """NaN or infinity in an array: the first position, its value, and the number of such rows."""

    where: tuple[int, ...]
    value: str
    n_rows: int


def find_gaps(array: Floats) -> Gaps | None:
    """Find NaN and infinity."""
    # The sum of nearly all finite arrays is finite, and takes one pass.
    with np.errstate(over="ignore", invalid="ignore"):
        if array.dtype.kind not in "fc" or np.isfinite(array.sum()):
            return None
    bad = ~np.isfinite(array)
    if not bad.any():
        return None
    where = tuple(int(index[0]) for index in np.nonzero(bad))
    value = "NaN" if np.isnan(array[where]) else "infinity"
    return Gaps(where, value, int(np.count_nonzero(bad.reshape(len(array), -1).any(axis=1))))


def refuse_gaps(who: str, name: str, gaps: Gaps | None) -> None:
    """Refuse NaN and infinity, and name the first row with one."""
    if gaps is None:
        return
    column = f", column {gaps.where[1]}" if len(gaps.where) > 1 else ""
    message = (
        f"{who}: {name!r} holds {gaps.value} (first in row {gaps.where[0]}{column}; {gaps.n_rows} "
        f"row{'s' if gaps.n_rows > 1 else ''} in all); drop or impute these samples first."
    )
    raise ValueError(message)


def check_finite(who: str, name: str, array: Floats) -> None:
    """Refuse NaN and infinity, and name the first row with one."""
    refuse_gaps(who, name, find_gaps(array))


def check_squares(who: str, name: str, array: Floats) -> None:
    """Refuse numbers so large that squared distances between their rows could overflow."""
    largest = max(float(array.max(initial=0)), -float(array.min(initial=0)))
    refuse_large(who, name, largest, array.dtype)


def refuse_large(who: str, name: str, largest: float, dtype: np.dtype[Any]) -> None:
    """Refuse numbers of a type if the square of the largest could overflow."""
    if largest > LARGE_SHARE * np.sqrt(np.finfo(dtype).max):
        message = (
            f"{who}: {name!r} holds numbers as large as {largest:.0e}, whose squares overflow in "
            f"{dtype}; divide it by a constant first."
        )
        raise ValueError(message)


def check_numeric(who: str, name: str, values: Any) -> Floats:
    """Return a float array; refuse sparse, complex and non-numeric values."""
    if issparse(values):
        message = (
            f"{who}: {name!r} takes a dense array; got a sparse matrix. Call .toarray() on it, or "
            "reduce it first, for example with sklearn.decomposition.TruncatedSVD."
        )
        raise TypeError(message)
    try:
        array = np.asarray(values)
    except ValueError:
        message = f"{who}: {name!r} takes an array of numbers; got rows of unequal lengths."
        raise ValueError(message) from None
    if array.dtype.kind == "c":
        message = f"{who}: {name!r} takes real numbers; got complex ones."
        raise ValueError(message)
    if array.dtype.kind not in "fiub":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            message = f"{who}: {name!r} takes numbers; got {array.dtype} values ({error})."
            raise ValueError(message) from error
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    return array


def check_distances(who: str, name: str, values: Any) -> Floats:
    """Return a symmetric, non-negative matrix with a zero diagonal.

    Rounding errors are corrected in a copy; larger deviations are refused. A valid matrix is
    returned unchanged.
    """
    D = check_numeric(who, name, getattr(values, "data", values) if _is_skbio(values) else values)
    if D.ndim != 2 or D.shape[0] != D.shape[1]:
        message = f"{who}: {name!r} takes a square distance matrix; got shape {D.shape}."
        raise ValueError(message)
    check_finite(who, name, D)
    if not D.size:
        return D
    slack = ROUNDING * max(float(D.max()), -float(D.min()))
    if D.min() < -slack:
        i, j = _where_largest(-D)
        message = f"{who}: {name!r} holds a negative distance, {D[i, j]:.3g} at ({i}, {j})."
        raise ValueError(message)
    diagonal = np.abs(np.diagonal(D))
    if diagonal.max() > slack / ROUNDING * DIAGONAL_ROUNDING:
        i = int(diagonal.argmax())
        message = (
            f"{who}: {name!r} takes distances, zero from a sample to itself; got {D[i, i]:.3g} at "
            f"({i}, {i}). For similarities K use the square root of K_ii + K_jj - 2 K_ij, as "
            "priors.kernel does for a prior."
        )
        raise ValueError(message)
    gap, i, j = _largest_gap(D)
    if gap > slack:
        message = (
            f"{who}: {name!r} takes symmetric distances; got {D[i, j]:.6g} at ({i}, {j}) and "
            f"{D[j, i]:.6g} at ({j}, {i}). Symmetrise it first, for example (D + D.T) / 2."
        )
        raise ValueError(message)
    if gap > 0 or diagonal.max() > 0 or D.min() < 0:
        D = D + D.T
        D /= 2
        np.maximum(D, 0, out=D)
        np.fill_diagonal(D, 0)
    return D


def _largest_gap(D: Floats) -> tuple[float, int, int]:
    """Return the largest asymmetry of a matrix and its position, in little memory."""
    gap, where, step = 0.0, (0, 0), max(1, BLOCK_ENTRIES // len(D))
    for start in range(0, len(D), step):
        rows = slice(start, start + step)
        gaps = D[rows] - D[:, rows].T
        np.abs(gaps, out=gaps)
        i, j = _where_largest(gaps)
        if gaps[i, j] > gap:
            gap, where = float(gaps[i, j]), (start + i, j)
    return gap, *where


def _where_largest(array: Floats) -> tuple[int, int]:
    i, j = divmod(int(array.argmax()), array.shape[1])
    return i, j


def _is_skbio(values: Any) -> bool:
    """Whether this looks like scikit-bio's DistanceMatrix."""
    return hasattr(values, "ids") and isinstance(getattr(values, "data", None), np.ndarray)
