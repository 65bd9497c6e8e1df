"""Neighbourhood purity of each class on a map, and the worst class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unprior.geometry import SampleDistances
from unprior.priors import Labels
from unprior.scores._coherence import own_shares, purity_bounds, read_purity
from unprior.scores._neighbors import MapNeighbors, search_map, search_rows
from unprior.scores._rows import Estimate, draw_seed

if TYPE_CHECKING:
    from unprior._typing import Floats, Indices

#: Samples scored in each class (all if it has fewer), even if fewer rows are scored overall.
PER_CLASS = 100

#: Fewest scored samples of a worst class: the purity of smaller classes is too noisy.
MIN_SCORED = 10


@dataclass(frozen=True, eq=False)
class ClassPurities:
    """The purity of each class with two samples or more.

    Attributes
    ----------
    codes : ndarray of shape (n_classes,)
        The classes, as in the labels' ``codes``.
    purity, standard_error : ndarray of shape (n_classes,)
        Their purity, and its standard error, which is 0 if the whole class was scored.
    n_scored : ndarray of shape (n_classes,)
        Number of samples scored in each class.
    """

    codes: Indices
    purity: Floats
    standard_error: Floats
    n_scored: Indices

    def worst(self, *, lowest: bool) -> tuple[int, Estimate] | None:
        """Return the code and purity of the worst class; None if all classes are too small.

        The worst class has the lowest purity, or else the purity farthest from chance.
        """
        (large,) = np.nonzero(self.n_scored >= MIN_SCORED)
        if not len(large):
            return None
        badness = -self.purity if lowest else np.abs(self.purity)
        at = large[np.argmax(badness[large])]
        return int(self.codes[at]), Estimate(float(self.purity[at]), float(self.standard_error[at]))


def class_purity(
    Y: Any, labels: Any, k: int = 15, *, n_rows: int | None = None, random_state: Any = None
) -> dict[Any, float]:
    r"""Purity of each class: 0 by chance, 1 if neighbours are of the same class wherever possible.

    `neighbor_purity` is a mean over samples, in which a large class of negative purity can cancel a
    small class of high purity. For a class of :math:`n_l` samples, with p the mean fraction of a
    sample's k nearest others that are of its class, the purity is
    :math:`(p - c_l) / (m_l - c_l)`: :math:`c_l = (n_l - 1) / (n - 1)` is that fraction by chance
    and :math:`m_l = \min(k, n_l - 1) / k` its maximum.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        Coordinates of the map.
    labels : array-like of shape (n_samples,), or Labels
        Class of each sample.
    k : int, default=15
        Number of neighbours, less than the number of samples.
    n_rows : int, optional
        Score this many samples, drawn at random, and further ones until every class has 100, or
        all its samples, among them; by default every sample.
    random_state : int or RandomState, optional
        Seed of the draw.

    Returns
    -------
    purity : dict
        Purity of each class, in the order of the classes, without classes of one sample.

    See Also
    --------
    neighbor_purity : One number for all classes.
    report : Names the worst class, among those with ten samples or more.

    Notes
    -----
    The purity of a small class is noisy: in a class of two it is 1 if both are neighbours by
    chance. So the worst class of a report is one with at least ten scored samples, and up to 100
    samples of every class are scored.

    Examples
    --------
    Two days are well mixed. The third, with 20 of 400 samples, is separate but hardly changes the
    mean:

    >>> import numpy as np
    >>> from unprior import scores
    >>> rng = np.random.RandomState(0)
    >>> Y, day = rng.normal(size=(400, 2)), np.repeat(["Mon", "Tue", "Wed"], [190, 190, 20])
    >>> Y[380:] += 9
    >>> round(scores.neighbor_purity(Y, day), 2)
    0.13
    >>> {name: round(purity, 2) for name, purity in scores.class_purity(Y, day).items()}
    {'Mon': 0.04, 'Tue': 0.04, 'Wed': 1.0}
    """
    who = "class_purity"
    Y, prior = read_purity(who, Y, labels, k)
    seed = draw_seed(random_state)
    classes = estimate_classes(Y, search_map(who, Y, k, n_rows, seed), prior, k, seed)
    names = prior.classes[classes.codes].tolist()
    return dict(zip(names, classes.purity.tolist(), strict=True))


def estimate_classes(
    Y: SampleDistances, map_neighbors: MapNeighbors, labels: Labels, k: int, seed: int
) -> ClassPurities:
    """Estimate the purity of all classes from the given rows and further rows of small classes."""
    rows, shares = map_neighbors.rows, own_shares(map_neighbors, labels, k)
    more = _more_members(labels, rows, seed)
    if len(more):
        rows = np.concatenate((rows, more))
        shares = np.concatenate((shares, own_shares(search_rows(Y, more, k), labels, k)))
    chance, reachable = purity_bounds(labels, k)
    of_row, n_classes = labels.codes[rows], len(labels.classes)
    n_scored = np.bincount(of_row, minlength=n_classes)
    (codes,) = np.nonzero(labels.counts > 1)
    n_scored, class_sizes = n_scored[codes], labels.counts[codes]
    mean = np.bincount(of_row, shares, n_classes)[codes] / n_scored
    squares = np.bincount(of_row, shares**2, n_classes)[codes] / n_scored
    variance = np.maximum(squares - mean**2, 0) * n_scored / np.maximum(n_scored - 1, 1)
    error = np.sqrt(variance * (1 - n_scored / class_sizes) / n_scored)
    span = (reachable - chance)[codes]
    # At k = n - 1 every sample is a neighbour and the maximum equals chance.
    scale = np.divide(1.0, span, out=np.zeros(len(codes)), where=span > 0)
    return ClassPurities(codes, (mean - chance[codes]) * scale, error * scale, n_scored)


def _more_members(labels: Labels, rows: Indices, seed: int) -> Indices:
    """Draw further rows of the classes that have fewer than PER_CLASS among the given rows."""
    codes, n_classes = labels.codes, len(labels.classes)
    wanted = np.where(labels.counts > 1, np.minimum(labels.counts, PER_CLASS), 0)
    lacking = wanted - np.bincount(codes[rows], minlength=n_classes)
    candidates = np.setdiff1d(np.flatnonzero(lacking[codes] > 0), rows)
    shuffled = np.random.RandomState(seed).permutation(candidates)
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    sizes = np.bincount(codes[by_class], minlength=n_classes)
    rank = np.arange(len(by_class)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.sort(by_class[rank < lacking[codes[by_class]]])
