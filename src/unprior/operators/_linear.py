"""Distances of data and priors -> their difference, Algorithm 1 of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices
from unprior.neighbors._tiled import TileCandidates
from unprior.neighbors._tiles import EPS, BoundedTiles, Places, Single, Tiles, prior_tiles
from unprior.priors import Prior


@dataclass(frozen=True, eq=False)
class Linear:
    r"""The linear ⊖: :math:`D^X - \sum_k (\lambda_k / 2) D^{Z_k} + \sum_k \lambda_k`.

    Each matrix is divided by its scale first. What comes from prior k lies between
    :math:`\lambda_k / 2` and :math:`\lambda_k`: no two sides of a triangle are shorter than the
    third, so the result is a metric whenever D^X is one.

    Attributes
    ----------
    data_scale : float
    prior_scales, strengths : ndarray
        One number for each prior; strengths are the λ of the paper.
    """

    data_scale: float
    prior_scales: Floats
    strengths: Floats

    def __call__(self, data: Floats, known: Sequence[Floats]) -> Floats:
        """Factor prior distances out of data distances of the same pairs."""
        result = data / self.data_scale
        for distances, scale, strength in zip(
            known, self.prior_scales, self.strengths, strict=True
        ):
            result += strength - strength / 2 * scaled_prior(distances, scale)
        return result

    def finder(
        self, bounded: BoundedTiles, priors: Sequence[Prior], order: Indices
    ) -> LinearFinder:
        """Prepare the search for candidates in scaled data distances, for samples in an order."""
        tiles, errors = zip(*(prior_tiles(prior, order) for prior in priors), strict=True)
        slack = self.strengths / 2 @ (np.array(errors) / self.prior_scales)
        # Sums of a few numbers, none larger than this, round a few times.
        slack += 8 * (1 + len(tiles)) * EPS * (bounded.largest + self.strengths.sum())
        return LinearFinder(self, bounded, tiles, float(slack), order)


def scaled_prior(distances: Floats, scale: float) -> Floats:
    """Divide by a scale, and cut at 1: above, the result of ⊖ would be no metric."""
    return np.minimum(distances / scale, 1)


@dataclass(frozen=True, eq=False)
class LinearFinder:
    """Finds candidates under the linear ⊖, which shifts the data distance of every pair.

    Attributes
    ----------
    operator : Linear
    bounded : BoundedTiles
    priors : sequence of Tiles
    slack : float
        Bound on the error of shifted distances, in addition to the error of the data's.
    order : ndarray of shape (n_samples,)
    """

    operator: Linear
    bounded: BoundedTiles
    priors: Sequence[Tiles]
    slack: float
    order: Indices

    def scan(
        self,
        tile: Single,
        rows: Places,
        columns: slice,
        found: TileCandidates,
        mirrored: TileCandidates,
    ) -> None:
        """Add the candidates of a tile of data distances to what was found."""
        from unprior.kernels._nearest import scan_linear
        from unprior.kernels._tiles import add_shift

        shift = np.zeros_like(tile)
        for prior, scale, strength in zip(
            self.priors, self.operator.prior_scales, self.operator.strengths, strict=True
        ):
            add_shift(prior.tile(rows, columns), scale, strength, shift)
        errors, square = self.bounded.errors, self.bounded.square
        ends, pairs = (errors[rows], errors[columns]), (self.order[rows], self.order[columns])
        scan_linear(tile, ends, square, shift, self.slack, pairs, found, mirrored)
