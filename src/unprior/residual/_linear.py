"""Least-squares fit of the data on priors: the linear residual of features and of distances."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._memory import check_columns_fit
from unprior._typing import Floats, Indices
from unprior.priors import Keep, Prior
from unprior.priors._labels import ClassReader
from unprior.priors._reader import Reader
from unprior.residual._principal_axes import multiply_rows
from unprior.residual._regressors import Regressors, codes_of, count_columns, learn_regressors

#: Singular values below this fraction of the largest, times the longer side, are rounding errors.
ROUNDING = float(np.finfo(np.float64).eps)

#: A column is constant within kept classes if its spread there is below this fraction of its whole.
CONSTANT = 1e-10


@dataclass(frozen=True, eq=False)
class LinearPart:
    """Orthonormal directions spanned by columns that are centred in each group of samples.

    Made by `span`.

    Attributes
    ----------
    means : ndarray of shape (n_groups, n_columns)
        Mean of each column in each group.
    scale : ndarray of shape (n_columns,)
        Standard deviation of each column.
    mixing : ndarray of shape (n_columns, rank)
        Turns standardised columns into directions.
    basis : ndarray of shape (n_samples, rank)
        The directions of the fitted samples: orthonormal, with mean zero in each group.
    """

    means: Floats
    scale: Floats
    mixing: Floats
    basis: Floats

    def directions(self, columns: Floats, groups: Indices) -> Floats:
        """Return the directions of other samples."""
        return multiply_rows((columns - self.means[groups]) / self.scale, self.mixing)


def span(columns: Floats, groups: Indices | None = None) -> LinearPart:
    """Find the directions that columns span in addition to a constant for each group.

    Parameters
    ----------
    columns : ndarray of shape (n_samples, n_columns)
        On any scale. Constant and linearly dependent columns are allowed.
    groups : ndarray of shape (n_samples,), optional
        Group of each sample; one group by default.

    Returns
    -------
    part : LinearPart

    Examples
    --------
    >>> import numpy as np
    >>> span(np.array([[0.0, 1.0, 5.0], [1.0, 3.0, 5.0], [2.0, 5.0, 5.0]])).basis.round(2)
    array([[-0.71],
           [ 0.  ],
           [ 0.71]])
    """
    if groups is None:
        groups = np.zeros(len(columns), dtype=np.intp)
    means = group_means(columns, groups)
    constant = _constant_in_groups(columns, groups)
    centred = np.where(constant, 0.0, columns - means[groups])
    scale = np.where(constant, 1.0, np.sqrt(np.mean(centred**2, axis=0)))
    basis, sizes, turn = np.linalg.svd(centred / scale, full_matrices=False)
    rank = int(np.count_nonzero(sizes > ROUNDING * max(columns.shape) * sizes.max(initial=0)))
    # Centred columns do not span the constants of the groups, even if rounding suggests it.
    rank = min(rank, len(columns) - int(np.count_nonzero(np.bincount(groups))))
    mixing = turn[:rank].T / sizes[:rank]
    return LinearPart(means, scale, np.where(constant[:, None], 0.0, mixing), basis[:, :rank])


def span_beside(columns: Floats, keep: Keep) -> tuple[LinearPart, Floats]:
    """Find the directions that columns span in addition to kept labels.

    Returns
    -------
    part : LinearPart
        The directions of all samples. Not orthonormal: means of kept classes may differ.
    within : ndarray of shape (n_samples, rank)
        The directions less the means of kept classes: orthonormal. Products of the data with them
        are the coefficients of a joint fit.
    """
    inner = columns - keep.part(columns)
    spread, left = columns.std(axis=0), inner.std(axis=0)
    found = span(np.where(left > CONSTANT * spread, inner, 0.0))
    means = columns.mean(axis=0, keepdims=True)
    everyone = np.zeros(len(columns), dtype=np.intp)
    part = replace(found, means=means)
    return replace(part, basis=part.directions(columns, everyone)), found.basis


def group_means(values: Floats, groups: Indices) -> Floats:
    """Return the mean row of each group."""
    order, starts, sizes = _sorted_groups(groups)
    sums = np.add.reduceat(values[order], starts, axis=0, dtype=np.float64)
    return np.asarray(sums / sizes[:, None])


def _constant_in_groups(columns: Floats, groups: Indices) -> NDArray[np.bool_]:
    order, starts, _ = _sorted_groups(groups)
    ordered = columns[order]
    most, least = np.maximum.reduceat(ordered, starts), np.minimum.reduceat(ordered, starts)
    return np.asarray((most == least).all(axis=0))


def _sorted_groups(groups: Indices) -> tuple[Indices, Indices, Indices]:
    """Return samples sorted by group, where each group starts, and its size."""
    sizes = np.bincount(groups)
    return np.argsort(groups, kind="stable"), np.cumsum(sizes) - sizes, sizes


@dataclass(frozen=True, eq=False)
class LinearModel:
    """The least-squares fit of features on priors.

    The prior with the most classes is fitted by the means of its groups: a column for each of its
    classes would take too much memory.

    Attributes
    ----------
    regressors : dict of str to Regressors
        How each other prior becomes columns.
    groups : dict of str to Reader
        Reads the prior whose classes are groups; empty if there is none.
    part : LinearPart
        The directions that the columns span within groups.
    means : ndarray of shape (n_groups, n_features)
        Mean features of each group, relative to the mean of all samples.
    coefficients : ndarray of shape (rank, n_features)
        Coefficients of the features on the directions.
    """

    regressors: Mapping[str, Regressors]
    groups: Mapping[str, Reader]
    part: LinearPart
    means: Floats
    coefficients: Floats

    @property
    def readers(self) -> Mapping[str, Reader]:
        """The readers of new samples' priors, by name."""
        return {**self.groups, **{name: how.reader for name, how in self.regressors.items()}}

    @property
    def rank(self) -> int:
        """Number of directions that are removed."""
        return len(self.means) - 1 + len(self.coefficients)

    def explained(
        self, X: Floats, read: Mapping[str, NDArray[Any]], *, learn: bool = False
    ) -> Floats:
        """Return the fit for new samples, relative to the mean of the fitted ones."""
        for name, reader in self.readers.items():
            if isinstance(reader, ClassReader) and (read[name] >= len(reader.classes)).any():
                message = (
                    f"Residual: kind='linear' takes the classes of fit alone, and {name!r} has "
                    "others; use kind='smooth' or kind='aligned'."
                )
                raise ValueError(message)
        columns = [how.columns(read[name]) for name, how in self.regressors.items()]
        groups = np.zeros(len(X), dtype=np.intp)
        for name in self.groups:
            groups = read[name]
        directions = self.part.directions(_side_by_side(columns, len(X)), groups)
        return np.asarray(self.means[groups] + multiply_rows(directions, self.coefficients))


def learn_linear(
    X: Floats, priors: Mapping[str, Prior], keep: Keep | None = None
) -> tuple[LinearModel, Floats]:
    """Fit features on priors, jointly with kept labels; return the fit and what priors explain."""
    if keep is not None:
        return _learn_beside(X, priors, keep)
    classes = codes_of(priors)
    most = max(classes, key=lambda name: classes[name].max(), default=None)
    codes = np.zeros(len(X), dtype=np.intp) if most is None else classes[most]
    others = {name: prior for name, prior in priors.items() if name != most}
    _check_memory(others.values(), len(X))
    found = {name: learn_regressors(prior) for name, prior in others.items()}
    part = span(_side_by_side([columns for _, columns in found.values()], len(X)), codes)
    of_groups = group_means(X, codes)
    coefficients = part.basis.T @ (X - of_groups[codes])
    means = of_groups - X.mean(axis=0, dtype=np.float64)
    model = LinearModel(
        {name: how for name, (how, _) in found.items()},
        {} if most is None else {most: priors[most].reader()},
        part,
        means,
        coefficients,
    )
    _check_rank(model.rank, len(X))
    return model, means[codes] + part.basis @ coefficients


def _learn_beside(X: Floats, priors: Mapping[str, Prior], keep: Keep) -> tuple[LinearModel, Floats]:
    _check_memory(priors.values(), len(X))
    found = {name: learn_regressors(prior) for name, prior in priors.items()}
    columns = _side_by_side([columns for _, columns in found.values()], len(X))
    part, within = span_beside(columns, keep)
    coefficients = within.T @ (X - keep.part(X))
    regressors = {name: how for name, (how, _) in found.items()}
    model = LinearModel(regressors, {}, part, np.zeros((1, X.shape[1])), coefficients)
    _check_rank(model.rank, len(X))
    return model, part.basis @ coefficients


def _side_by_side(columns: Sequence[Floats], n_samples: int) -> Floats:
    """Stack columns horizontally; the list may be empty."""
    return np.hstack([np.empty((n_samples, 0)), *columns])


def linear_distances(
    D: Floats, priors: Mapping[str, Prior], strength: float, keep: Keep | None = None
) -> tuple[int, Floats]:
    """Remove from distances what priors explain linearly; return the rank and the residual."""
    _check_memory(priors.values(), len(D))
    columns = np.hstack([learn_regressors(prior)[1] for prior in priors.values()])
    if keep is None:
        basis = directions = span(columns).basis
    else:
        part, basis = span_beside(columns, keep)
        directions = part.basis
    _check_rank(basis.shape[1], len(D))
    squared = squared_residual(np.square(D, dtype=np.float64), basis, strength, directions)
    return basis.shape[1], np.sqrt(np.maximum(squared, 0))


def _check_memory(priors: Iterable[Prior], n_samples: int) -> None:
    n_columns = sum(map(count_columns, priors))
    # Each prior's columns, all of them, centred, scaled, and two more for the decomposition.
    check_columns_fit("Residual", n_samples, n_columns, n_arrays=6, advice='use kind="smooth"')


def _check_rank(rank: int, n_samples: int) -> None:
    if rank >= n_samples - 1:
        message = (
            f"Residual: the prior has {rank} independent columns, which explain any {n_samples} "
            "samples in full; give fewer columns or more samples."
        )
        raise ValueError(message)


def squared_residual(
    squared: Floats, basis: Floats, strength: float, directions: Floats | None = None
) -> Floats:
    r"""Remove directions from squared distances, by way of their centred Gram matrix.

    With H the projection onto the basis and B the Gram matrix, the squared distances of
    :math:`(I - \eta H)\,B\,(I - \eta H^T)`: for distances between points, those between the points
    less the fraction η of what the basis explains.

    Parameters
    ----------
    squared : ndarray of shape (n_samples, n_samples)
        Squared distances.
    basis : ndarray of shape (n_samples, rank)
        Orthonormal columns of mean zero.
    strength : float
        The fraction η.
    directions : ndarray of shape (n_samples, rank), optional
        Columns of mean zero to remove; the basis then gives their coefficients alone. By default
        the basis itself.

    Returns
    -------
    residual : ndarray of shape (n_samples, n_samples)
        Symmetric, with a zero diagonal. Negative only if the distances are not Euclidean.
    """
    # The basis is centred, so the product needs no centring of the Gram matrix on the right.
    product = squared @ basis / -2
    product -= product.mean(axis=0)
    directions = basis if directions is None else directions
    factor = strength * product - strength**2 / 2 * directions @ (basis.T @ product)
    change = directions @ factor.T
    change = change + change.T
    own = np.diagonal(change).copy()
    residual = squared - (own + own[:, None]) + 2 * change
    np.fill_diagonal(residual, 0)
    return residual
