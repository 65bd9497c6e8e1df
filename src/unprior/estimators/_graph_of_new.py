"""New samples and what is known of them -> their graph to the fitted samples."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from unprior.estimators._base import read_again
from unprior.estimators._new_samples import read_new
from unprior.transform._place import BLOCK_ENTRIES
from unprior.transform._priors import KeptPrior, rows_of
from unprior.transform._views import NewView


def read_fitted(estimator: Any, X: Any) -> Any:
    """Read data as ``fit`` does, to see whether they are its own; distances may not be square."""
    if estimator.metric == "precomputed" and len(set(np.shape(X))) > 1:
        return np.zeros((0, 0))
    return read_again(estimator, X)


def graph_to_fitted(
    estimator: Any,
    finder: NewView | str,
    kept: Mapping[str, KeptPrior],
    X: Any,
    prior: Any,
    unseen: str,
) -> csr_matrix:
    """Return the graph from new samples to the fitted ones."""
    if isinstance(finder, str):
        message = f"{type(estimator).__name__}: 'transform' {finder}"
        raise ValueError(message)
    X, told = read_new(estimator, kept, X, prior, unseen=unseen, without_prior=False)
    n_fitted, k = finder.rows.n_samples, finder.k
    step = max(1, BLOCK_ENTRIES // n_fitted)
    indices, lengths = [], []
    for start in range(0, len(X), step):
        rows = slice(start, start + step)
        known = {name: rows_of(told[name], rows) for name in told}
        nearest = {name: kept[name].nearest(known[name]) for name in known}
        near, lines = finder.choose(
            finder.rows.to_fitted(X[rows]),
            nearest,
            partial(_lines, kept, known),
        )
        indices.append(near)
        lengths.append(lines)
    starts = np.arange(0, len(X) * k + 1, k)
    values = np.concatenate(lengths).ravel(), np.concatenate(indices).ravel(), starts
    return csr_matrix(values, shape=(len(X), n_fitted))


def _lines(kept: Mapping[str, KeptPrior], known: Mapping[str, Any], name: str) -> Any:
    """Return distances of new samples to the fitted ones in a prior."""
    return kept[name].to_fitted(known[name])
