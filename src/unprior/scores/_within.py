"""Data, priors and a map to how well the map keeps neighbours among samples alike in the priors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unprior._frames import match
from unprior._params import Whole, check_value
from unprior.geometry import SampleDistances
from unprior.priors import parts_of
from unprior.scores._distances import (
    check_informative,
    check_same_samples,
    distances_to,
    read_data,
    read_map,
)
from unprior.scores._neighbors import share_places
from unprior.scores._rows import Estimate, choose_rows, estimate_ratio, score_blocks
from unprior.scores._strata import cut_strata

if TYPE_CHECKING:
    from unprior._typing import Floats, Indices, Metric

#: At most one in so many of a stratum's other samples is a neighbour.
NEIGHBOR_SHARE = 3


def kept_within(
    Y: Any,
    X: Any,
    prior: Any,
    k: int = 15,
    *,
    metric: Metric = "euclidean",
    n_rows: int | None = None,
    random_state: Any = None,
) -> float:
    """Share of the data's neighbourhoods that a map keeps among samples alike in the prior.

    Samples are cut into strata, in each of which the prior is (nearly) the same: classes of labels,
    up to twelve ranges of a number, or the surroundings of up to twelve landmarks. Within its
    stratum, a sample's neighbours on the map are nearer to it in the data than random members are,
    by as much as the map keeps of the data there. The score is this approach over that of the
    data's own neighbours in the stratum: 0 as by chance, 1 all of it.

    Nothing of it is the prior's doing, and no residual is involved, so that it favours no method.
    It needs no hidden labels. What it does not see is whether strata lie on each other as they
    should: a map of each class by itself keeps all.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        Coordinates of the map.
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples), or Prior
        The data: features, distances if ``metric="precomputed"``, or anything as a Prior.
    prior : Prior, array-like, or several of them in a list or dict
        What was factored out; see `unprior.priors.as_prior`. The strata of several are crossed.
    k : int, default=15
        Number of neighbours; in small strata at most a third of the other members.
    metric : str or callable, default="euclidean"
        Distance between rows of ``X``.
    n_rows : int, optional
        Score this many samples, drawn at random, against their strata; by default every sample.
    random_state : int or RandomState, optional
        Seed of the draw.

    Returns
    -------
    kept : float
        At most 1; 0 by chance. NaN if no stratum has four samples, or if all samples of a stratum
        are equally far apart in the data.

    See Also
    --------
    report : Warns of maps that keep less than 0.45.
    rest_kept : The same of what a residual leaves, across strata.

    Notes
    -----
    Maps show more of some data than of others: of 18 cases plain t-SNE kept 0.5 to 0.98, and of
    noise in 30 dimensions a third. So compare with a plain map of the same data.

    Examples
    --------
    >>> import numpy as np
    >>> from unprior.scores import kept_within
    >>> rng = np.random.RandomState(0)
    >>> batch, X = np.repeat(["a", "b"], 100), rng.normal(size=(200, 2))
    >>> X[:, 0] += 8 * (batch == "b")
    >>> kept_within(X, X, batch)
    1.0
    >>> round(kept_within(X[:, :1], X, batch), 2)
    0.53
    >>> unrelated = rng.normal(size=(200, 2))
    >>> abs(kept_within(unrelated, X, batch)) < 0.05
    True
    """
    who = "kept_within"
    X, Y, prior = match(who, X=X, Y=Y, prior=prior)
    Y, data = read_map(who, Y), read_data(who, "X", X, metric)
    check_same_samples(who, {"Y": Y, "X": data})
    check_value(who, "k", k, Whole(1, Y.n_samples - 1))
    known = parts_of(prior, Y.n_samples, who=who)
    for name, part in known.items():
        check_informative(who, name, part)
    found = estimate_within(who, Y, data, cut_strata(known.values()), k, n_rows, random_state)
    return found.value


def estimate_within(
    who: str,
    Y: SampleDistances,
    data: SampleDistances,
    strata: Indices,
    k: int,
    n_rows: int | None,
    random_state: Any,
) -> Estimate:
    """Estimate what a map, read already, keeps within strata; NaN if there is nothing to keep."""
    population = large_enough(strata)
    if not len(population):
        return Estimate(float("nan"), 0.0)
    rows = choose_rows(who, population, n_rows, random_state)
    on_map, at_best = np.empty(len(rows)), np.empty(len(rows))
    for stratum in np.unique(strata[rows]):
        members, here = np.flatnonzero(strata == stratum), strata[rows] == stratum
        parts = score_blocks(_approach, rows[here], len(members), members, Y, data, k)
        on_map[here], at_best[here] = (np.concatenate(part) for part in zip(*parts, strict=True))
    if not at_best.any():
        return Estimate(float("nan"), 0.0)
    return estimate_ratio(on_map, at_best, len(population))


def large_enough(strata: Indices) -> Indices:
    """Return the samples whose strata are large enough for neighbours and others in them."""
    return np.flatnonzero(np.bincount(strata)[strata] > NEIGHBOR_SHARE)


def _approach(
    rows: Indices, members: Indices, Y: SampleDistances, data: SampleDistances, k: int
) -> tuple[Floats, Floats]:
    """How much nearer in the data than other members the map's neighbours are, and the data's."""
    n_rows, n_others = len(rows), len(members) - 1
    n_near = min(k, n_others // NEIGHBOR_SHARE)
    apart = distances_to(data, rows, members)
    on_map = share_places(distances_to(Y, rows, members), n_near)
    at_best = share_places(apart, n_near)
    apart[np.isneginf(apart)] = 0  # a sample itself
    far = apart.sum(axis=1) / n_others
    near, nearest = (
        found.sum(apart[found.row, found.column], n_rows) / n_near for found in (on_map, at_best)
    )
    return far - near, far - nearest
