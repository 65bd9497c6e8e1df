"""Several priors -> some of the samples, in which each of them still tells samples apart."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from unprior._typing import Indices
from unprior.priors._base import Prior

#: Samples of a rare kind that are added where none was drawn.
RARE = 15


def draw_part(priors: Iterable[Prior], n_samples: int, size: int, seed: int) -> Indices:
    """Draw some samples at random, in order; all of them if there are no more.

    A draw may miss all samples that a prior tells from the rest, such as those of a rare class.
    Some of them then take the place of others.

    Examples
    --------
    >>> from unprior.priors import labels
    >>> rare = labels(["a"] * 99 + ["b"])
    >>> rows = draw_part([rare], 100, 10, seed=0)
    >>> len(rows), 99 in rows
    (10, True)
    """
    if size >= n_samples:
        return np.arange(n_samples)
    rng = np.random.RandomState(seed)
    rows = rng.choice(n_samples, size, replace=False)
    for prior in priors:
        if prior[np.sort(rows)].is_constant():
            away = np.flatnonzero(prior.block(rows[:1], np.arange(n_samples))[0] > 0)
            added = rng.permutation(away)[: min(RARE, size // 2)]
            rows = np.concatenate((added, rows[: size - len(added)]))
    return np.sort(rows)
