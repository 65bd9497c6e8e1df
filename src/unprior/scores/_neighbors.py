"""Distances to the k nearest others of each row, and how surely each belongs to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unprior.scores._distances import distances_to_all

if TYPE_CHECKING:
    from unprior._typing import Floats, Indices
    from unprior.priors import Prior


@dataclass(frozen=True)
class Neighbors:
    """Pairs of a row and a neighbour; the weights of a row's neighbours sum to k.

    Neighbours tied for the last places share them: each counts by its chance of getting one.
    """

    row: Indices
    column: Indices
    weight: Floats

    def sum(self, values: Floats, n_rows: int) -> Floats:
        """Weighted sum over each row's neighbours of one value for each pair."""
        total = np.bincount(self.row, weights=self.weight * values, minlength=n_rows)
        return np.asarray(total, dtype=np.float64)


def nearest(prior: Prior, rows: Indices, k: int) -> Neighbors:
    """Find the k nearest others of some samples, by their place in ``rows``."""
    distances = distances_to_all(prior, rows)
    # The sample itself, at -infinity, takes place 0.
    reach = np.partition(distances, k, axis=1)[:, k, None]
    inside, at_edge = distances < reach, distances == reach
    n_inside = np.count_nonzero(inside, axis=1) - 1
    share = (k - n_inside) / np.count_nonzero(at_edge, axis=1)
    inside[np.arange(len(rows)), rows] = False
    row, column = np.nonzero(inside | at_edge)
    return Neighbors(row, column, np.where(inside[row, column], 1.0, share[row]))
