"""Several priors -> a random subset of the samples in which each prior still differs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from unprior._typing import Indices
from unprior.priors._base import Prior

#: Samples that are added where a draw has missed all that differ in a prior.
RARE = 15

#: Classmates that count for each sample, and the share of them that a draw should keep.
MATES, ENOUGH = 15, 0.5


def draw_part(priors: Iterable[Prior], n_samples: int, size: int, seed: int) -> Indices:
    """Draw some samples at random, in order; all of them if there are no more.

    A draw may miss a rare class; some of its samples then replace others. With many small classes
    it would have single samples of each; then whole classes are drawn, up to a neighbourhood each.

    Examples
    --------
    >>> from unprior.priors import labels
    >>> rare = labels(["a"] * 99 + ["b"])
    >>> rows = draw_part([rare], 100, 10, seed=0)
    >>> len(rows), 99 in rows
    (10, True)
    """
    if size >= n_samples:
        return np.arange(n_samples)
    rng = np.random.RandomState(seed)
    rows: Indices = rng.choice(n_samples, size, replace=False)
    known = [*priors]
    for prior in known:
        codes = prior.class_codes
        if codes is not None and _mates(codes[rows]) < ENOUGH * _mates(codes):
            rows = _draw_classes(codes, size, rng)
    for prior in 2 * known:  # what is added for one prior may take the place of what another needs
        if prior[np.sort(rows)].is_constant():
            away = np.flatnonzero(prior.block(rows[:1], np.arange(n_samples))[0] > 0)
            added = rng.permutation(np.setdiff1d(away, rows))[: min(RARE, size // 2)]
            rows = np.concatenate((added, rows[: size - len(added)]))
    return np.sort(rows)


def _mates(codes: Indices) -> float:
    """Mean number of classmates of a sample, at most a neighbourhood."""
    sizes = np.unique(codes, return_counts=True)[1]
    return float(sizes @ np.minimum(sizes - 1, MATES) / len(codes))


def _draw_classes(codes: Indices, size: int, rng: np.random.RandomState) -> Indices:
    """Draw classes, up to a neighbourhood of each; classes of one sample come last."""
    turn = rng.permutation(len(codes))
    turn = turn[np.argsort(codes[turn], kind="stable")]  # class after class, each in random order
    sizes = np.bincount(codes)
    place = np.arange(len(codes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    of_class = rng.permutation(len(sizes))[codes[turn]]
    order = np.lexsort((place, of_class, sizes[codes[turn]] == 1, place > MATES))
    return turn[order[:size]]
