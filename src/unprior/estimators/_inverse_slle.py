"""InverseSLLE: locally linear embedding with neighbours from other classes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from unprior._memory import check_square_fits
from unprior._params import Either, Number, OneOf, Option, Whole, describe_options
from unprior._random import as_generator
from unprior._threads import one_blas_thread
from unprior._typing import Floats, Metric, PairwiseDistances
from unprior.estimators._base import MapEstimator
from unprior.estimators._new_samples import NoTransform
from unprior.estimators._options import COMPONENTS, METRIC, N_JOBS, RANDOM_STATE, VERBOSE
from unprior.geometry import PointDistances, SampleDistances, data_distances, positive_axes
from unprior.lle import (
    bottom_vectors,
    push_classmates,
    reconstruction_weights,
    stays_sparse,
)
from unprior.neighbors import find_neighbors
from unprior.priors import Keep, Prior
from unprior.priors._label_sets import join_labels

#: Largest number of multiplications; more take many hours.
MOST_WORK = 1e15


@describe_options
class InverseSLLE(MapEstimator):
    r"""Locally linear embedding with neighbours mostly from other classes.

    Supervised LLE moves samples of different classes apart before it searches for neighbours; its
    inverse (sLLE⁻¹ in the paper) moves samples of the same class apart,
    :math:`D'_{ij} = D_{ij} + \alpha \max(D)\,[\text{same class}]`. Each
    sample is then reconstructed from its neighbours by the true geometry of the data, and the map
    preserves these weights. Without a prior this is LLE.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The map: dimensions of mean 0 and length 1.
    reconstruction_error_ : float
        Squared error of the map when each sample is reconstructed from its neighbours.
    n_neighbors_ : int
        The number of neighbours used.
    n_features_in_ : int
        Number of columns of ``X``.

    See Also
    --------
    JEDI, Confetti : Take any prior, not labels only.
    sklearn.manifold.LocallyLinearEmbedding : The plain method.

    Notes
    -----
    With several label sets, samples that agree in all of them have the same class.

    D' is used only to choose the neighbours. The weights are computed from the data, since D' is
    far from Euclidean. Distances enter through the Gram matrices of the neighbours, :math:`G_{jl} =
    (D_{ij}^2 + D_{il}^2 - D_{jl}^2) / 2`, without their negative part if the distances are not
    Euclidean.

    The map is the solution of an eigenvalue problem, without steps, so there are no ``callbacks``.

    With n/2 neighbours the work grows as n³ for features and as n⁴ for distances.

    References
    ----------
    Heiter, Fischer and Vreeken, "Factoring out prior knowledge from low-dimensional embeddings",
    2021, appendix. α there is ``strength``.

    De Ridder et al., "Supervised locally linear embedding", ICANN 2003.

    Examples
    --------
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(200, random_state=0)
    >>> slle = up.InverseSLLE(random_state=0)
    >>> slle.fit_transform(data.X, prior=data.known).shape
    (200, 2)
    >>> slle.n_neighbors_
    100
    """

    transform: ClassVar = NoTransform()

    _options: ClassVar = {
        "n_components": COMPONENTS,
        "strength": Option(
            Number(0, 1),
            "How far samples of the same class are moved apart (α), as a fraction of the largest "
            "distance; 0 is plain LLE.",
        ),
        "n_neighbors": Option(
            Either(OneOf("auto"), Whole(1)),
            'Number of neighbours of each sample, not counting itself; "auto" is n/2, as in the '
            "paper.",
        ),
        "regularization": Option(
            Number(1e-8), "Ridge of the weights, as a fraction of the trace of their Gram matrix."
        ),
        "metric": METRIC,
        "n_jobs": N_JOBS,
        "random_state": RANDOM_STATE,
        "verbose": VERBOSE,
    }

    reconstruction_error_: float
    n_neighbors_: int

    def __init__(
        self,
        n_components: int = 2,
        *,
        strength: float = 0.5,
        n_neighbors: Any = "auto",
        regularization: float = 1e-3,
        metric: Metric = "euclidean",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.strength = strength
        self.n_neighbors = n_neighbors
        self.regularization = regularization
        self.metric = metric
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X: Any, priors: dict[str, Prior], keep: Keep | None) -> None:
        labels = join_labels("InverseSLLE", priors)
        with one_blas_thread():
            data = data_distances(X, self.metric, who="InverseSLLE")
            pushed: PairwiseDistances = data
            if labels is not None:
                pushed = push_classmates(data, labels, self.strength)
            wanted = len(X) // 2 if self.n_neighbors == "auto" else self.n_neighbors
            self.n_neighbors_ = min(wanted, len(X) - 1)
            _check_size(len(X), self.n_neighbors_, X.shape[1])
            neighbors = find_neighbors(
                pushed, self.n_neighbors_, n_jobs=self.n_jobs, verbose=self.verbose
            )
            weights = reconstruction_weights(
                _points(data),
                neighbors.indices,
                self.regularization,
                n_jobs=self.n_jobs,
                verbose=self.verbose,
            )
            rng = as_generator(self.random_state)
            errors, self.embedding_ = bottom_vectors(weights, self.n_components, rng)
            self.reconstruction_error_ = float(errors.sum())


def _check_size(n_samples: int, n_neighbors: int, n_features: int) -> None:
    """Refuse what would not fit into memory, or take many hours."""
    dense = not stays_sparse(n_samples, n_neighbors)
    if dense:
        check_square_fits("InverseSLLE", n_samples, n_arrays=4)
    work = n_samples * n_neighbors * float(min(n_neighbors, n_features)) ** 2
    work += float(n_samples) ** 3 if dense else 0.0
    if work > MOST_WORK:
        message = (
            f"InverseSLLE: {n_samples} samples with {n_neighbors} neighbours each would take many "
            "hours; fit a random subset of the samples, or set a smaller 'n_neighbors'."
        )
        raise ValueError(message)


def _points(data: SampleDistances) -> Floats:
    """Return points with the data's distances, or an approximation."""
    if isinstance(data, PointDistances):
        metric = data.row_metric
        if metric.measure == "euclidean" and metric.finish is None:
            return np.asarray(metric.prepare(data.values))
    values, axes = positive_axes(data.to_array() ** 2)
    return axes * np.sqrt(values)
