"""Distance matrices -> the data's with the prior's factored out: ⊖, Algorithm 1 of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from unprior._typing import Floats
from unprior._validation import check_distances
from unprior.geometry import MatrixDistances, SampleDistances
from unprior.operators._learn import factor_on_demand
from unprior.priors import Distances, Prior, parts_of

WHO = "factor_out"


def factor_out(
    data_distances: Any,
    prior_distances: Any,
    strength: Any = 1.0,
    *,
    operator: str = "linear",
    scale: str = "max",
) -> Floats:
    r"""Factor prior distances out of data distances: :math:`D^X \ominus D^Z`.

    The linear operator of the paper divides each matrix by its largest entry and returns

    .. math:: F_{ij} = D^X_{ij} - \tfrac{\lambda}{2} D^Z_{ij} + \lambda \quad (i \ne j),
              \qquad F_{ii} = 0,

    so that pairs close in the prior move apart, and pairs far apart in it move closer. F is a
    metric for every λ > 0 if both matrices are. The quantile operator replaces each data distance
    by its rank among the pairs that are about equally far apart in the prior, mapped back through
    the quantiles of all data distances and divided by the scale: the result is independent of the
    prior by construction. The balanced operator shifts squared distances, for each sample and
    stratum of the prior, so that each stratum gets its share of every sample's neighbourhood. The
    results of the latter two need not satisfy the triangle inequality.

    Parameters
    ----------
    data_distances : array-like of shape (n_samples, n_samples)
        Distances in the data, D^X.
    prior_distances : array-like of shape (n_samples, n_samples), Prior, or a list or dict of these
        Distances in the prior, D^Z. Several priors are all factored out: the linear operator
        subtracts each, the quantile operator ranks among pairs that are about equally far apart in
        all, and the balanced one gives every stratum of every prior its share.
    strength : float, list, dict by name, or "auto", default=1.0
        How strongly the prior is factored out: λ, 0 or more, for the linear operator; in [0, 1] for
        the others, where 1 removes all of it. 0 gives D^X divided by its scale. For several priors
        one number, or for the linear operator one for each. "auto" is the λ that leaves F and D^Z
        uncorrelated, and 1 for the other operators.
    operator : {"linear", "quantile", "balanced"}, default="linear"
        The kind of ⊖. The quantile operator divides the prior's distances into bins with equal
        numbers of pairs, as many bins as there are pairs in each; or one bin for each distance if
        these are few, as for labels. The balanced operator divides samples into strata: the classes
        of labels (give these as `unprior.priors.labels`), and groups of similar samples for other
        priors (8 for 1000 samples, 15 for 10 000).
    scale : {"max", "quantile"}, default="max"
        The divisor of each matrix: its largest distance, or the 0.99 quantile of the distances
        between two samples, which is robust to outliers. Prior distances above it count as equal
        to it, so that F stays a metric. For the other operators it is only the unit of F, and the
        largest distance is that among 500 samples, if there are more.

    Returns
    -------
    factored : ndarray of shape (n_samples, n_samples)
        Symmetric and not negative, with a zero diagonal.

    Notes
    -----
    Quantiles and "auto" are estimated from all pairs of up to 2000 samples, and from two million
    random pairs of more, the same ones every time.

    References
    ----------
    Heiter, Fischer, Vreeken: Factoring out prior knowledge from low-dimensional embeddings.

    Examples
    --------
    Four samples on a line; the prior is the half they are in:

    >>> import numpy as np
    >>> from unprior import factor_out, priors
    >>> place = np.array([0.0, 1.0, 2.0, 4.0])
    >>> D = np.abs(place[:, None] - place)
    >>> factor_out(D, priors.labels(["left", "left", "right", "right"]))
    array([[0.  , 1.25, 1.  , 1.5 ],
           [1.25, 0.  , 0.75, 1.25],
           [1.  , 0.75, 0.  , 1.5 ],
           [1.5 , 1.25, 1.5 , 0.  ]])
    """
    data = MatrixDistances(_matrix("data_distances", data_distances))
    _refuse_none(data)
    priors = parts_of(_priors(prior_distances), data.n_samples, who=WHO)
    return factor_on_demand(
        data, priors, strength, operator=operator, scale=scale, who=WHO
    ).to_array()


def _refuse_none(data: SampleDistances) -> None:
    if not data.n_samples:
        message = (
            f"{WHO}: 'data_distances' takes distances between samples; got none, shape (0, 0); "
            "check how the samples were selected."
        )
        raise ValueError(message)


def _matrix(name: str, values: Any) -> Floats:
    return check_distances(WHO, name, _array(name, values))


def _array(name: str, values: Any) -> Any:
    """Make an array of a list; refuse one whose entries differ in shape."""
    if not isinstance(values, list | tuple):
        return values
    try:
        return np.asarray(values)
    except (TypeError, ValueError) as error:
        several = name == "prior_distances"
        takes = ", a Prior, or several of these" if several else ""
        remedy = "make priors of labels with priors.labels" if several else "make it square"
        message = (
            f"{WHO}: {name!r} takes a square distance matrix{takes}; got a "
            f"{type(values).__name__} whose entries differ in shape; {remedy}."
        )
        raise ValueError(message) from error


def _priors(given: Any) -> Any:
    """Make priors of matrices; a list is one matrix, or several if all its entries are matrices."""
    if isinstance(given, Mapping):
        return {name: _priors(part) for name, part in given.items()}
    if isinstance(given, list | tuple) and all(map(_is_prior, given)):
        return [_priors(part) for part in given]
    if isinstance(given, Prior):
        return given
    return Distances(_matrix("prior_distances", given))


def _is_prior(part: Any) -> bool:
    return isinstance(part, Prior) or np.ndim(_array("prior_distances", part)) == 2
