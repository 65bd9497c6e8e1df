"""How much of a prior is left on a map within the classes of other labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unprior._frames import match
from unprior._params import Whole, check_value
from unprior.priors import Keep, Prior, read_keep
from unprior.priors._left_within import PriorLeftWithin
from unprior.scores._distances import check_same_samples, read_either, read_map
from unprior.scores._neighbors import MapNeighbors, search_map
from unprior.scores._rows import Estimate, estimate_ratio

if TYPE_CHECKING:
    from unprior._typing import Floats


def left_within(
    Y: Any,
    prior: Any,
    keep: Any,
    k: int = 15,
    *,
    n_rows: int | None = None,
    random_state: Any = None,
) -> float:
    """How much of a prior map neighbours share within classes of other labels: 0 by chance.

    `neighbor_coherence` with a different chance level. If a prior is associated with other labels,
    such as batches that lack some cell types, a map that shows these labels also shows the prior,
    and should. So each neighbour is compared with random samples of the neighbour's own class: the
    score is what the labels do not account for.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        Coordinates of the map.
    prior : Prior or array-like
        The prior; see `unprior.priors.as_prior`.
    keep : array-like of shape (n_samples,), or several of them in a list or dict
        Labels within whose classes the prior is scored. For missing labels (None, NaN), the chance
        level is that of all samples.
    k : int, default=15
        Number of neighbours, less than the number of samples.
    n_rows : int, optional
        Score this many samples, drawn at random; by default every sample.
    random_state : int or RandomState, optional
        Seed of the draw.

    Returns
    -------
    left : float
        At most 1; 0 by chance, or if the prior is constant within every class.

    See Also
    --------
    neighbor_coherence : The same relative to random samples of all classes.
    confounding : How strongly prior and labels are associated.

    Examples
    --------
    Batch "b" has one cell type alone, and the map shows the types and nothing else:

    >>> import numpy as np
    >>> from unprior import scores
    >>> cell = np.repeat(["T", "B"], 100)
    >>> batch = np.append(np.tile(["a", "b"], 50), ["a"] * 100)
    >>> Y = 9.0 * (cell == "B") + np.random.RandomState(0).uniform(size=200)
    >>> round(scores.neighbor_coherence(Y, batch), 2), round(scores.left_within(Y, batch, cell), 2)
    (0.33, -0.01)
    """
    who = "left_within"
    Y, prior, keep = match(who, Y=Y, prior=prior, keep=keep)
    Y, prior = read_map(who, Y), read_either(who, "prior", prior)
    check_same_samples(who, {"Y": Y, "prior": prior})
    check_value(who, "k", k, Whole(1, Y.n_samples - 1))
    kept = read_keep(who, keep, Y.n_samples)
    found = search_map(who, Y, k, n_rows, random_state)
    return estimate_left_within(found, prior, kept or everyone(Y.n_samples), k).value


def everyone(n_samples: int) -> Keep:
    """Return labels of a single class, so that the chance level is that of all samples."""
    return Keep(np.zeros(n_samples, dtype=np.intp), np.array(["all"]))


def estimate_left_within(found: MapNeighbors, prior: Prior, keep: Keep, k: int) -> Estimate:
    """Estimate what map neighbours share of a prior within kept classes."""
    measure = PriorLeftWithin.of(prior, keep, k)
    parts = [_above_and_room(found, measure, places) for places in found.runs()]
    above, room = (np.concatenate(part) for part in zip(*parts, strict=True))
    return estimate_ratio(above, room, found.n_samples)


def _above_and_room(
    found: MapNeighbors, measure: PriorLeftWithin, places: Any
) -> tuple[Floats, Floats]:
    """Return for each row how much nearer than by chance neighbours are, and its maximum."""
    near, keep, n = found.at(measure.k, places), measure.keep, len(places)
    i, j = found.rows[places][near.row], near.column
    partner = keep.partner_class(i, j)
    # Number of a row's neighbours in this partner class; ties count with fractional weights.
    groups, group = np.unique(near.row * (keep.count + 1) + partner, return_inverse=True)
    alike = np.bincount(group, weights=near.weight, minlength=len(groups))[group]
    far, least = measure.far_and_least(i, partner, alike)
    return near.sum(far - measure.prior.pairs(i, j), n), near.sum(far - least, n)
