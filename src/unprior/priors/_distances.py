"""The prior of a distance matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unprior._memory import check_square_fits
from unprior._typing import Floats
from unprior._validation import check_distances, check_finite, check_numeric
from unprior.geometry import MatrixDistances
from unprior.priors._base import Kind, Prior, Source


@dataclass(frozen=True, eq=False, repr=False)
class Distances(MatrixDistances, Prior):
    """A distance matrix as a prior.

    Attributes
    ----------
    matrix : ndarray of shape (n_samples, n_samples)
        The distances, in their original precision.

    Examples
    --------
    >>> from unprior import priors
    >>> priors.distances([[0.0, 2.0], [2.0, 0.0]]).pairs([0], [1])
    array([2.])
    """

    kind: ClassVar[str] = "distances"


def distances(D: Any) -> Distances:
    """Make a prior from a distance matrix.

    Parameters
    ----------
    D : array-like of shape (n_samples, n_samples) or (n_samples * (n_samples - 1) / 2,)
        Distances: square, or condensed as `scipy.spatial.distance.pdist` returns them; or a
        scikit-bio DistanceMatrix. Rounding errors are corrected in a copy: tiny negatives,
        asymmetries and diagonal entries.

    Returns
    -------
    prior : Distances

    Examples
    --------
    >>> from unprior import priors
    >>> priors.distances([[0.0, 2.0], [2.0, 0.0]]).largest()
    2.0
    >>> priors.distances([1.0, 2.0, 3.0]).block([0], [0, 1, 2])
    array([[0., 1., 2.]])
    """
    if isinstance(D, list | tuple):
        D = check_numeric("distances", "D", D)
    if np.ndim(D) == 1:
        D = _from_condensed(check_numeric("distances", "D", D))
    return Distances(check_distances("distances", "D", D))


def _from_condensed(condensed: Floats) -> Floats:
    from scipy.spatial.distance import squareform

    n_samples = (1 + round(np.sqrt(1 + 8 * len(condensed)))) // 2
    if len(condensed) != n_samples * (n_samples - 1) // 2:
        message = (
            "distances: 'D' takes a square matrix, or in one dimension the n (n - 1) / 2 distances "
            f"that pdist returns; got {len(condensed)} numbers, which match no n."
        )
        raise ValueError(message)
    check_finite("distances", "D", condensed)
    check_square_fits("distances", n_samples, n_arrays=2)  # squareform's, and the checked copy
    return squareform(condensed, checks=False)


def _make(source: Source) -> Distances:
    return distances(source.square())


DISTANCES = Kind(
    "distances", "D.npy:distances", _make, takes="square", square_call="priors.distances(D)"
)
