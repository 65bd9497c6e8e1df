"""Columns of numbers -> the part of the data that they explain linearly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._memory import check_columns_fit
from unprior._typing import Floats, Indices
from unprior.priors import Labels, Prior
from unprior.priors._keep import Keep
from unprior.priors._labels import ClassReader
from unprior.priors._reader import Reader
from unprior.residual._frame import multiply_rows
from unprior.residual._regressors import Regressors, count_columns, learn_regressors

#: Singular values below this share of the largest, times the longer side, are rounding.
ROUNDING = float(np.finfo(np.float64).eps)

#: A column that has less than this share of its spread within kept classes has none there.
NOTHING = 1e-10


@dataclass(frozen=True, eq=False)
class LinearPart:
    """Orthonormal directions that columns span, centred in each group of samples.

    Made by `span`.

    Attributes
    ----------
    means : ndarray of shape (n_groups, n_columns)
        What columns are centred by in each group.
    scale : ndarray of shape (n_columns,)
        What they are divided by.
    mixing : ndarray of shape (n_columns, rank)
        Turns standardised columns into directions.
    basis : ndarray of shape (n_samples, rank)
        The directions for the samples they were learnt from: orthonormal, and of mean zero in each
        group.
    """

    means: Floats
    scale: Floats
    mixing: Floats
    basis: Floats

    def directions(self, columns: Floats, groups: Indices) -> Floats:
        """Return the directions for other samples."""
        return multiply_rows((columns - self.means[groups]) / self.scale, self.mixing)


def span(columns: Floats, groups: Indices | None = None) -> LinearPart:
    """Find the directions that columns span beside a constant for each group.

    Parameters
    ----------
    columns : ndarray of shape (n_samples, n_columns)
        Scaled in whatever way. Constant columns and columns that follow from others are fine.
    groups : ndarray of shape (n_samples,), optional
        Number of each sample's group; by default there is one group.

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
    # Centred columns never span the constants, though rounding can make it seem so.
    rank = min(rank, len(columns) - int(np.count_nonzero(np.bincount(groups))))
    mixing = turn[:rank].T / sizes[:rank]
    return LinearPart(means, scale, np.where(constant[:, None], 0.0, mixing), basis[:, :rank])


def group_means(values: Floats, groups: Indices) -> Floats:
    """Mean of the rows of each group."""
    order, starts, sizes = _stretches(groups)
    sums = np.add.reduceat(values[order], starts, axis=0, dtype=np.float64)
    return np.asarray(sums / sizes[:, None])


def _constant_in_groups(columns: Floats, groups: Indices) -> NDArray[np.bool_]:
    order, starts, _ = _stretches(groups)
    ordered = columns[order]
    most, least = np.maximum.reduceat(ordered, starts), np.minimum.reduceat(ordered, starts)
    return np.asarray((most == least).all(axis=0))


def _stretches(groups: Indices) -> tuple[Indices, Indices, Indices]:
    """Return samples group by group, where each group begins, and how many it has."""
    sizes = np.bincount(groups)
    return np.argsort(groups, kind="stable"), np.cumsum(sizes) - sizes, sizes


@dataclass(frozen=True, eq=False)
class LinearModel:
    """The least-squares fit of features on what is known.

    One prior of labels makes groups, of which only means are needed: a column for each class would
    take as much memory as samples times classes.

    Attributes
    ----------
    regressors : dict of str to Regressors
        How each other prior is told in columns.
    groups : dict of str to Reader
        What reads the prior whose classes are groups; empty if there is none.
    part : LinearPart
        The directions that the columns span within groups.
    means : ndarray of shape (n_groups, n_features)
        How far the features' mean in each group is from that of all samples.
    coefficients : ndarray of shape (rank, n_features)
        What each direction has of the features.
    """

    regressors: Mapping[str, Regressors]
    groups: Mapping[str, Reader]
    part: LinearPart
    means: Floats
    coefficients: Floats

    @property
    def readers(self) -> Mapping[str, Reader]:
        """What reads the priors of new samples."""
        return {**self.groups, **{name: how.reader for name, how in self.regressors.items()}}

    @property
    def rank(self) -> int:
        """Number of directions that are taken out."""
        return len(self.means) - 1 + len(self.coefficients)

    def explained(
        self, X: Floats, told: Mapping[str, NDArray[Any]], *, learn: bool = False
    ) -> Floats:
        """Return what is explained of new samples, as far as it differs from the mean."""
        for name, reader in self.readers.items():
            if isinstance(reader, ClassReader) and (told[name] >= len(reader.classes)).any():
                message = (
                    f"Residual: kind='linear' takes the classes of fit alone, and {name!r} has "
                    "others; take kind='smooth' or kind='aligned'."
                )
                raise ValueError(message)
        columns = [how.columns(told[name]) for name, how in self.regressors.items()]
        groups = np.zeros(len(X), dtype=np.intp)
        for name in self.groups:
            groups = told[name]
        directions = self.part.directions(_beside(columns, len(X)), groups)
        return np.asarray(self.means[groups] + multiply_rows(directions, self.coefficients))


def learn_linear(
    X: Floats, priors: Mapping[str, Prior], keep: Keep | None = None
) -> tuple[LinearModel, Floats]:
    """Regress features on priors jointly, and on kept labels; return the fit of the priors.

    Also returns what it explains of the fitted samples.
    """
    if keep is not None:
        return _learn_beside(X, priors, keep)
    labels = {name: prior for name, prior in priors.items() if isinstance(prior, Labels)}
    most = max(labels, key=lambda name: len(labels[name].classes), default=None)
    codes = np.zeros(len(X), dtype=np.intp) if most is None else labels[most].codes
    others = {name: prior for name, prior in priors.items() if name != most}
    _check_memory(others.values(), len(X))
    told = {name: learn_regressors(prior) for name, prior in others.items()}
    part = span(_beside([columns for _, columns in told.values()], len(X)), codes)
    of_groups = group_means(X, codes)
    coefficients = part.basis.T @ (X - of_groups[codes])
    means = of_groups - X.mean(axis=0, dtype=np.float64)
    model = LinearModel(
        {name: how for name, (how, _) in told.items()},
        {} if most is None else {most: labels[most].reader()},
        part,
        means,
        coefficients,
    )
    _check_rank(model.rank, len(X))
    return model, means[codes] + part.basis @ coefficients


def _learn_beside(X: Floats, priors: Mapping[str, Prior], keep: Keep) -> tuple[LinearModel, Floats]:
    """Regress features on priors and kept labels; the fit is the priors' part alone."""
    _check_memory(priors.values(), len(X))
    told = {name: learn_regressors(prior) for name, prior in priors.items()}
    part, within = span_beside(_beside([columns for _, columns in told.values()], len(X)), keep)
    coefficients = within.T @ (X - keep.part(X))
    regressors = {name: how for name, (how, _) in told.items()}
    model = LinearModel(regressors, {}, part, np.zeros((1, X.shape[1])), coefficients)
    _check_rank(model.rank, len(X))
    return model, part.basis @ coefficients


def span_beside(columns: Floats, keep: Keep) -> tuple[LinearPart, Floats]:
    """Find the directions that columns span beside kept labels.

    Returns
    -------
    part : LinearPart
        What each direction is of all samples: not orthonormal, since kept classes may differ in it.
    within : ndarray of shape (n_samples, rank)
        The same without what kept classes differ by: orthonormal. The products of the data with it
        are the coefficients of a joint fit.
    """
    inner = columns - keep.part(columns)
    spread, left = columns.std(axis=0), inner.std(axis=0)
    found = span(np.where(left > NOTHING * spread, inner, 0.0))
    means = columns.mean(axis=0, keepdims=True)
    everyone = np.zeros(len(columns), dtype=np.intp)
    part = replace(found, means=means)
    return replace(part, basis=part.directions(columns, everyone)), found.basis


def _beside(columns: Sequence[Floats], n_samples: int) -> Floats:
    """Put columns beside each other; there may be none."""
    return np.hstack([np.empty((n_samples, 0)), *columns])


def linear_distances(
    D: Floats, priors: Mapping[str, Prior], strength: float, keep: Keep | None = None
) -> tuple[int, Floats]:
    """Take what priors explain linearly out of distances; return the rank, and what is left."""
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
    # Columns alone and together, centred, scaled, and for the decomposition two more.
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
    r"""Take directions out of squared distances, through their centred Gram matrix.

    With H the projection onto the basis and B the Gram matrix, the squared distances of
    :math:`(I - \eta H)\,B\,(I - \eta H^T)`: if the distances are those of points, the distances of
    these points without the share η of what the basis explains.

    Parameters
    ----------
    squared : ndarray of shape (n_samples, n_samples)
        Squared distances.
    basis : ndarray of shape (n_samples, rank)
        Orthonormal columns of mean zero.
    strength : float
        The share η.
    directions : ndarray of shape (n_samples, rank), optional
        Columns of mean zero that are taken out in place of the basis, which then only tells how
        much there is of each.

    Returns
    -------
    residual : ndarray of shape (n_samples, n_samples)
        Symmetric, with a zero diagonal. Negative only for distances that no points have.
    """
    # B H without B: centring on the right falls to the basis, which is centred already.
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
