"""Warnings about data that would make a map misleading: ids, codes, scales, copies."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._ids import are_ids
from unprior._typing import Floats
from unprior._warnings import DataWarning, caller_level
from unprior.kernels._splitmix import FACTORS

#: Fraction of the variance at which columns dominate a map.
DOMINANT = 0.95
#: Ratio of standard deviations, to the median column, that indicates different scales. Up to
#: FEW_UNITS named columns, which may have any unit, are also compared with the narrowest column.
UNEVEN, FEW_UNITS = 30, 50
#: With fewer columns, scales are not checked.
FEW_COLUMNS = 3
#: Columns in descending order of variance are principal components, which need no scaling; fewer
#: than FEW_IN_ORDER may be in this order by chance, and must also be uncorrelated.
FEW_IN_ORDER, UNCORRELATED = 7, 0.01
#: A warning is given from this fraction of rows on that are copies of others.
COPIES = 0.1
#: Number of columns that are compared before all are.
SOME_COLUMNS = 16
#: If more than this fraction of the columns look like ids, they are something else.
MOST_IDS = 0.5
#: Usual codes for missing values: -9, ±99, ±999, ...
CODES = (-9, *(sign * (10**k - 1) for k in range(2, 7) for sign in (-1, 1)))
#: A warning is given from this fraction of samples in one class, or this many classes per sample.
ONE_CLASS, MANY_CLASSES = 0.95, 0.5


@dataclass(frozen=True)
class Advice:
    """What to do about a column, in terms of Python or the command line."""

    scale: str = "scale the columns first, for example with sklearn.preprocessing.scale"
    drop: str = "leave it out"
    codes: str = "turn it into NaN, and drop or impute these samples"


def warn_of_data(who: str, X: Floats, names: Sequence[str] | None) -> None:
    """Warn about data that would make a map misleading; ``names`` are those of the columns."""
    for remark in remarks_on_data(X, names):
        warnings.warn(f"{who}: {remark}", DataWarning, stacklevel=caller_level())


def remarks_on_data(
    X: Floats,
    names: Sequence[str] | None,
    advice: Advice | None = None,
    *,
    scales: bool = True,
) -> Iterator[str]:
    """Yield remarks on data in memory, one sentence each; ``scales`` includes their scales.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(100, 4)) * [1, 1000, 1, 1]
    >>> print(*remarks_on_data(X, ["size", "income", "age", "mass"]))
    column 'income' holds 100 % of the variance of the data, so a map shows little else;
    scale the columns first, for example with sklearn.preprocessing.scale, or leave it out.
    """
    advice = advice or Advice()
    yield from _ids(X, names, advice)
    yield from remarks_on_codes(X, names, advice)
    if scales:
        yield from _scales(X, names, advice)
    yield from _copies(X)


def remark_on_classes(counts: NDArray[Any], largest: Any) -> str:
    """Return a remark on labels of nearly one class or of very many classes, or "".

    Examples
    --------
    >>> remark_on_classes(np.array([98, 2]), "control")
    "one class, 'control', has 98 % of the samples: there is little to factor out."
    """
    n, n_classes = int(counts.sum()), len(counts)
    if counts.max() >= ONE_CLASS * n:
        share = f"{100 * counts.max() / n:.0f} %"
        return f"one class, {largest!r}, has {share} of the samples: there is little to factor out."
    if n_classes > MANY_CLASSES * n:
        return (
            f"there are {n_classes} classes for {n} samples, so most samples are alone in their "
            "class; give numbers or dates as amounts, or coarser classes."
        )
    return ""


def _ids(X: Floats, names: Sequence[str] | None, advice: Advice) -> Iterator[str]:
    called = [""] * X.shape[1] if names is None else names
    found = [place for place, name in enumerate(called) if are_ids(name, X[:, place])]
    if len(found) > MOST_IDS * X.shape[1]:  # for example, ranks in each column
        return
    for place in found:
        yield f"{_name(names, place)} looks like ids and would be mapped as data; {advice.drop}."


def remarks_on_codes(
    X: Floats, names: Sequence[str] | None, advice: Advice | None = None
) -> Iterator[str]:
    """Yield remarks on columns with a number that looks like a code for missing values."""
    advice = advice or Advice()
    if len(X) < FEW_COLUMNS:
        return
    lowest, highest = X.min(axis=0), X.max(axis=0)
    for ends in (lowest, highest):
        for place in np.flatnonzero(np.isin(ends, CODES)):
            column, code = X[:, place], float(ends[place])
            others = column[column != code]
            count = len(column) - len(others)
            if count < 2 or not len(others):
                continue
            gap, span = np.abs(others - code).min(), np.ptp(others)
            if gap > max(span, 1.0) and len(np.unique(others)) > 2:
                yield (
                    f"{_name(names, int(place))} is {code:g} in {count} rows, far from all its "
                    f"other values: if that means a missing value, {advice.codes}."
                )


def _scales(X: Floats, names: Sequence[str] | None, advice: Advice) -> Iterator[str]:
    if X.shape[1] < FEW_COLUMNS or len(X) < 2:
        return
    variance = X.var(axis=0, dtype=np.float64)
    total = float(variance.sum())
    if not total or not np.isfinite(total) or _are_components(X, variance):
        return
    order = np.argsort(-variance, kind="stable")
    first = int(order[0])
    if variance[first] >= DOMINANT * total:
        share = f"{100 * variance[first] / total:.0f} %"
        yield (
            f"{_name(names, first)} holds {share} of the variance of the data, so a map shows "
            f"little else; {advice.scale}, or {advice.drop}."
        )
        return
    spread = np.sqrt(variance)
    narrow = int(np.argmin(np.where(spread > 0, spread, np.inf)))
    wide = np.flatnonzero(spread > UNEVEN * np.median(spread[spread > 0]))
    if names is not None and len(names) <= FEW_UNITS and spread[first] > UNEVEN * spread[narrow]:
        yield (
            f"the columns are on very different scales ({_name(names, first)} spreads "
            f"{spread[first] / spread[narrow]:.0f} times as far as {_name(names, narrow)}), so "
            f"a map shows little of some of them; {advice.scale}."
        )
    elif len(wide) and variance[wide].sum() >= DOMINANT * total:
        named = ", ".join(_name(names, int(place)) for place in wide[:3])
        more = f" and {len(wide) - 3} more" if len(wide) > 3 else ""
        yield (
            f"the columns are on very different scales ({named}{more} spread over {UNEVEN} times "
            f"as far as the median column), so a map shows little else; {advice.scale}."
        )


def _copies(X: Floats) -> Iterator[str]:
    few = max(2, COPIES * len(X))
    if X.shape[1] > SOME_COLUMNS and len(X) - count_distinct(X[:, :SOME_COLUMNS]) < few:
        return  # rows that differ in some columns are distinct
    n_copies = len(X) - count_distinct(X)
    if n_copies >= few:
        yield (
            f"{n_copies} of {len(X)} rows are exact copies of others; a map shows copies as small "
            "clumps, which are not groups."
        )


def count_distinct(X: Floats) -> int:
    """Return the number of distinct rows, by a 64-bit hash of each, in little memory.

    Examples
    --------
    >>> count_distinct(np.array([[1.0, 2.0], [1.0, 2.0], [2.0, 1.0]]))
    2
    """
    salts = np.random.default_rng(0).integers(0, 2**64, X.shape[1], dtype=np.uint64)
    sums, step = np.empty(len(X), dtype=np.uint64), max(1, 2**18 // X.shape[1])
    for start in range(0, len(X), step):
        rows = np.ascontiguousarray(X[start : start + step], dtype=np.float64) + 0.0  # no -0.0
        # Small integers differ in the highest bits only, which are mixed into all.
        bits = rows.view(np.uint64) ^ salts
        for shift, factor in zip((30, 27), FACTORS, strict=True):
            bits ^= bits >> np.uint64(shift)
            bits *= factor
        sums[start : start + step] = (bits ^ (bits >> np.uint64(31))).sum(axis=1)
    return len(np.unique(sums))


def _are_components(X: Floats, variance: Floats) -> bool:
    """Whether columns are principal components: in descending order of variance, uncorrelated."""
    if not (np.diff(variance) <= 1e-9 * variance[0]).all():
        return False
    if X.shape[1] >= FEW_IN_ORDER:
        return True
    varied = X[:, variance > 0]
    found = np.corrcoef(varied, rowvar=False)
    return bool(np.abs(found - np.diag(np.diag(found))).max(initial=0) < UNCORRELATED)


def _name(names: Sequence[str] | None, place: int) -> str:
    return f"column {place}" if names is None else f"column {names[place]!r}"
