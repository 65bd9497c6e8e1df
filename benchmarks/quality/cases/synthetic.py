"""Made data whose answer is known: the paper's recipes, and four that are hard in other ways."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from quality.case import SIZE, Recipe, Samples, read_arrays
from unprior import datasets, priors


def two_factor_features(folder: Path | None) -> Samples:
    """The paper's data and prior."""
    return _by_features(datasets.make_two_factor(SIZE, random_state=101))


def two_factor_labels(folder: Path | None) -> Samples:
    """Another draw, of which only the classes are known."""
    return _by_labels(datasets.make_two_factor(SIZE, random_state=102))


def tuning_features(folder: Path | None) -> Samples:
    """The data on which the paper chose its options."""
    return _by_features(datasets.make_tuning(SIZE, random_state=103))


def tuning_labels(folder: Path | None) -> Samples:
    """Another draw, of which only the classes are known."""
    return _by_labels(datasets.make_tuning(SIZE, random_state=104))


def interaction(folder: Path | None) -> Samples:
    """Five batches, each of which moves each hidden group in a direction of its own."""
    rng = np.random.default_rng(105)
    batch, group = rng.integers(5, size=SIZE), rng.choice(6, size=SIZE, p=_shares(6))
    X = rng.normal(size=(SIZE, 20))
    X += 2.0 * rng.normal(size=(6, 20))[group] + 2.0 * rng.normal(size=(5, 20))[batch]
    X += 1.0 * rng.normal(size=(5, 6, 20))[batch, group]
    return Samples(X, priors.labels(batch), group)


def swiss_roll(folder: Path | None) -> Samples:
    """A rolled-up sheet: the way along the roll is known, stripes across it are hidden."""
    from sklearn.datasets import make_swiss_roll

    rng = np.random.default_rng(106)
    X, along = make_swiss_roll(SIZE, noise=0.2, random_state=106)
    stripe = rng.integers(4, size=SIZE)
    X[:, 1] = 7 * stripe + rng.uniform(0, 4, SIZE)
    return Samples(X, priors.features(along), stripe)


def confounded(folder: Path | None) -> Samples:
    """Known and hidden groups that mostly go together: three in four follow the known group."""
    rng = np.random.default_rng(107)
    known = rng.integers(4, size=SIZE)
    hidden = np.where(rng.random(SIZE) < 0.75, known, rng.integers(4, size=SIZE))
    X = rng.normal(size=(SIZE, 16))
    X[:, :8] += 3 * rng.normal(size=(4, 8))[known]
    X[:, 8:] += 2 * rng.normal(size=(4, 8))[hidden]
    return Samples(X, priors.labels(known), hidden)


def ring(folder: Path | None) -> Samples:
    """Hidden groups whose measurements all swing with a known hour, each column at its own time."""
    rng = np.random.default_rng(108)
    hour, group = rng.uniform(0, 24, SIZE), rng.integers(5, size=SIZE)
    peaks, rounds = rng.uniform(0, 24, 15), rng.choice([1, 1, 2], 15)
    swing = np.exp(np.cos(2 * np.pi * rounds * (hour[:, None] - peaks) / 24))
    X = 2.5 * swing + 1.2 * rng.normal(size=(5, 15))[group] + 0.5 * rng.normal(size=(SIZE, 15))
    return Samples(X, priors.cyclic(hour, 24), group)


def ctsne_synthetic(folder: Path | None) -> Samples:
    """The synthetic cells of the papers on ct-SNE."""
    file = read_arrays(folder, "ctsne_synthetic.npz")
    return Samples(file["X"].astype(float), priors.labels(file["batch"]), file["celltype"])


def _by_features(data: datasets.TwoFactorData) -> Samples:
    known = priors.features(data.known_features)
    return Samples(data.X, known, data.hidden, labels=priors.labels(data.known))


def _by_labels(data: datasets.TwoFactorData) -> Samples:
    return Samples(data.X, priors.labels(data.known), data.hidden)


def _shares(n_groups: int) -> np.ndarray:
    """Some groups large, some small."""
    sizes = np.arange(1, n_groups + 1)
    return sizes / sizes.sum()


RECIPES = (
    Recipe("two-factor-features", "open", "4 known × 4 hidden clusters", two_factor_features),
    Recipe("two-factor-labels", "open", "the same recipe, known by label", two_factor_labels),
    Recipe("tuning-features", "closed", "4 known × 2 weak hidden clusters", tuning_features),
    Recipe("tuning-labels", "closed", "the same recipe, known by label", tuning_labels),
    Recipe("interaction", "open", "batches that move each group differently", interaction),
    Recipe("swiss-roll", "open", "stripes on a roll, place along it known", swiss_roll),
    Recipe("confounded", "closed", "hidden groups that mostly follow the known", confounded),
    Recipe("ring", "closed", "groups under a daily rhythm, hour known", ring),
    Recipe("ctsne-synthetic", "closed", "ct-SNE's cells in two batches", ctsne_synthetic),
)
