"""Columns of numbers -> the part of the data that they explain linearly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._memory import check_columns_fit
from unprior._typing import Floats
from unprior.priors import Labels, Prior
from unprior.priors._keep import Keep
from unprior.priors._labels import ClassReader
from unprior.priors._reader import Reader
from unprior.residual._frame import multiply_rows
from unprior.residual._regressors import Regressors, count_columns, learn_regressors
from unprior.residual._span import LinearPart, group_means, span, span_beside


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
