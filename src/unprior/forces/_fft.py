r"""Repulsion interpolated on a grid, by fast Fourier transforms.

The force on a sample is half the gradient of a potential,

.. math:: \sum_j w_{ij}^2 (y_i - y_j) = -\tfrac12 \nabla_i \sum_j w_{ij},

so that one convolution of the samples with w gives both the force and Z. The samples are spread
over the grid by cubic B-splines, and the potential is interpolated by the same splines, as in
smooth particle mesh Ewald sums: it is smooth, and its gradient is exact for the interpolated value.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import fft

from unprior._typing import Floats
from unprior.forces._exact import Field, easy_field

#: Smallest number of spacings along the longer side, so that small maps are precise.
LEAST = 50

#: Largest number of nodes; the spacing of wide maps grows by this factor until they fit.
MOST_NODES, WIDER = 4_000_000, 1.25

#: Nodes beyond the outermost samples that splines reach; and extra nodes beyond twice the grid,
#: since the periodic kernel has a kink there that affects splines nearby.
REACH, KINK = 4, 16


def fft_field(Y: Floats, *, spacing: float = 0.4) -> Field:
    """Sum the repulsion in one or two dimensions: O(n) time, plus the grid.

    Parameters
    ----------
    Y : ndarray of shape (n_samples, 3)
        A map, unused columns zero.
    spacing : float, default=0.4
        Distance between nodes of the grid, in units of the map; smaller is more precise. The grid
        has at most four million nodes, so wide maps get a wider spacing.

    Returns
    -------
    field : Field
        Computed on as many threads as numba's loops use; the bits do not depend on their number.

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
    Y = np.require(Y, np.float64, ["C", "W"])  # loops would be compiled again for other layouts
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
    """Return the convolution of a grid with w."""
    import numba

    shape = tuple(fft.next_fast_len(2 * size + KINK, real=True) for size in grid.shape)
    # Each line is transformed by one thread, so that their number does not matter.
    threads = {"workers": numba.get_num_threads(), "overwrite_x": True}
    waves = fft.fft(fft.rfft(grid, shape[1], axis=1, **threads), shape[0], axis=0, **threads)
    waves *= _kernel_waves(shape, spacing)
    waves = fft.ifft(waves, axis=0, **threads)[: len(grid)]
    return fft.irfft(waves, shape[1], axis=1, **threads)[:, : grid.shape[1]]


@lru_cache(maxsize=2)  # maps grow slowly: most steps reuse the grid
def _kernel_waves(shape: tuple[int, int], spacing: float) -> Floats:
    """Return the transform of w on a periodic grid, corrected for splines.

    Splines blur twice: when samples are spread over the grid and when it is interpolated.
    """
    across, along = (spacing * np.minimum(np.arange(m), m - np.arange(m)) for m in shape)
    waves = fft.rfft2(1 / (1 + np.square(across)[:, None] + np.square(along))).real
    blurs = ((2 + np.cos(2 * np.pi * np.arange(m) / m)) / 3 for m in shape)
    first, last = (np.square(blur) for blur in blurs)
    result: Floats = waves / (first[:, None] * last[: waves.shape[1]])
    return result
