"""Reading and checking maps, data and priors to score, and their distances a block at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unprior._forms import plain
from unprior._sparse import dense_data
from unprior._threads import one_blas_thread
from unprior._validation import check_distances
from unprior.geometry import SampleDistances
from unprior.priors import Distances, Prior, parts_of
from unprior.priors._coerce import read_parts
from unprior.priors._features import read_features

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unprior._typing import Floats, Indices, Metric

#: Fewest samples that can be scored.
MIN_SAMPLES = 3

#: Numbers of samples and columns from which distances are computed by matrix products. These round
#: more: copies of a sample end up about 1e-7 of the data's spread apart, so are no longer tied.
MANY_SAMPLES, MANY_COLUMNS = 50_000, 8


def read_map(who: str, Y: Any) -> SampleDistances:
    """Check the coordinates of a map, one row for each sample."""
    return read_data(who, "Y", Y, "euclidean")


def read_data(who: str, name: str, X: Any, metric: Metric) -> SampleDistances:
    """Check data: features, distances (metric "precomputed") or a Prior."""
    X = plain(X, who=who, name=name)
    if isinstance(X, SampleDistances):
        data = X
    elif isinstance(metric, str) and metric == "precomputed":
        data = Distances(check_distances(who, name, X))
    else:
        data = read_features(who, name, dense_data(who, name, X, metric), metric)
    return _enough(who, name, data)


def read_either(who: str, name: str, values: Any) -> SampleDistances:
    """Check a map, data or a prior, read by the rules of `unprior.priors.as_prior`."""
    return _enough(who, name, read_parts(who, {name: values}, None)[name])


def check_same_samples(who: str, sides: Mapping[str, SampleDistances]) -> None:
    """Refuse sides, given by name, that have different numbers of samples."""
    (name, side), *rest = sides.items()
    for other_name, other in rest:
        if other.n_samples != side.n_samples:
            message = (
                f"{who}: {name!r} has {side.n_samples} samples and {other_name!r} "
                f"{other.n_samples}; give both for the same samples in the same order."
            )
            raise ValueError(message)


def read_priors(who: str, prior: Any, n_samples: int) -> dict[str, Prior]:
    """Check one prior or several, none of them constant."""
    priors = parts_of(prior, n_samples, who=who)
    for name, part in priors.items():
        check_informative(who, name, part)
    return priors


def check_informative(who: str, name: str, prior: SampleDistances) -> None:
    """Refuse a prior in which all samples are equally far apart."""
    if prior.is_constant():
        message = (
            f"{who}: {name!r} says nothing: all samples are equally far apart in it "
            f"({prior.describe_constant()}). Leave it out."
        )
        raise ValueError(message)


def distances_to_all(prior: SampleDistances, rows: Indices) -> Floats:
    """Return distances of rows to all samples; a row's own is -infinity, so that it sorts first."""
    return distances_to(prior, rows, np.arange(prior.n_samples))


def distances_to(prior: SampleDistances, rows: Indices, others: Indices) -> Floats:
    """Return distances of rows to others (sorted, including the rows); a row's own is -infinity."""
    distances = np.array(quick_block(prior, rows, others), dtype=np.float64, order="C")
    distances[np.arange(len(rows)), np.searchsorted(others, rows)] = -np.inf
    return distances


def rank_climbs(prior: SampleDistances, rows: Indices) -> tuple[Indices, Indices]:
    """Return the neighbourhood sizes between which each sample becomes a neighbour of the rows.

    Without ties these are its rank minus one and its rank; see `unprior.kernels._overlap`.
    """
    from unprior.kernels._overlap import climb_ranks

    distances = distances_to_all(prior, rows)
    return climb_ranks(distances, np.argsort(distances, axis=1))


def _enough(who: str, name: str, prior: SampleDistances) -> SampleDistances:
    if prior.n_samples < MIN_SAMPLES:
        message = f"{who}: {name!r} takes at least {MIN_SAMPLES} samples; got {prior.n_samples}."
        raise ValueError(message)
    return prior


def quick_block(prior: SampleDistances, rows: Indices, others: Indices) -> Floats:
    """Return ``prior.block(rows, others)``, up to rounding, quickly for many samples."""
    points = prior.euclidean_rows if len(others) >= MANY_SAMPLES else None
    if points is None or points.shape[1] < MANY_COLUMNS:
        return prior.block(rows, others)
    some, all_others = points[rows], points
    if len(others) < len(all_others):
        all_others = all_others[others]
    # Centred on the rows' mean, so that data far from zero lose no digits.
    center = some.mean(axis=0, dtype=np.float64)
    A, B = some - center, all_others - center
    with one_blas_thread():
        squares = A @ B.T
    squares *= -2
    squares += np.einsum("ij,ij->i", A, A)[:, None]
    squares += np.einsum("ij,ij->i", B, B)
    np.maximum(squares, 0, out=squares)
    return np.sqrt(squares, out=squares)
