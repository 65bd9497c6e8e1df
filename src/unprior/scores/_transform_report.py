"""Scores of transformed samples, compared with the median of neighbours and a joint fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from sklearn.utils.validation import _num_samples, check_is_fitted

from unprior._params import Kind, Whole, check_value
from unprior._typing import Floats, Indices
from unprior.neighbors import map_neighbors
from unprior.scores._table import Table
from unprior.transform._distances import blocks
from unprior.transform._priors import FittedLabels, rows_of

#: Displacements are in units of the distance to the map neighbour of this rank.
RADIUS = 15

#: Estimators with places of new samples.
PLACING = Kind(
    "a fitted IndependentTSNE, JEDI or Confetti", lambda value: hasattr(value, "_views_of_new")
)


@dataclass(frozen=True, repr=False)
class TransformReport:
    """Scores of new samples by their fitted map neighbours; prints as a table.

    Attributes
    ----------
    scores : dict of str to dict
        By score ("<prior> left", "data kept", "hidden kept"), its value for the places ("placed"),
        for the medians of neighbours ("median") and for the joint fit if one was given ("joint"): 0
        is chance, 1 is all.
    far : ndarray of shape (n_new,), bool
        Which new samples are far from all fitted data.
    displacement : ndarray of shape (n_fitted,) or None
        Distance between the places that ``transform`` and ``fit`` give to fitted samples, in units
        of the distance to their 15th map neighbour.
    """

    scores: dict[str, dict[str, float]]
    far: NDArray[np.bool_]
    displacement: Floats | None

    @property
    def share_far(self) -> float:
        """Share of new samples that are far from all fitted data; 0.01 is usual."""
        return float(self.far.mean())

    @property
    def share_within(self) -> float:
        """Share of fitted samples that land within their 15-neighbour radius."""
        return float("nan") if self.displacement is None else float((self.displacement < 1).mean())

    def gap(self, what: str) -> float:
        """Return the score of the places less that of the joint fit."""
        return self.scores[what]["placed"] - self.scores[what]["joint"]

    def to_dict(self) -> dict[str, Any]:
        """Return the scores and shares as plain floats."""
        shares = {"far": self.share_far}
        if self.displacement is not None:
            shares |= {"within": self.share_within}
            shares |= {"displacement": float(np.median(self.displacement))}
        return {"scores": {what: dict(of) for what, of in self.scores.items()}, **shares}

    def __repr__(self) -> str:
        names = [*next(iter(self.scores.values()))]
        rows: list[list[str | float]] = [
            [what, *(of[name] for name in names)] for what, of in self.scores.items()
        ]
        note = f"{self.share_far:.1%} of {len(self.far)} new samples are far from all fitted data."
        if self.displacement is not None:
            note += (
                f"\n{self.share_within:.1%} of fitted samples land within their 15-neighbour "
                f"radius, half of them within {np.median(self.displacement):.2f} of it."
            )
        return Table(("", *names), rows, note).to_text()


def transform_report(
    estimator: Any,
    X: Any,
    *,
    prior: Any = None,
    hidden: Any = None,
    fitted: Any = None,
    joint: Any = None,
    unseen: str = "error",
    k: int = 15,
) -> TransformReport:
    """Score where `transform` places new samples, by their neighbours among the fitted ones.

    Parameters
    ----------
    estimator : IndependentTSNE, JEDI or Confetti
        Fitted.
    X : array-like of shape (n_new, n_features)
        The new samples.
    prior : Prior, array-like, or several of them in a list or dict
        Their prior, as ``transform`` takes it.
    hidden : tuple of two array-likes, optional
        Labels that the map should show, of the fitted and of the new samples.
    fitted : tuple of data and prior, optional
        What ``fit`` was given, to measure the displacement of fitted samples.
    joint : array-like of shape (n_fitted + n_new, n_components), optional
        A map fitted to all samples, the fitted ones first.
    unseen : {"error", "mean", "fit"}, default="error"
        What to do with classes that were not in the fitted samples.
    k : int, default=15
        Number of neighbours.

    Returns
    -------
    report : TransformReport
        Prints as a table. "left" is how alike new samples and their map neighbours are in a prior,
        "data kept" how near they are in the data (in the residual, if there is one).

    Examples
    --------
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(250, random_state=0)
    >>> X, known, hidden = data.X, data.known, data.hidden
    >>> tsne = up.IndependentTSNE(n_iter=200, random_state=0).fit(X[:200], prior=known[:200])
    >>> found = up.scores.transform_report(
    ...     tsne, X[200:], prior=known[200:], hidden=(hidden[:200], hidden[200:])
    ... )
    >>> found.scores["hidden kept"]["placed"] > 0.8
    True
    """
    who = "transform_report"
    check_value(who, "estimator", estimator, PLACING)
    check_value(who, "k", k, Whole(1))
    check_is_fitted(estimator)
    placed, far = estimator._place(X, prior, unseen=unseen)
    embedding = estimator.embedding_
    k = min(k, len(embedding))
    maps = {"placed": (placed.places, embedding), "median": (placed.medians, embedding)}
    if joint is not None:
        maps["joint"] = _split(who, joint, len(embedding), len(placed.places))
    near = {
        name: cKDTree(there).query(new, [*range(1, k + 1)])[1]
        for name, (new, there) in maps.items()
    }
    scores = _scores(estimator, X, prior, unseen, near)
    if hidden is not None:
        counts = len(embedding), len(placed.places)
        before, new = map(np.asarray, _pair(who, "hidden", hidden))
        if (before.shape, new.shape) != ((counts[0],), (counts[1],)):
            message = (
                f"{who}: 'hidden' takes a label for each of the {counts[0]} fitted and of the "
                f"{counts[1]} new samples; got shapes {before.shape} and {new.shape}."
            )
            raise ValueError(message)
        scores["hidden kept"] = {name: _purity(before, new, found) for name, found in near.items()}
    given = None if fitted is None else _pair(who, "fitted", fitted)
    displacement = None if given is None else _displacement(who, estimator, *given)
    return TransformReport(scores, far, displacement)


def _pair(who: str, name: str, value: Any) -> tuple[Any, Any]:
    if not (isinstance(value, tuple | list) and len(value) == 2):
        message = f"{who}: {name!r} takes two things in a tuple; got {type(value).__name__}."
        raise TypeError(message)
    return value[0], value[1]


def _split(who: str, joint: Any, n_fitted: int, n_new: int) -> tuple[Floats, Floats]:
    joint = np.asarray(joint)
    if joint.ndim != 2 or len(joint) != n_fitted + n_new:
        message = (
            f"{who}: 'joint' takes a map of the {n_fitted} fitted and the {n_new} new samples, in "
            f"this order; got shape {joint.shape}."
        )
        raise ValueError(message)
    return joint[n_fitted:], joint[:n_fitted]


def _scores(
    estimator: Any, X: Any, prior: Any, unseen: str, near: Mapping[str, Indices]
) -> dict[str, dict[str, float]]:
    """Return what is left of every prior and kept of the data, a block of rows at a time."""
    from unprior.estimators._new_samples import read_new  # scores load without estimators

    kept = estimator._new.priors
    X, values = read_new(estimator, kept, X, prior, unseen=unseen, without_prior=False)
    views = estimator._views_of_new(X, values, unseen)
    fitted = estimator._new.map.views[len(views) - 1].data
    sums: dict[str, dict[str, Floats]] = {}
    for rows in blocks(len(X), fitted.n_samples):
        found = {
            f"{name} left": (one.distances(rows_of(values[name], rows)), type(one) is FittedLabels)
            for name, one in kept.items()
        }
        found["data kept"] = fitted.distances(views[-1][rows]), True
        for what, (distances, has_least) in found.items():
            for name, indices in near.items():
                total = _room(distances, indices[rows], has_least=has_least)
                of = sums.setdefault(what, {})
                of[name] = of.get(name, np.zeros(2)) + total
    return {
        what: {
            name: float(shared / room) if room > 0 else 0.0 for name, (shared, room) in of.items()
        }
        for what, of in sums.items()
    }


def _room(distances: Floats, near: Indices, *, has_least: bool) -> Floats:
    """Return how much nearer neighbours are than all samples, and how much nearer they could be."""
    k = near.shape[1]
    far = distances.mean(axis=1, dtype=np.float64)
    least = np.partition(distances, k - 1, axis=1)[:, :k].mean(axis=1) if has_least else 0.0
    shared = far - np.take_along_axis(distances, near, axis=1).mean(axis=1, dtype=np.float64)
    return np.array([shared.sum(), (far - least).sum()])


def _purity(fitted: NDArray[Any], new: NDArray[Any], near: Indices) -> float:
    """Return the share of neighbours with the label of a new sample, 0 by chance and 1 at most."""
    values, counts = np.unique(fitted, return_counts=True)
    shares = dict(zip(values.tolist(), counts / len(fitted), strict=True))
    chance = float(np.mean([shares.get(label, 0.0) for label in new.tolist()]))
    shared = float((fitted[near] == new[:, None]).mean())
    return (shared - chance) / (1 - chance) if chance < 1 else 0.0


def _displacement(who: str, estimator: Any, X: Any, prior: Any) -> Floats:
    """Return how far fitted samples land from their places, in units of radii."""
    Y = estimator.embedding_
    if (n_samples := _num_samples(X)) != len(Y):
        message = (
            f"{who}: 'fitted' takes the data and prior that fit was given, of {len(Y)} samples; "
            f"got {n_samples}."
        )
        raise ValueError(message)
    _, lengths = map_neighbors(Y, np.arange(len(Y)), min(RADIUS, len(Y) - 1))
    places = estimator._place(X, prior)[0].places
    return np.asarray(np.linalg.norm(places - Y, axis=1) / np.maximum(lengths[:, -1], 1e-300))
