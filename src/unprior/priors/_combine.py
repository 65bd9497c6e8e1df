"""A list or dict of priors, and weights -> one prior."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from unprior._typing import Floats
from unprior.priors._coerce import name_parts, read_parts
from unprior.priors._combined import Combined, join

#: A few new samples may well be the same in a part, and what transforms them takes parts.
ADVICE = "Leave it out; or, if these are new samples to transform, give the list or dict as it is."


def combine(priors: Any, weights: Any = None) -> Combined:
    """Combine several priors into one.

    The distance is d = Σ_k w_k d_k / m_k, where m_k is the mean distance of part k (over all pairs,
    or from 1000 samples on over those of a fixed subset) and the weights w_k sum to one. The m_k
    are taken once: a part of the combined prior keeps the distances of the whole.

    Parameters
    ----------
    priors : list or dict of anything `as_prior` takes
        The parts.
    weights : list or dict of float, default=None
        One positive number for each part; equal by default.

    Returns
    -------
    prior : Combined

    Examples
    --------
    >>> from unprior import priors
    >>> both = priors.combine({"batch": ["a", "b", "b"], "age": [20.0, 40.0, 30.0]}, weights=[3, 1])
    >>> both.weights
    array([0.75, 0.25])
    """
    several = name_parts("combine", "priors", priors)
    if several is None:
        message = "combine: 'priors' takes several priors in a list or dict; got a single one."
        raise TypeError(message)
    parts = read_parts("combine", several, None)
    return join("combine", parts, _read_weights(weights, [*parts]), advice=ADVICE)


def _read_weights(weights: Any, names: list[str]) -> Floats:
    if weights is None:
        return np.ones(len(names))
    if isinstance(weights, Mapping):
        if set(weights) != set(names):
            message = f"combine: 'weights' takes one number for each of {names}; got {[*weights]}."
            raise ValueError(message)
        weights = [weights[name] for name in names]
    array = np.asarray(weights, dtype=np.float64)
    if array.shape != (len(names),) or not ((array > 0) & (array < np.inf)).all():
        message = (
            f"combine: 'weights' takes {len(names)} positive numbers, one for each prior; got "
            f"{array.tolist()}."
        )
        raise ValueError(message)
    return array
