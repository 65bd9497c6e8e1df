"""Groups of different composition: batches whose shares of the hidden classes differ.

What sets such groups apart is in part the prior and in part what is to be seen, so *left* is
measured within the hidden classes. No source of a sealed case is used by an open one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from quality.case import Samples, principal, read_arrays, recipe_of, standardize
from unprior import priors

#: Samples of generated cases.
N = 900

#: Shares of hidden classes (columns) in each class of the prior (rows).
PURE_TWO = ((1, 0), (0, 1), (0.5, 0.5))
MILD = ((0.4, 0.3, 0.2, 0.1), (0.2, 0.3, 0.3, 0.2), (0.2, 0.2, 0.2, 0.4))
STRONG = ((0.7, 0.2, 0.05, 0.05), (0.05, 0.7, 0.2, 0.05), (0.05, 0.05, 0.2, 0.7))
MISSING = ((1, 1, 1, 1, 0, 0), (0, 0, 1, 1, 1, 1), (1, 1, 0, 0, 1, 1), (1, 0, 1, 0, 1, 0))
PURE_THREE = ((1, 0, 0), (0, 1, 0), (1, 1, 1))

Shares = Sequence[Sequence[float]]


def shifted(folder: Path | None, shares: Shares, seed: int) -> Samples:
    """Clusters in batches that differ by a shift, and in which clusters they have."""
    rng = np.random.default_rng(seed)
    batch, kind = _dealt(shares, rng)
    X = rng.normal(size=(N, 20)) + 1.2 * rng.normal(size=(len(shares[0]), 20))[kind]
    X += 0.8 * rng.normal(size=(len(shares), 20))[batch]
    return Samples(X, priors.labels(batch), kind)


def twisted(folder: Path | None, shares: Shares) -> Samples:
    """The same, each batch moving every cluster a little differently."""
    rng = np.random.default_rng(703)
    batch, kind = _dealt(shares, rng)
    n_batches, n_kinds = np.shape(shares)
    X = rng.normal(size=(N, 25)) + 1.3 * rng.normal(size=(n_kinds, 25))[kind]
    X += 0.6 * rng.normal(size=(n_batches, 25))[batch]
    X += 0.4 * rng.normal(size=(n_batches, n_kinds, 25))[batch, kind]
    return Samples(X, priors.labels(batch), kind)


def scanners(folder: Path | None) -> Samples:
    """Digits from two scanners: the second, which blurs, saw few of the low digits."""
    from scipy.ndimage import gaussian_filter
    from sklearn.datasets import load_digits

    digits = load_digits()
    rng = np.random.default_rng(704)
    second = rng.random(len(digits.target)) < np.where(digits.target < 5, 0.15, 0.85)
    blurred = np.array([gaussian_filter(image, 0.6) for image in digits.images])
    images = np.where(second[:, None, None], 2 + 0.8 * blurred, digits.images) / 16
    X = images.reshape(len(images), -1) + 0.02 * rng.normal(size=(len(images), 64))
    return Samples(principal(X, 40), priors.labels(second.astype(int)), digits.target)


def synovium(folder: Path | None, rarer: float) -> Samples:
    """Cells of 24 batches in three plates; the first two lack much of two cell types each."""
    file = read_arrays(folder, "sc_ra_synovium.npz")
    types, batches = file["meta_celltype"], file["meta_batch"]
    plate = np.unique(batches, return_inverse=True)[1] % 3
    names = np.unique(types)
    lacking = np.isin(types, names[:2]) & (plate == 0) | np.isin(types, names[2:]) & (plate == 1)
    rng = np.random.default_rng(705)
    there = np.flatnonzero(rng.random(len(types)) < np.where(lacking, rarer, 1.0))
    rows = np.sort(rng.permutation(there)[:1200])
    # The batches are what was done to the cells; those of a plate differ as much as any others.
    return Samples(file["pcs"][rows].astype(float), priors.labels(batches[rows]), types[rows])


def cytometry(folder: Path | None) -> Samples:
    """Blood cells of two treatments with unlike shares of the populations."""
    file = read_arrays(folder, "cytof_bcrxl.npz")
    rng = np.random.default_rng(706)
    some = rng.permutation(len(file["stim"]))[:20_000]
    stim = file["stim"][some]
    kind = np.unique(file["population_derived"][some], return_inverse=True)[1]
    chance = np.where((kind % 2 == 0) == (stim == 0), 1.0, 0.15)
    rows = some[rng.random(len(some)) < chance][:1200]
    X = np.hstack([standardize(file[key][rows]) for key in ("lineage", "signalling")])
    return Samples(X, priors.labels(file["stim"][rows]), file["population_derived"][rows])


def interferon(folder: Path | None, rarer: float) -> Samples:
    """Blood cells of which some met interferon; every second type is rarer among these."""
    file = read_arrays(folder, "sc_kang_pbmc.npz")
    stim, types = file["stim"], file["cell_type_derived"]
    kind = np.unique(types, return_inverse=True)[1]
    rng = np.random.default_rng(707)
    chance = np.where((kind % 2 == 0) == (stim == 0), 1.0, rarer)
    rows = np.flatnonzero(rng.random(len(stim)) < chance)
    return Samples(file["pca50"][rows].astype(float), priors.labels(stim[rows]), types[rows])


def counted(folder: Path | None, shares: Shares) -> Samples:
    """Counts of genes: batches have gains of their own, depth, and other shares of the types."""
    rng = np.random.default_rng(708)
    batch, kind = _dealt(shares, rng)
    n_batches, n_kinds = np.shape(shares)
    n_genes = 200
    level = rng.gamma(0.6, 2.0, n_genes) + 0.1
    marker = np.exp(1.2 * rng.normal(size=(n_kinds, n_genes)) * (rng.random(n_genes) < 0.3))
    gain = np.exp(0.4 * rng.normal(size=(n_batches, n_genes)))
    mean = level * marker[kind] * gain[batch] * rng.lognormal(0, 0.3, (N, 1))
    counts = rng.poisson(mean * rng.gamma(4, 0.25, mean.shape))
    depth = counts.sum(axis=1, keepdims=True)
    return Samples(
        principal(np.log1p(counts * np.median(depth) / depth), 30), priors.labels(batch), kind
    )


def _dealt(shares: Shares, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Deal out batches of one size, and classes by the shares that each batch has of them."""
    batch = rng.permutation(np.arange(N) % len(shares))
    table = np.array(shares, dtype=float)
    ends = np.cumsum(table / table.sum(axis=1, keepdims=True), axis=1)
    kind = (rng.random(N)[:, None] > ends[batch]).sum(axis=1)
    return batch, kind


_recipe = partial(recipe_of, "composition")

RECIPES = (
    _recipe(
        "pure-two",
        "open",
        "two of three batches pure → cluster",
        shifted,
        shares=PURE_TWO,
        seed=701,
    ),
    _recipe("shares-mild", "open", "batches, mild → cluster", shifted, shares=MILD, seed=702),
    _recipe("shares-strong", "open", "batches, strong → cluster", shifted, shares=STRONG, seed=702),
    _recipe("shares-missing", "open", "batches lacking two of six", twisted, shares=MISSING),
    _recipe(
        "pure-three", "open", "two of three batches pure, of three", twisted, shares=PURE_THREE
    ),
    _recipe("scanner-shares", "open", "scanners of other digits → digit", scanners),
    _recipe(
        "synovium-shares", "open", "24 batches, types rare in some → type", synovium, rarer=0.3
    ),
    _recipe("synovium-missing", "open", "24 batches, types missing in some", synovium, rarer=0.02),
    _recipe("cytof-shares", "open", "stimulation, other shares → population", cytometry),
    _recipe("kang-mild", "sealed", "interferon, shares 1 : .5 → type", interferon, rarer=0.5),
    _recipe("kang-strong", "sealed", "interferon, shares 1 : .1 → type", interferon, rarer=0.1),
    _recipe("counts-mild", "sealed", "batches, mild → type of cell", counted, shares=MILD),
    _recipe("counts-missing", "sealed", "batches lacking types → type", counted, shares=MISSING),
    _recipe(
        "counts-pure", "sealed", "two of three batches pure → type", counted, shares=PURE_THREE
    ),
)
