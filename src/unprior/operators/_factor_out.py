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

    so pairs that the prior puts together move apart and pairs that it puts apart move together. F
    is a metric for every λ > 0 if both matrices are. The quantile operator replaces each data
    distance by its rank among the pairs that are about equally far apart in the prior, mapped back
    through the quantiles of all data distances and divided by the scale: what remains is
    independent of the prior by construction. The balanced operator shifts squared distances, for
    each sample and cell of the prior, so that of every sample's nearness to others each cell gets
    its share. Neither need fulfil the triangle inequality.

    Parameters
    ----------
    data_distances : array-like of shape (n_samples, n_samples)
        Distances in the data, D^X.
    prior_distances : array-like of shape (n_samples, n_samples), Prior, or a list or dict of these
        Distances in what is known, D^Z. Several are all factored out: the linear operator subtracts
        each, the quantile operator ranks among pairs that are about equally far apart in all, and
        the balanced one gives every cell of every prior its share.
    strength : float, list, dict by name, or "auto", default=1.0
        How strongly: λ, 0 or more, for the linear operator; for the others in [0, 1], from the
        data's own distances to those with no prior left. 0 gives D^X divided by its scale. For
        several priors one number, or for the linear operator one for each. "auto" is the λ that
        leaves F and D^Z uncorrelated, and 1 for the other operators.
    operator : {"linear", "quantile", "balanced"}, default="linear"
        The kind of ⊖. The quantile operator cuts the prior's distances into bins with equal
        numbers of pairs, as many bins as there are pairs in each; or one bin for each distance if
        these are few, as for labels. The balanced operator cuts samples into cells: the classes of
        labels (give these as `unprior.priors.labels`), and eight cells of alike samples for other
        priors.
    scale : {"max", "quantile"}, default="max"
        What the distances of each matrix are divided by: the largest, or the 0.99 quantile of those
        between two samples, which no single outlier can set. Prior distances above it count as
        equal to it, which keeps F a metric. To the other operators it is only the unit of F, and
        the largest is that among 500 samples, if there are more.

    Returns
    -------
    factored : ndarray of shape (n_samples, n_samples)
        Symmetric and not negative, with a zero diagonal.

    Notes
    -----
    Quantiles and "auto" are learnt from all pairs of up to 2000 samples, and from two million drawn
    pairs of more, the same ones every time; what the balanced operator shifts, from 1000 samples
    and up to 500 in small populations.

    References
    ----------
    Heiter, Fischer, Vreeken: Factoring out prior knowledge from low-dimensional embeddings.

    Examples
    --------
    Four samples on a line; known is the half they are in:

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
    known = parts_of(_priors(prior_distances), data.n_samples, who=WHO)
    return factor_on_demand(
        data, known, strength, operator=operator, scale=scale, who=WHO
    ).to_array()


def _refuse_none(data: SampleDistances) -> None:
    if not data.n_samples:
        message = (
            f"{WHO}: 'data_distances' takes distances between samples; got none, shape (0, 0); see "
            "what was selected."
        )
        raise ValueError(message)


def _matrix(name: str, values: Any) -> Floats:
    return check_distances(WHO, name, _array(name, values))


def _array(name: str, values: Any) -> Any:
    """Make an array of a list; refuse one whose entries differ in shape, in our words."""
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
    """Make priors of matrices; a list is one matrix, or several if its entries are matrices."""
    if isinstance(given, Mapping):
        return {name: _priors(part) for name, part in given.items()}
    if isinstance(given, list | tuple) and all(map(_is_whole, given)):
        return [_priors(part) for part in given]
    if isinstance(given, Prior):
        return given
    return Distances(_matrix("prior_distances", given))


def _is_whole(part: Any) -> bool:
    return isinstance(part, Prior) or np.ndim(_array("prior_distances", part)) == 2
