"""Distances to fitted samples -> whether a new sample is far from all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats
from unprior.geometry import SampleDistances, draw_landmarks
from unprior.operators._squares import kth_distances

#: The neighbour whose distance counts, fitted samples that tell what is usual, and the share of
#: them that is not far.
RANK, ASKED, SHARE = 15, 500, 0.99


@dataclass(frozen=True)
class Usual:
    """How far fitted samples are from their neighbours.

    Attributes
    ----------
    reach : float
        99 % of fitted samples are nearer to their ``rank``-th neighbour.
    rank : int
    """

    reach: float
    rank: int

    def is_far(self, lines: Floats) -> NDArray[np.bool_]:
        """Tell which new samples are farther from their neighbours than fitted ones are."""
        from unprior.kernels._to_fitted import nearest_rows

        _, lengths = nearest_rows(lines, self.rank)
        return np.asarray(lengths[:, -1] > self.reach)


def keep_usual(data: SampleDistances) -> Usual:
    """Measure how far some fitted samples are from their neighbours."""
    rank = min(RANK, data.n_samples - 1)
    lengths = kth_distances(data, draw_landmarks(data.n_samples, ASKED), rank)
    return Usual(float(np.quantile(lengths, SHARE)), rank)
