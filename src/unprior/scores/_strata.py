"""Priors to strata: groups of samples that are alike in all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unprior.geometry import SampleDistances, draw_landmarks
from unprior.priors import Features

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unprior._typing import Indices

#: Strata of all priors without classes together, and samples that each of them should have.
MOST_STRATA, STRATUM_SIZE = 12, 30


def cut_strata(priors: Iterable[SampleDistances]) -> Indices:
    """Return the stratum of each sample, numbered from 0: the priors' classes or ranges, crossed.

    Examples
    --------
    >>> from unprior import priors
    >>> cut_strata([priors.labels(["a", "b", "a", "b"])])
    array([0, 1, 0, 1])
    """
    known = [*priors]
    n, n_ranges = known[0].n_samples, sum(prior.class_codes is None for prior in known)
    most = min(max(n // STRATUM_SIZE, 2), MOST_STRATA)
    each = max(2, round(most ** (1 / max(n_ranges, 1))))
    strata = np.zeros(n, dtype=np.intp)
    for prior in known:
        codes = _codes(prior, each)
        strata = np.unique(strata * (codes.max() + 1) + codes, return_inverse=True)[1]
    return strata


def _codes(prior: SampleDistances, n_strata: int) -> Indices:
    if prior.class_codes is not None:
        return prior.class_codes
    if isinstance(prior, Features) and prior.values.shape[1] == 1:
        values = prior.values[:, 0]
        few = np.unique(values)
        if len(few) <= n_strata:
            return np.searchsorted(few, values)
        edges = np.quantile(values, np.arange(1, n_strata) / n_strata)
        # Several quantiles may be one value, which many samples have.
        return np.unique(np.searchsorted(edges, values, side="right"), return_inverse=True)[1]
    landmarks = draw_landmarks(prior.n_samples, n_strata)
    to_landmarks = prior.block(landmarks, np.arange(prior.n_samples))
    return np.unique(to_landmarks.argmin(axis=0), return_inverse=True)[1]
