"""Neighbourhood overlap of two sets of distances, at every neighbourhood size."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from unprior._frames import match
from unprior.geometry import SampleDistances
from unprior.scores._distances import check_same_samples, rank_climbs, read_either
from unprior.scores._rows import choose_rows, estimate_mean, score_blocks

if TYPE_CHECKING:
    from unprior._typing import Floats, Indices


@dataclass(frozen=True, eq=False)
class OverlapCurve:
    """Neighbourhood overlap at every size k, and the area between it and chance.

    Attributes
    ----------
    k : ndarray of shape (n_samples - 1,)
        Neighbourhood sizes, 1 to n_samples - 1.
    score : ndarray of shape (n_samples - 1,)
        Mean overlap at each size, between 0 and 1.
    area : float
        Mean over k of ``score - chance``: 0 by chance, nearly 0.5 if all neighbours agree.
    absolute_area : float
        Mean over k of ``|score - chance|``, in which deviations of opposite sign do not cancel.
    standard_error : float
        Standard error of ``area``; 0 if all samples were scored.
    n_rows : int
        Number of samples scored.

    Examples
    --------
    >>> from unprior.scores import overlap_curve
    >>> curve = overlap_curve([0.0, 1.0, 5.0, 7.0], ["a", "b", "a", "b"])
    >>> curve.score - curve.chance
    array([-0.33333333, -0.16666667,  0.        ])
    """

    k: Indices = field(repr=False)
    score: Floats = field(repr=False)
    area: float
    absolute_area: float
    standard_error: float
    n_rows: int

    @property
    def chance(self) -> Floats:
        """Expected overlap of unrelated neighbourhoods: k / (n_samples - 1)."""
        return self.k / self.k[-1]


def overlap_curve(
    a: Any, b: Any, *, n_rows: int | None = None, random_state: Any = None
) -> OverlapCurve:
    r"""Fraction of each sample's neighbours that two descriptions of the samples share.

    With :math:`A_i(k)`, :math:`B_i(k)` the k nearest others of sample i, the neighbourhood overlap
    score (NOS) is the mean over i of :math:`|A_i(k) \cap B_i(k)| / k`, here for all k at once: 1
    if the neighbours are the same, k / (n - 1) by chance.

    If one side is labels, it is the fraction of the sample's class found in its neighbourhood,
    :math:`|A_i(k) \cap L_i| / |L_i|` with :math:`L_i` the others of its class. By chance that is
    k / (n - 1) too. Samples alone in their class are left out. The paper prints 1/k in this formula
    as well as :math:`1 / |L_i|`. With both, the score at k = n - 1 would be 1 / (n - 1) instead of
    1, and chance would not be the diagonal drawn in the paper, so only :math:`1 / |L_i|` can be
    meant.

    Parameters
    ----------
    a, b : array-like or Prior
        Coordinates of a map, data or a prior: anything that `unprior.priors.as_prior` takes, for
        the same samples in the same order. One-dimensional arrays of floats and arrays that are
        not square are coordinates. At most one of the two may be labels.
    n_rows : int, optional
        Score this many samples, drawn at random; by default every sample.
    random_state : int or RandomState, optional
        Seed of the draw.

    Returns
    -------
    curve : OverlapCurve
        The overlap at every size, its area above chance and the area's standard error.

    See Also
    --------
    report : Scores of a map at a glance.

    Notes
    -----
    Ties are broken at random, independently on both sides: the result is the exact mean over all
    orders of tied samples. So if all samples are equally far apart, the overlap is that of chance,
    and with ties the overlap of a description with itself is below 1.

    Time grows with ``n_rows * n_samples * log(n_samples)``, memory with ``n_samples``. Blocks of
    rows run in parallel as set by ``joblib.parallel_config``, which does not change the result.

    Examples
    --------
    >>> import numpy as np
    >>> from unprior.scores import overlap_curve
    >>> line = np.array([0.0, 1.0, 2.1, 3.3])
    >>> overlap_curve(line, -line).score
    array([1., 1., 1.])
    >>> overlap_curve(line, ["near", "near", "far", "far"]).score.round(2)
    array([0.75, 1.  , 1.  ])
    """
    return _read_and_trace("overlap_curve", a, b, n_rows, random_state)


def overlap_area(a: Any, b: Any, *, n_rows: int | None = None, random_state: Any = None) -> float:
    """Area between the overlap of two descriptions of the samples and chance: `OverlapCurve.area`.

    Parameters
    ----------
    a, b : array-like or Prior
        Two descriptions of the same samples, at most one of them labels; see `overlap_curve`.
    n_rows : int, optional
        Score this many samples, drawn at random; by default every sample.
    random_state : int or RandomState, optional
        Seed of the draw.

    Returns
    -------
    area : float
        0 by chance, (n - 2) / (2 (n - 1)) if all neighbours agree, negative if fewer agree than by
        chance.

    See Also
    --------
    overlap_curve : The overlap at every size, and the standard error of the area.

    Examples
    --------
    >>> import numpy as np
    >>> from unprior.scores import overlap_area
    >>> line = np.linspace(0, 1, 101) ** 2
    >>> round(overlap_area(line, -line), 3)
    0.495
    """
    return _read_and_trace("overlap_area", a, b, n_rows, random_state).area


def trace_overlap(
    who: str, a: SampleDistances, b: SampleDistances, n_rows: int | None, random_state: Any
) -> OverlapCurve:
    """Compute the overlap curve of two sides that were checked before."""
    n = a.n_samples
    row_divisor, size_divisor = _divisors(who, a, b)
    population = np.flatnonzero(row_divisor)
    rows = choose_rows(who, population, n_rows, random_state)
    growth, means = np.zeros(n), []
    for block_growth, block_means in score_blocks(
        _overlap_of_rows, rows, n, a, b, row_divisor, size_divisor
    ):
        growth += block_growth
        means.append(block_means)
    overlap = np.cumsum(growth[1:]) / size_divisor[1:] / len(rows)
    k, score = np.arange(1, n), np.clip(overlap, 0, 1)  # ties leave a little rounding
    above_chance = score - k / (n - 1)
    return OverlapCurve(
        k=k,
        score=score,
        area=float(above_chance.mean()),
        absolute_area=float(np.abs(above_chance).mean()),
        standard_error=estimate_mean(np.concatenate(means), len(population)).standard_error,
        n_rows=len(rows),
    )


def _read_and_trace(
    who: str, a: Any, b: Any, n_rows: int | None, random_state: Any
) -> OverlapCurve:
    a, b = match(who, a=a, b=b)
    a, b = read_either(who, "a", a), read_either(who, "b", b)
    check_same_samples(who, {"a": a, "b": b})
    return trace_overlap(who, a, b, n_rows, random_state)


def _overlap_of_rows(
    rows: Indices, a: SampleDistances, b: SampleDistances, row_divisor: Floats, size_divisor: Floats
) -> tuple[Floats, Floats]:
    from unprior.kernels._overlap import expected_overlap

    return expected_overlap(*_climbs(a, rows), *_climbs(b, rows), row_divisor[rows], size_divisor)


def _climbs(side: SampleDistances, rows: Indices) -> tuple[Indices, Indices]:
    """Return the sizes at which samples become neighbours; those of the same class always are."""
    if side.class_codes is None:
        return rank_climbs(side, rows)
    differ = side.class_codes[rows, None] != side.class_codes
    low = np.where(differ, side.n_samples, -1).astype(np.int32)
    return low, low + np.int32(1)


def _divisors(who: str, a: SampleDistances, b: SampleDistances) -> tuple[Floats, Floats]:
    """Return the divisors of the overlap: class sizes by sample with labels, else sizes k."""
    codes = [side.class_codes for side in (a, b) if side.class_codes is not None]
    if not codes:
        return np.ones(a.n_samples), np.arange(a.n_samples, dtype=np.float64)
    if len(codes) == 2:
        message = (
            f"{who}: 'a' and 'b' are both labels, which do not rank neighbours; compare them with "
            "sklearn.metrics.adjusted_mutual_info_score."
        )
        raise ValueError(message)
    n_neighbors = np.bincount(codes[0])[codes[0]] - 1
    if not n_neighbors.any():
        message = f"{who}: every sample is a class of its own; give labels that samples share."
        raise ValueError(message)
    return n_neighbors.astype(np.float64), np.ones(a.n_samples)
