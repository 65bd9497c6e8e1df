"""A map and a case → what is left of the prior and kept of the hidden labels, and how even it is.

Written with SciPy alone, so that the library under test does not score itself. Scores use the
nearest other samples on the map. For labels, a class's purity p is rescaled by what chance and a
perfect map would give: (p − chance) / (reachable − chance), with chance = (size − 1) / (n − 1) and
reachable = min(k, size − 1) / k.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from quality.case import Case
from unprior.priors import Labels, Prior

NEIGHBORS = 15
#: The neighbour whose distance says how densely a map is drawn around a sample.
FIFTH = 5
#: Classes of fewer samples are too small to be measured one by one, and are measured together.
MEASURABLE = 30
#: Rows at which a prior without classes is compared with all samples.
N_ROWS = 3000
#: Distances below this share of the median one are all the same to a reader of the map.
LEAST = 1e-3


@dataclass(frozen=True)
class Scores:
    """Scores of one map; ``left``, ``kept`` and ``worst`` are 0 by chance and at most 1.

    Where groups differ in composition, ``left`` is within hidden classes and ``worst`` is NaN.
    ``worst`` is the largest |left| of a class, NaN for priors without classes. ``unevenness`` is
    the standard deviation of the log distance to the fifth neighbour: clumps raise it.
    """

    left: float
    kept: float
    worst: float
    unevenness: float
    score: float


def score_map(Y: np.ndarray, case: Case) -> Scores:
    """Score a map; ``score`` is what is kept less what is left."""
    Y = np.asarray(Y, dtype=np.float64)
    worst = float("nan")
    if Y.ndim != 2 or len(Y) != len(case.X) or not np.isfinite(Y).all():
        raise ValueError(f"score_map: takes a finite row for each sample; got shape {Y.shape}")
    distances, neighbors = nearest(Y, NEIGHBORS)
    if case.differs_in_composition and case.class_prior is not None:
        left = purity_within(case.class_prior.codes, case.hidden, neighbors)
    elif isinstance(case.prior, Labels):
        left = purity(case.prior.codes, neighbors)
        worst = worst_class(case.prior.codes, neighbors)
    else:
        left = coherence(case.prior, neighbors)
    kept = purity(case.hidden, neighbors)
    return Scores(left, kept, worst, unevenness(distances), kept - abs(left))


def nearest(Y: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return distances to, and indices of, the k nearest others of every sample."""
    distances, found = cKDTree(Y).query(Y, k + 1)
    # Where several samples lie on one spot, the sample itself need not come first.
    own = found == np.arange(len(Y))[:, None]
    own[~own.any(axis=1), -1] = True
    shape = (len(Y), k)
    return distances[~own].reshape(shape), found[~own].reshape(shape)


def purity(labels: np.ndarray, neighbors: np.ndarray) -> float:
    """Share of neighbours with a sample's own label, rescaled: 0 by chance, 1 at most."""
    return _rescaled(*_shares(labels, neighbors))


def purity_within(labels: np.ndarray, groups: np.ndarray, neighbors: np.ndarray) -> float:
    """Share of neighbours with a sample's own label, against chance in the neighbour's group.

    Of the neighbours from one group, as many can be alike as the group has others of the label.
    """
    own, group = (np.unique(each, return_inverse=True)[1] for each in (labels, groups))
    counts = np.zeros((own.max() + 1, group.max() + 1))
    np.add.at(counts, (own, group), 1)
    sizes = counts.sum(axis=0)
    above = room = 0.0
    for i, near in enumerate(neighbors):
        for g in np.unique(group[near]):
            here = near[group[near] == g]
            itself = int(group[i] == g)
            others = counts[own[i], g] - itself
            chance = others / max(sizes[g] - itself, 1)
            above += (own[here] == own[i]).sum() - chance * len(here)
            room += min(len(here), others) - chance * len(here)
    return above / room if room > 0 else 0.0


def worst_class(labels: np.ndarray, neighbors: np.ndarray) -> float:
    """Largest |rescaled purity| of a class; small classes count together, as if they were one."""
    _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    shares = _shares(labels, neighbors)
    groups = np.where(counts[codes] < MEASURABLE, -1, codes)
    return max(abs(_rescaled(*shares[:, groups == group])) for group in np.unique(groups))


def coherence(prior: Prior, neighbors: np.ndarray) -> float:
    """How much nearer than random samples neighbours are in the prior: 0 by chance, 1 at most."""
    n, k = neighbors.shape
    rows = np.sort(np.random.default_rng(0).permutation(n)[:N_ROWS])
    near = prior.pairs(np.repeat(rows, k), neighbors[rows].ravel()).mean()
    everyone = np.arange(n)
    far = np.mean([prior.block(part, everyone).sum() / len(part) for part in _parts(rows)])
    return float(1 - near / (far / (n - 1)))


def unevenness(distances: np.ndarray) -> float:
    """Spread of the log distance to the fifth neighbour."""
    fifth = distances[:, FIFTH - 1]
    return float(np.log(np.maximum(fifth, LEAST * np.median(fifth) or 1.0)).std())


def _shares(labels: np.ndarray, neighbors: np.ndarray) -> np.ndarray:
    """Of each sample: the share of neighbours with its label, by chance, and at most."""
    _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    n, k = neighbors.shape
    others = counts[codes] - 1
    alike = (codes[neighbors] == codes[:, None]).mean(axis=1)
    return np.array([alike, others / (n - 1), np.minimum(k, others) / k])


def _rescaled(alike: np.ndarray, chance: np.ndarray, reachable: np.ndarray) -> float:
    span = float((reachable - chance).sum())
    # Samples that are each a class of their own can show nothing.
    return float((alike - chance).sum()) / span if span > 0 else 0.0


def _parts(rows: np.ndarray) -> list[np.ndarray]:
    return np.array_split(rows, max(1, len(rows) // 100))
