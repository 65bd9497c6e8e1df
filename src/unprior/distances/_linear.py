"""Distances of data and priors -> their difference, Algorithm 1 of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats


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


def scaled_prior(distances: Floats, scale: float) -> Floats:
    """Divide by a scale, and cut at 1: above, the result of ⊖ would be no metric."""
    return np.minimum(distances / scale, 1)
