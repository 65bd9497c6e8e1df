"""Sparse data -> dense data: all columns if there are few, otherwise the leading components.

Components are computed by products with the sparse matrix, with implicit centring. Linear methods
can follow: the least-squares residual of the components equals that of the data along these axes.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from unprior._memory import check_array_fits
from unprior._projection import Projection
from unprior._threads import one_blas_thread
from unprior._typing import Floats
from unprior._validation import find_gaps, refuse_gaps
from unprior._warnings import DataWarning, caller_level

#: Up to this many columns, data are made dense.
FEW_COLUMNS = 200
#: Number of components, as in scanpy.
COMPONENTS = 50
#: Metrics preserved by centred components, and by components of normalised rows.
CENTERED, DIRECTED = ("euclidean", "l2"), ("cosine",)


def dense_data(who: str, name: str, X: Any, metric: Any) -> Any:
    """Return sparse data as a dense array; other data unchanged.

    Parameters
    ----------
    who, name : str
        The function and its argument, for messages.
    X : array or sparse matrix of shape (n_samples, n_features)
        The data.
    metric : str or callable
        Distance between rows; components preserve Euclidean and cosine distances.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> dense_data("embed", "X", csr_array([[0.0, 2.0], [1.0, 0.0]]), "euclidean")
    array([[0., 2.],
           [1., 0.]])
    """
    return reduce_data(who, name, X, metric)[0]


def reduce_data(
    who: str, name: str, X: Any, metric: Any, *, keeps_columns: bool = False
) -> tuple[Any, Projection | None]:
    """Return the same as `dense_data`, and how the data were reduced; None if they were not.

    ``keeps_columns`` says that all columns are needed, however many.
    """
    if not issparse(X):
        return X, None
    X = check_sparse(who, name, X)
    n_samples, n_columns = X.shape
    if n_columns <= FEW_COLUMNS or keeps_columns:
        check_array_fits(who, name, n_samples, n_columns)
        return X.toarray(), None
    if metric not in CENTERED + DIRECTED:
        message = (
            f"{who}: {name!r} takes a dense array with metric={metric!r}; got a sparse matrix of "
            f"{n_columns} columns. Call .toarray() on it, or use 'euclidean' or 'cosine'."
        )
        raise TypeError(message)
    n_components = min(COMPONENTS, n_samples - 1, n_columns - 1)
    reduced, projection, share = _components(X, n_components, centered=metric in CENTERED)
    message = (
        f"{who}: {name!r} is sparse with {n_columns} columns; its {n_components} leading "
        f"components, which hold {100 * share:.0f} % of the variance, are used instead. Reduce it "
        "yourself for another choice."
    )
    warnings.warn(message, DataWarning, stacklevel=caller_level())
    return reduced, projection


def _components(X: Any, n_components: int, *, centered: bool) -> tuple[Floats, Projection, float]:
    """Return the leading components, their axes, and the fraction of the variance they hold."""
    from sklearn.decomposition import PCA, TruncatedSVD
    from sklearn.preprocessing import normalize

    if not centered:
        X = normalize(X)
    kind = PCA if centered else TruncatedSVD
    option = {"svd_solver": "arpack"} if centered else {"algorithm": "arpack"}
    with one_blas_thread():
        model = kind(n_components, random_state=0, **option)
        scores = model.fit_transform(X)
    center = model.mean_ if centered else np.zeros(X.shape[1])
    axes = np.ascontiguousarray(model.components_.T)
    projection = Projection(center, np.ones(X.shape[1]), axes, unit_rows=not centered)
    share = float(model.explained_variance_ratio_.sum())
    return np.ascontiguousarray(scores), projection, share


def check_sparse(who: str, name: str, X: Any) -> Any:
    """Return rows of floats; refuse missing values and other types."""
    if X.dtype.kind not in "fiub":
        message = f"{who}: {name!r} takes real numbers; got {X.dtype} values."
        raise ValueError(message)
    X = csr_array(X)
    X = X if X.dtype == np.float32 else X.astype(np.float64)
    gaps = find_gaps(X.data)
    if gaps is not None:
        bad = np.flatnonzero(~np.isfinite(X.data))
        rows = np.searchsorted(X.indptr, bad, side="right") - 1
        where = (int(rows[0]), int(X.indices[bad[0]]))
        value = "NaN" if np.isnan(X.data[bad[0]]) else "infinity"
        refuse_gaps(who, name, type(gaps)(where, value, len(np.unique(rows))))
    return X
