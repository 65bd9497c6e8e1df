"""What is scored to distances: maps, data and priors, checked, and read a few rows at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unprior._forms import plain
from unprior._sparse import dense_data
from unprior._threads import one_blas_thread
from unprior._validation import check_distances
from unprior.geometry import METRICS, PointDistances, SampleDistances
from unprior.priors import Distances
from unprior.priors._coerce import read_parts
from unprior.priors._features import read_features

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unprior._typing import Floats, Indices, Metric

#: Fewer samples have no neighbourhoods to compare.
MIN_SAMPLES = 3


def read_map(who: str, Y: Any) -> SampleDistances:
    """Check the coordinates of a map, one row for each sample."""
    return read_data(who, "Y", Y, "euclidean")


def read_data(who: str, name: str, X: Any, metric: Metric) -> SampleDistances:
    """Check features, distances (metric "precomputed") or a Prior that stands for the data."""
    X = plain(X, who=who, name=name)
    if isinstance(X, SampleDistances):
        data = X
    elif isinstance(metric, str) and metric == "precomputed":
        data = Distances(check_distances(who, name, X))
    else:
        data = read_features(who, name, dense_data(who, name, X, metric), metric)
    return _enough(who, name, data)


def read_either(who: str, name: str, values: Any) -> SampleDistances:
    """Check what may be a map, data or a prior, by the rule of `unprior.priors.as_prior`."""
    return _enough(who, name, read_parts(who, {name: values}, None)[name])


def check_same_samples(who: str, sides: Mapping[str, SampleDistances]) -> None:
    """Refuse sides, given by name, that do not describe the same number of samples."""
    (name, side), *rest = sides.items()
    for other_name, other in rest:
        if other.n_samples != side.n_samples:
            message = (
                f"{who}: {name!r} has {side.n_samples} samples and {other_name!r} "
                f"{other.n_samples}; give both for the same samples in the same order."
            )
            raise ValueError(message)


def check_informative(who: str, name: str, prior: SampleDistances) -> None:
    """Refuse a prior in which all samples are equally far apart."""
    if prior.is_constant():
        message = (
            f"{who}: {name!r} says nothing: all samples are equally far apart in it "
            f"({prior.describe_constant()}). Leave it out."
        )
        raise ValueError(message)


def distances_to_all(prior: SampleDistances, rows: Indices) -> Floats:
    """Distances of some samples to all, each one's own -infinity: it sorts before all others."""
    return distances_to(prior, rows, np.arange(prior.n_samples))


def distances_to(prior: SampleDistances, rows: Indices, others: Indices) -> Floats:
    """Distances of some samples to others, given in order; each one's own is -infinity."""
    distances = np.array(quick_block(prior, rows, others), dtype=np.float64, order="C")
    place = np.searchsorted(others, rows)
    distances[np.arange(len(rows)), place] = -np.inf
    return distances


def rank_climbs(prior: SampleDistances, rows: Indices) -> tuple[Indices, Indices]:
    """Return the sizes between which every sample becomes a neighbour of some samples.

    See `unprior.kernels._overlap`: without ties, its rank less one and its rank.
    """
    from unprior.kernels._overlap import climb_ranks

    distances = distances_to_all(prior, rows)
    return climb_ranks(distances, np.argsort(distances, axis=1))


def _enough(who: str, name: str, prior: SampleDistances) -> SampleDistances:
    if prior.n_samples < MIN_SAMPLES:
        message = f"{who}: {name!r} takes at least {MIN_SAMPLES} samples; got {prior.n_samples}."
        raise ValueError(message)
    return prior


if TYPE_CHECKING:
    from unprior._typing import Floats, Indices

#: From so many samples and columns on, products are worth it. They round more than differences do:
#: copies of a sample are some 1e-7 of the data's spread away, and no longer tied.
MANY_SAMPLES, MANY_COLUMNS = 50_000, 8


def quick_block(prior: SampleDistances, rows: Indices, others: Indices) -> Floats:
    """Distances of some samples to others, as ``prior.block`` gives them but for rounding."""
    if (
        not isinstance(prior, PointDistances)
        or prior.row_metric != METRICS["euclidean"]
        or len(others) < MANY_SAMPLES
        or prior.values.shape[1] < MANY_COLUMNS
    ):
        return prior.block(rows, others)
    some, all_others = prior.values[rows], prior.values
    if len(others) < len(all_others):
        all_others = all_others[others]
    # About the mean of a few: what is far from zero would lose digits.
    center = some.mean(axis=0, dtype=np.float64)
    A, B = some - center, all_others - center
    with one_blas_thread():
        squares = A @ B.T
    squares *= -2
    squares += np.einsum("ij,ij->i", A, A)[:, None]
    squares += np.einsum("ij,ij->i", B, B)
    np.maximum(squares, 0, out=squares)
    return np.sqrt(squares, out=squares)
