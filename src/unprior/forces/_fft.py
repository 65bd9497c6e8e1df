r"""Repulsion interpolated on a grid, by fast Fourier transforms.

The force on a sample is half the slope of a potential,

.. math:: \sum_j w_{ij}^2 (y_i - y_j) = -\tfrac12 \nabla_i \sum_j w_{ij},

so one convolution of the samples with w gives both the force and Z. The samples are put on the grid
as cubic B-splines, and the potential is read from it by the same splines, as in smooth particle
mesh Ewald sums: it is smooth, and its slope is exactly that of what is read as its value.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import fft

from unprior._typing import Floats
from unprior.forces._exact import Field, easy_field

#: Fewest spacings along the longer side of a map, so that maps which have not spread yet are exact.
LEAST = 50

#: Most nodes of the grid; wide maps get a wider spacing, by this factor until they fit.
MOST_NODES, WIDER = 4_000_000, 1.25

#: Nodes beyond the outermost samples that splines reach, and those beyond twice the grid, where
#: the periodic kernel has a kink that splines feel for some nodes around.
REACH, KINK = 4, 16


def fft_field(Y: Floats, *, spacing: float = 0.4) -> Field:
    """Sum the repulsion in one or two dimensions: O(n) time, plus the grid.

    Parameters
    ----------
    Y : ndarray of shape (n_samples, 3)
        A map, its unused columns zero.
    spacing : float, default=0.4
        Distance between the nodes of the grid, in the map's own unit; a smaller one is more
        precise. The grid has no more than four million nodes, so wide maps get wider spacings.

    Returns
    -------
    field : Field
        As many threads compute it as numba's loops use; its bits do not depend on them.

    Examples
    --------
    >>> import numpy as np
    >>> Y = np.zeros((3, 3))
    >>> Y[:, 0] = [0.0, 1.0, -1.0]
    >>> round(fft_field(Y).normalizer, 3)
    2.4
    """
    from unprior.kernels._splines import read, spread

    if Y[:, 2].any():
        message = "fft_field: takes a map in one or two dimensions; got three."
        raise ValueError(message)
    if (easy := easy_field(Y)) is not None:
        return easy
    Y = np.asarray(Y, dtype=np.float64)
    low = np.array([Y[:, 0].min(), Y[:, 1].min()])
    extent = np.array([Y[:, 0].max(), Y[:, 1].max()]) - low
    spacing = min(spacing, float(extent.max()) / LEAST)
    while np.prod(extent / spacing + REACH) > MOST_NODES:
        spacing *= WIDER
    grid = np.zeros((extent / spacing).astype(np.int64) + REACH)
    spread(Y, low, spacing, grid)
    potential, slope = np.split(read(Y, low, spacing, _convolve(grid, spacing)), [1], axis=1)
    force = np.zeros((len(Y), 3))
    np.multiply(slope, -0.5, out=force[:, :2])
    return Field(force, float(potential.sum()) - len(Y))


def _convolve(grid: Floats, spacing: float) -> Floats:
    """Return the sum of w over all that is on a grid, at every node."""
    import numba

    shape = tuple(fft.next_fast_len(2 * size + KINK, real=True) for size in grid.shape)
    # Every line is transformed by one thread, so their number does not matter.
    threads = {"workers": numba.get_num_threads(), "overwrite_x": True}
    waves = fft.fft(fft.rfft(grid, shape[1], axis=1, **threads), shape[0], axis=0, **threads)
    waves *= _kernel_waves(shape, spacing)
    waves = fft.ifft(waves, axis=0, **threads)[: len(grid)]
    return fft.irfft(waves, shape[1], axis=1, **threads)[:, : grid.shape[1]]


@lru_cache(maxsize=2)  # maps grow slowly, so most steps have the grid of the one before
def _kernel_waves(shape: tuple[int, int], spacing: float) -> Floats:
    """Return the transform of w on a periodic grid, for samples that are there as splines.

    Splines blur what is on a grid, twice: when it is put there and when it is read.
    """
    across, along = (spacing * np.minimum(np.arange(m), m - np.arange(m)) for m in shape)
    waves = fft.rfft2(1 / (1 + np.square(across)[:, None] + np.square(along))).real
    blurs = ((2 + np.cos(2 * np.pi * np.arange(m) / m)) / 3 for m in shape)
    first, last = (np.square(blur) for blur in blurs)
    result: Floats = waves / (first[:, None] * last[: waves.shape[1]])
    return result
