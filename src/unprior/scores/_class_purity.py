"""A map and labels to the purity of each class, and the worst of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unprior.geometry import SampleDistances
from unprior.priors import Labels
from unprior.scores._coherence import own_shares, purity_bounds, read_purity
from unprior.scores._map_neighbors import MapNeighbors, search_map, search_rows
from unprior.scores._rows import Estimate, draw_seed

if TYPE_CHECKING:
    from unprior._typing import Floats, Indices

#: Members that are scored of each class, if it has as many, however few of all rows are scored.
MEMBERS = 100

#: Classes of fewer members are not called the worst: a pair that meets by luck is 1 already.
FEWEST = 10


@dataclass(frozen=True, eq=False)
class ClassPurities:
    """The purity of each class of two samples or more.

    Attributes
    ----------
    codes : ndarray of shape (n_classes,)
        The classes, as in the labels' ``codes``.
    purity, standard_error : ndarray of shape (n_classes,)
        Their purity, and its standard error if not all members were scored; else 0.
    n_scored : ndarray of shape (n_classes,)
        How many members were scored.
    """

    codes: Indices
    purity: Floats
    standard_error: Floats
    n_scored: Indices

    def worst(self, *, lowest: bool) -> tuple[int, Estimate] | None:
        """Return the code of the worst class, and its purity; None if all classes are too small.

        The worst is the class with the lowest purity, or the one farthest from chance, above or
        below.
        """
        (counted,) = np.nonzero(self.n_scored >= FEWEST)
        if not len(counted):
            return None
        badness = -self.purity if lowest else np.abs(self.purity)
        at = counted[np.argmax(badness[counted])]
        return int(self.codes[at]), Estimate(float(self.purity[at]), float(self.standard_error[at]))


def class_purity(
    Y: Any, labels: Any, k: int = 15, *, n_rows: int | None = None, random_state: Any = None
) -> dict[Any, float]:
    r"""Purity of each class by itself: 0 as by chance, 1 as many own neighbours as there are.

    `neighbor_purity` is a mean over samples, in which a large class that is avoided by its own can
    cancel a small one that keeps together. For a class of :math:`n_l` samples, with p the share of
    own members among the k nearest others of a member, averaged over members, the purity is
    :math:`(p - c_l) / (m_l - c_l)`: :math:`c_l = (n_l - 1) / (n - 1)` is that share by chance and
    :math:`m_l = \min(k, n_l - 1) / k` the most that it can be.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        Coordinates of the map.
    labels : array-like of shape (n_samples,), or Labels
        Class of each sample.
    k : int, default=15
        Number of neighbours, fewer than samples.
    n_rows : int, optional
        Score this many samples, drawn at random, and more of classes that have fewer than 100
        among them: 100 of each, or all members; by default every sample.
    random_state : int or RandomState, optional
        Seed of the draw.

    Returns
    -------
    purity : dict
        Purity of each class, in the order of the classes. Classes of one sample are left out.

    See Also
    --------
    neighbor_purity : One number for all classes.
    report : Tells the worst class, among those of ten members or more.

    Notes
    -----
    Few members make a noisy purity: in a class of two it is 1 if the two happen to meet. So the
    worst class of a report is sought among those with ten scored members or more. Of every class
    100 are scored, or all, so that a class is not the worst because few of it were drawn.

    Examples
    --------
    Two days are mixed well. The third, with 20 of 400 samples, is apart, and hardly counts in the
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
    found = estimate_classes(Y, search_map(who, Y, k, n_rows, seed), prior, k, seed)
    names = prior.classes[found.codes].tolist()
    return dict(zip(names, found.purity.tolist(), strict=True))


def estimate_classes(
    Y: SampleDistances, found: MapNeighbors, labels: Labels, k: int, seed: int
) -> ClassPurities:
    """Estimate the purity of all classes from some rows, with more rows of small classes."""
    rows, shares = found.rows, own_shares(found, labels, k)
    more = _more_members(labels, rows, seed)
    if len(more):
        rows = np.concatenate((rows, more))
        shares = np.concatenate((shares, own_shares(search_rows(Y, more, k), labels, k)))
    chance, reachable = purity_bounds(labels, k)
    of_row, n_classes = labels.codes[rows], len(labels.classes)
    n_scored = np.bincount(of_row, minlength=n_classes)
    (codes,) = np.nonzero(labels.counts > 1)
    n_scored, n_members = n_scored[codes], labels.counts[codes]
    mean = np.bincount(of_row, shares, n_classes)[codes] / n_scored
    squares = np.bincount(of_row, shares**2, n_classes)[codes] / n_scored
    variance = np.maximum(squares - mean**2, 0) * n_scored / np.maximum(n_scored - 1, 1)
    error = np.sqrt(variance * (1 - n_scored / n_members) / n_scored)
    span = (reachable - chance)[codes]
    # At k = n - 1 all are neighbours, and nothing above chance can be reached.
    scale = np.divide(1.0, span, out=np.zeros(len(codes)), where=span > 0)
    return ClassPurities(codes, (mean - chance[codes]) * scale, error * scale, n_scored)


def _more_members(labels: Labels, rows: Indices, seed: int) -> Indices:
    """Draw members of classes that have fewer than enough among some rows, as many as they lack."""
    codes, n_classes = labels.codes, len(labels.classes)
    wanted = np.where(labels.counts > 1, np.minimum(labels.counts, MEMBERS), 0)
    lacking = wanted - np.bincount(codes[rows], minlength=n_classes)
    open_rows = np.setdiff1d(np.flatnonzero(lacking[codes] > 0), rows)
    shuffled = np.random.RandomState(seed).permutation(open_rows)
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    sizes = np.bincount(codes[by_class], minlength=n_classes)
    place = np.arange(len(by_class)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.sort(by_class[place < lacking[codes[by_class]]])
