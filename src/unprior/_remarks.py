"""Data -> what in them would make a map mislead, one sentence each, with what to do."""

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

#: Columns that hold this share of the variance are all that a map shows,
DOMINANT = 0.95
#: and several do so for want of a common scale if each spreads so many times as the median column.
#: Of a few columns with names, which may be in any unit, none should spread as little as that.
UNEVEN, FEW_UNITS = 30, 50
#: Of fewer columns none can dominate the others in a way that is not plain to see.
FEW_COLUMNS = 3
#: Columns in falling order of variance are principal components, which are not to be scaled; so
#: few can be in this order by chance, and must be uncorrelated besides.
FEW_IN_ORDER, UNCORRELATED = 7, 0.01
#: Copies of other rows, as a share of all rows, that are worth a word.
COPIES = 0.1
#: Columns that are looked at before all are.
SOME_COLUMNS = 16
#: Shifts and odd factors that mix 64 bits (the finaliser of SplitMix64).
MIX = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
)
#: Ids are in a few columns, not in more than this share of them.
MOST_IDS = 0.5
#: Numbers that stand for a missing value in many questionnaires and instruments.
CODES = (-9, *(sign * (10**k - 1) for k in range(2, 7) for sign in (-1, 1)))
#: One class with this share of the samples, and so many classes for each sample.
ONE_CLASS, MANY_CLASSES = 0.95, 0.5


@dataclass(frozen=True)
class Advice:
    """What to do about a column, in the words of Python or of the shell."""

    scale: str = "scale the columns first, for example with sklearn.preprocessing.scale"
    drop: str = "leave it out"
    codes: str = "turn it into NaN, and drop or impute these samples"


def warn_of_data(who: str, X: Floats, names: Sequence[str] | None) -> None:
    """Warn of what in the data would make a map mislead; ``names`` are those of the columns."""
    for remark in remarks_on_data(X, names):
        warnings.warn(f"{who}: {remark}", DataWarning, stacklevel=caller_level())


def remarks_on_data(
    X: Floats,
    names: Sequence[str] | None,
    advice: Advice | None = None,
    *,
    scales: bool = True,
) -> Iterator[str]:
    """Yield what is to be said of data in memory, one sentence each; ``scales``: of these, too.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(100, 4)) * [1, 1000, 1, 1]
    >>> print(*remarks_on_data(X, ["size", "income", "age", "mass"]))
    column 'income' holds 100 % of the variance of the data, so that a map shows little else;
    scale the columns first, for example with sklearn.preprocessing.scale, or leave it out.
    """
    advice = advice or Advice()
    yield from _ids(X, names, advice)
    yield from remarks_on_codes(X, names, advice)
    if scales:
        yield from _scales(X, names, advice)
    yield from _copies(X)


def remark_on_classes(counts: NDArray[Any], largest: Any) -> str:
    """Say of labels that one class has nearly all samples, or that most have but one; or "".

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
            f"there are {n_classes} classes for {n} samples, so that most samples have none to be "
            "alike with; give numbers or dates as amounts, or coarser classes."
        )
    return ""


def _ids(X: Floats, names: Sequence[str] | None, advice: Advice) -> Iterator[str]:
    called = [""] * X.shape[1] if names is None else names
    found = [place for place, name in enumerate(called) if are_ids(name, X[:, place])]
    if len(found) > MOST_IDS * X.shape[1]:  # such as ranks, in each column
        return
    for place in found:
        yield f"{_name(names, place)} looks like ids and would be mapped as data; {advice.drop}."


def remarks_on_codes(
    X: Floats, names: Sequence[str] | None, advice: Advice | None = None
) -> Iterator[str]:
    """Yield which columns hold a number that stands, by its looks, for a missing value."""
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
                    f"other values: if that stands for a missing value, {advice.codes}."
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
            f"{_name(names, first)} holds {share} of the variance of the data, so that a map shows "
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
            f"that a map shows little of some; {advice.scale}."
        )
    elif len(wide) and variance[wide].sum() >= DOMINANT * total:
        named = ", ".join(_name(names, int(place)) for place in wide[:3])
        more = f" and {len(wide) - 3} more" if len(wide) > 3 else ""
        yield (
            f"the columns are on very different scales ({named}{more} spread over {UNEVEN} times "
            f"as far as the median column), so that a map shows little else; {advice.scale}."
        )


def _copies(X: Floats) -> Iterator[str]:
    few = max(2, COPIES * len(X))
    if X.shape[1] > SOME_COLUMNS and len(X) - count_distinct(X[:, :SOME_COLUMNS]) < few:
        return  # rows that differ in some columns differ
    n_copies = len(X) - count_distinct(X)
    if n_copies >= few:
        yield (
            f"{n_copies} of {len(X)} rows are exact copies of others; a map draws copies as small "
            "clumps, which are no groups."
        )


def count_distinct(X: Floats) -> int:
    """Return how many rows differ, told by 64 bits mixed of all of theirs, in little memory.

    Examples
    --------
    >>> count_distinct(np.array([[1.0, 2.0], [1.0, 2.0], [2.0, 1.0]]))
    2
    """
    salts = np.random.default_rng(0).integers(0, 2**64, X.shape[1], dtype=np.uint64)
    sums, step = np.empty(len(X), dtype=np.uint64), max(1, 2**18 // X.shape[1])
    for start in range(0, len(X), step):
        rows = np.ascontiguousarray(X[start : start + step], dtype=np.float64) + 0.0  # no -0.0
        # Small whole numbers have few bits that differ, the highest: these are spread over all.
        bits = rows.view(np.uint64) ^ salts
        for shift, factor in MIX:
            bits ^= bits >> shift
            bits *= factor
        sums[start : start + step] = (bits ^ (bits >> np.uint64(31))).sum(axis=1)
    return len(np.unique(sums))


def _are_components(X: Floats, variance: Floats) -> bool:
    """Whether columns are principal components: in falling order of variance, uncorrelated."""
    if not (np.diff(variance) <= 1e-9 * variance[0]).all():
        return False
    if X.shape[1] >= FEW_IN_ORDER:
        return True
    varied = X[:, variance > 0]
    found = np.corrcoef(varied, rowvar=False)
    return bool(np.abs(found - np.diag(np.diag(found))).max(initial=0) < UNCORRELATED)


def _name(names: Sequence[str] | None, place: int) -> str:
    return f"column {place}" if names is None else f"column {names[place]!r}"
