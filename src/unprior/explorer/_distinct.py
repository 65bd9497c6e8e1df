"""Rank columns by how much a selection differs from all other samples.

Columns of groups are compared by the group most over-represented in the selection (hypergeometric
test, Bonferroni over groups), columns of numbers by ranks (Mann-Whitney). Effects lie between -1
and 1: the correlation of being selected with being in that group, or the rank-biserial correlation.
The p-values are corrected for the number of columns (Benjamini and Hochberg).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.sparse import issparse

from unprior._typing import Floats, Indices
from unprior.explorer._columns import Column
from unprior.explorer._data import ExplorerData

#: Maximum number of values to rank, over all columns; above it, a random subset is compared.
MOST_VALUES = 50_000_000

#: Number of columns ranked at a time, and of lines in the answer.
BLOCK, MOST_LINES = 256, 40

NOTE = (
    "Effects lie between -1 and 1. p is corrected for the number of columns, but not for your "
    "having chosen the selection by eye: columns that shaped the map differ in any group it shows."
)


@dataclass(frozen=True)
class Difference:
    """One column in the selection compared with all other samples."""

    column: str
    words: str
    effect: float
    p: float


def distinguish(data: ExplorerData, rows: Indices) -> tuple[list[Difference], int]:
    """Return the columns sorted by effect, and the number of samples compared."""
    chosen = np.zeros(data.n_samples, dtype=bool)
    chosen[rows] = True
    if not 0 < len(rows) < data.n_samples:
        message = "Select some samples, but not all: the selection is compared with the others."
        raise ValueError(message)
    found = [_compare(column, chosen) for column in data.columns.values()]
    compared = data.n_samples
    if data.feature_names:
        some = _sample(chosen, len(data.feature_names))
        compared = len(some)
        found += _compare_features(data, chosen, some)
    differences = [difference for difference in found if difference is not None]
    if differences:
        corrected = stats.false_discovery_control([d.p for d in differences])
        differences = [
            Difference(d.column, d.words, d.effect, float(p))
            for d, p in zip(differences, corrected, strict=True)
        ]
    return sorted(differences, key=lambda d: (-abs(d.effect), d.column)), compared


def rank_effects(
    values: Floats, chosen: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the rank-biserial correlation and p-value of every column of finite numbers."""
    n, n_in = len(values), int(chosen.sum())
    n_out = n - n_in
    ranks = stats.rankdata(values, axis=0)
    u = ranks[chosen].sum(axis=0) - n_in * (n_in + 1) / 2
    # With ties, the variance is computed from the ranks themselves.
    variance = n_in * n_out / (n * (n - 1)) * ((ranks - (n + 1) / 2) ** 2).sum(axis=0)
    apart = np.abs(u - n_in * n_out / 2)
    z = np.divide(apart, np.sqrt(variance), out=np.zeros_like(apart), where=variance > 0)
    return 2 * u / (n_in * n_out) - 1, 2 * stats.norm.sf(z)


def _compare(column: Column, chosen: NDArray[np.bool_]) -> Difference | None:
    if column.kind == "text":
        return None
    there = ~column.missing
    if not (there & chosen).any() or not (there & ~chosen).any():
        return None
    values, picked = column.values[there], chosen[there]
    if column.kind == "groups":
        return _compare_groups(column, values, picked)
    effect, p = rank_effects(values[:, None], picked)
    return Difference(column.name, _middles(column, values, picked), float(effect[0]), float(p[0]))


def _compare_groups(column: Column, codes: Any, chosen: NDArray[np.bool_]) -> Difference:
    n, n_in = len(codes), int(chosen.sum())
    sizes = np.bincount(codes, minlength=len(column.categories))
    inside = np.bincount(codes[chosen], minlength=len(column.categories))
    shares, others = inside / n_in, (sizes - inside) / (n - n_in)
    best = int(np.argmax(shares - others))
    a, size = int(inside[best]), int(sizes[best])
    p = min(1.0, len(column.categories) * float(stats.hypergeom.sf(a - 1, n, size, n_in)))
    spread = float(size) * (n - size) * n_in * (n - n_in)
    effect = (a * n - size * n_in) / np.sqrt(spread) if spread else 0.0
    words = f"{shares[best]:.0%} {column.categories[best]} ({others[best]:.0%})"
    return Difference(column.name, words, float(effect), p)


def _compare_features(
    data: ExplorerData, chosen: NDArray[np.bool_], some: Indices
) -> list[Difference]:
    table, picked, found = data.table[some], chosen[some], []
    names = data.feature_names
    for start in range(0, len(names), BLOCK):
        block = table[:, start : start + BLOCK]
        values = np.asarray(block.todense() if issparse(block) else block, dtype=np.float64)
        is_finite = np.isfinite(values).all(axis=0)
        effects, p = rank_effects(np.where(is_finite, values, 0.0), picked)
        middles = [np.median(values[group], axis=0) for group in (picked, ~picked)]
        for place in np.flatnonzero(is_finite):
            name = names[start + place]
            if name in data.columns:
                continue
            words = f"{middles[0][place]:.4g} ({middles[1][place]:.4g})"
            found.append(Difference(name, words, float(effects[place]), float(p[place])))
    return found


def _middles(column: Column, values: Floats, chosen: NDArray[np.bool_]) -> str:
    inner, outer = (float(np.median(values[group])) for group in (chosen, ~chosen))
    if column.kind == "dates":
        days = [np.datetime64(round(middle), "D") for middle in (inner, outer)]
        return f"{days[0]} ({days[1]})"
    return f"{inner:.4g} ({outer:.4g})"


def _sample(chosen: NDArray[np.bool_], n_columns: int) -> Indices:
    """Return a random subset that can be ranked in seconds, selected and others in proportion."""
    n = len(chosen)
    most = max(1000, MOST_VALUES // n_columns)
    if n <= most:
        return np.arange(n)
    rng = np.random.default_rng(0)
    parts = []
    for group in (np.flatnonzero(chosen), np.flatnonzero(~chosen)):
        size = min(len(group), max(most * len(group) // n, min(len(group), 100)))
        parts.append(rng.choice(group, size, replace=False))
    return np.sort(np.concatenate(parts))
