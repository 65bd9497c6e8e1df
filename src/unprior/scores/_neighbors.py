"""Distances to the k nearest others of each row, and how surely each belongs to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unprior.geometry import SampleDistances
from unprior.scores._distances import distances_to_all

if TYPE_CHECKING:
    from unprior._typing import Floats, Indices


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


def nearest(prior: SampleDistances, rows: Indices, k: int) -> Neighbors:
    """Find the k nearest others of some samples, by their place in ``rows``."""
    return share_places(distances_to_all(prior, rows), k)


def share_places(distances: Floats, k: int) -> Neighbors:
    """Find the k nearest in each row of distances; the sample's own, -infinity, is none of them."""
    # The sample itself takes place 0.
    reach = np.partition(distances, k, axis=1)[:, k, None]
    inside = (distances < reach) & (distances > -np.inf)
    at_edge = distances == reach
    share = (k - np.count_nonzero(inside, axis=1)) / np.count_nonzero(at_edge, axis=1)
    row, column = np.nonzero(inside | at_edge)
    return Neighbors(row, column, np.where(inside[row, column], 1.0, share[row]))
